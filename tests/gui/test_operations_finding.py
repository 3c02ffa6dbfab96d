"""Documents by letters of their titles, on a real library."""

from collections.abc import Callable
from pathlib import Path

from pytestqt.qtbot import QtBot

from tests.support.gui_library import Address, Heard, added, heard, paused_operations, settings_for
from webrag_desktop.gui.data.view_data import DocumentRow
from webrag_desktop.storage.database import Database

Clone = Callable[[str], Address]
NAMES = ("Élan vital.md", "Metal fatigue.md", "The vital signs.md")


def test_titles_are_found_by_all_words_whatever_their_case_and_accents(
    clone: Clone, migrated_template: str, tmp_path: Path, qtbot: QtBot
) -> None:
    address = clone(migrated_template)
    for name in NAMES:
        (tmp_path / name).write_text("# Text\n\nSome words.\n")
    with paused_operations(settings_for(address, tmp_path / "home"), qtbot) as do:
        added(do, qtbot, *(str(tmp_path / name) for name in NAMES))
        database = Database(address)
        with database.connection() as conn:
            for name in NAMES:
                conn.execute(
                    "UPDATE sources SET user_title = %s WHERE id = (SELECT source_id FROM source_addresses"
                    " WHERE strpos(url, %s) > 0)",
                    [name.removesuffix(".md"), name.split()[-1]],
                )
            conn.execute("UPDATE sources SET opened_at = now() WHERE user_title = 'Metal fatigue'")
        reported = Heard(do.finding.documents)

        def found(typed: str) -> list[str]:
            before = len(reported)
            do.finding.find(typed)
            heard(qtbot, lambda: len(reported) > before)
            rows: tuple[DocumentRow, ...] = reported.last
            return [row.title for row in rows]

        assert found("vital") == ["Élan vital", "The vital signs"]
        assert found("SIGNS the") == ["The vital signs"]
        assert found("elan") == ["Élan vital"]
        assert found("nothing") == []
        assert found("t") == ["Metal fatigue", "The vital signs", "Élan vital"]  # what was opened comes first
        assert found("") == ["Metal fatigue"]
        with database.connection() as conn:
            conn.execute("UPDATE sources SET removed_at = now() WHERE user_title = 'The vital signs'")
        assert found("vital") == ["Élan vital"]
        # Of several questions only the newest is answered.
        before = len(reported)
        for typed in ("m", "me", "vit"):
            do.finding.find(typed)
        heard(qtbot, lambda: len(reported) > before)
        assert [row.title for row in reported.last] == ["Élan vital"]
        database.close()
