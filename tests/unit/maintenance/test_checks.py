"""The table of checks is complete: everything is reported once, and whatever mends damage is run."""

from webrag_desktop.maintenance.checks import CHECKS
from webrag_desktop.maintenance.mends import MENDS, WITHOUT_SPACE
from webrag_desktop.models.checks import TABLES_CHECK


def test_each_check_has_its_own_name_and_sentence() -> None:
    assert len({check.name for check in CHECKS}) == len(CHECKS)
    assert len({check.sentence for check in CHECKS}) == len(CHECKS)


def test_each_check_is_mended_but_missing_tables() -> None:
    assert [check.name for check in CHECKS if not check.mends] == [TABLES_CHECK]


def test_each_mend_that_a_check_names_is_there_and_no_other_is() -> None:
    assert {mend for check in CHECKS for mend in check.mends} == MENDS.keys()
    assert MENDS.keys() > WITHOUT_SPACE
