"""What is noted of the library's space is damaged: nothing falls over it, doctor names it, and it can be put back."""

import pytest

from tests.support.moving import NEW_CHUNKS, MovingLibrary
from tests.support.queue_work import assert_sound
from webrag_desktop.errors import WebragError
from webrag_desktop.ingestion.reading_process.options import ReadingOptions
from webrag_desktop.maintenance.checkup import Checkup
from webrag_desktop.maintenance.mends import SPACE_UNKNOWN

DAMAGE = {
    "nothing": "UPDATE embedding_spaces SET definition = '{}'",
    "no object": "UPDATE embedding_spaces SET definition = '[1]'",
    "a number": "UPDATE embedding_spaces SET definition = jsonb_set(definition, '{model,dimensions}', '\"many\"')",
}
OTHER = "UPDATE embedding_spaces SET definition = jsonb_set(definition, '{model,model}', '\"another\"')"


@pytest.fixture
def library(moving_library: MovingLibrary) -> MovingLibrary:
    return moving_library


def checkup(library: MovingLibrary) -> Checkup:
    return Checkup(library.database, library.spaces, ReadingOptions())


def broken(library: MovingLibrary) -> list[str]:
    return [finding.check for finding in checkup(library).check() if not finding.ok]


@pytest.mark.parametrize("damage", [*DAMAGE, "another"])
def test_doctor_names_it_and_puts_it_back(library: MovingLibrary, damage: str) -> None:
    library.run({**DAMAGE, "another": OTHER}[damage])
    assert broken(library) == ["space-known"]
    repairs = checkup(library).repair()
    assert [(repair.check, repair.mended) for repair in repairs] == [("space-known", True)]
    assert_sound(library.database)
    assert library.search("cold water").chunks
    assert checkup(library).repair() == []


@pytest.mark.parametrize("damage", DAMAGE)
def test_whoever_needs_it_is_given_the_remedy_and_work_stays_queued(
    library: MovingLibrary, damage: str
) -> None:
    library.run(DAMAGE[damage])
    library.add("Mosel", "The Mosel bends below vineyards.")
    for use in (library.work, lambda: library.search("cold water"), library.moving.begin):
        with pytest.raises(WebragError, match="is damaged") as reported:
            use()
        assert "`webrag doctor --repair`" in reported.value.hint
    assert library.count("SELECT count(*) FROM jobs WHERE finished_at IS NULL") == 1
    checkup(library).repair()
    assert library.work() == 1
    assert_sound(library.database)


def test_settings_that_ask_for_another_space_put_nothing_back(library: MovingLibrary) -> None:
    library.run(DAMAGE["nothing"])
    other = MovingLibrary(library.database, library.options, NEW_CHUNKS)
    repairs = checkup(other).repair()
    assert [(repair.check, repair.mended, repair.message) for repair in repairs] == [
        ("space-known", False, SPACE_UNKNOWN)
    ]
    assert broken(other) == ["space-known"]
