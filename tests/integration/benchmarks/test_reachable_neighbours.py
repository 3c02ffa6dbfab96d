"""The benchmark of reachable neighbourhoods counts what it says."""

from benchmarks import reachable_neighbours


def test_every_kind_of_index_is_built_asked_and_reported() -> None:
    reported = reachable_neighbours.run(children=300, questions=5, builds=2)
    rows = [line.split(" | ") for line in reported.splitlines() if line.startswith(("| 1", "| 24"))]
    assert [(row[0].strip("| "), row[1]) for row in rows] == [
        (str(m), str(construction)) for m, construction in reachable_neighbours.PARAMETERS
    ]
    for row in rows:
        assert all(0.9 < float(share) <= 1 for share in row[2:5])
        assert (row[5], row[6]) == ("0; 0; 0", "10")
