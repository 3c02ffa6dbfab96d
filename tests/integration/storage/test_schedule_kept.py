"""How often documents are looked at, and how citations stand, is saved and restored with everything else."""

from pathlib import Path

from tests.support.backup_home import Home


def test_schedule_and_anchors_come_back(full: Home, empty: Home, tmp_path: Path) -> None:
    full.run("UPDATE queue_control SET refresh_every = interval '7 days'")
    full.run("UPDATE sources SET refresh_every = interval '0', refresh_not_before = '2026-03-18 09:30Z'")
    full.run(
        """
        INSERT INTO citation_anchors (citation_id, version_id, state, char_start, char_end, similarity)
        SELECT c.id, c.version_id, 'lost', 3, 9, 0.75 FROM citations c
        """
    )
    before = full.content()
    assert before["citation_anchors"][0] == 1
    empty.restore(full.save(tmp_path / "library.webrag").path)
    assert empty.content() == before
