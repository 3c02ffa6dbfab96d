"""What the window says of checks and repairs."""

from uuid import UUID

from webrag_desktop.gui.maintenance.operations.safekeeping import checked_outcome
from webrag_desktop.models.checks import AffectedDocument, Finding, Repair

POOLS = AffectedDocument(UUID(int=1), "https://example.org/pools", "Tide\u202e pools")
NAMELESS = AffectedDocument(UUID(int=2), "https://example.org/kelp", None)
CHUNK = str(UUID(int=3))


def test_damage_is_reported_by_the_names_of_documents() -> None:
    findings = [
        Finding("texts-unaltered", "Texts stay.", 4, (CHUNK,), (POOLS, NAMELESS)),
        Finding("figures-true", "Figures are true.", 1, ("corpus",)),
    ]
    repairs = [
        Repair("captures-unaltered", CHUNK, False, "It is damaged.", "refresh", POOLS),
        Repair("figures-true", "1 row", True, "It was counted again."),
    ]
    details = [line.detail for line in checked_outcome(findings, repairs).lines]
    assert details == [
        "captures-unaltered, Tide pools",
        "figures-true, 1 row",
        "Broken 4 times, such as Tide pools, https://example.org/kelp",
        "Broken once: corpus",
    ]
