"""The words of `webrag doctor`."""

from uuid import UUID

import psycopg
import pytest
from click.testing import CliRunner

from webrag_desktop.cli.commands import doctor as checking
from webrag_desktop.cli.commands.doctor import _say_repair, _verdict, doctor
from webrag_desktop.cli.output import Output
from webrag_desktop.errors import WebragError
from webrag_desktop.models.checks import AffectedDocument, Finding, Remedy, Repair
from webrag_desktop.storage.database import database_errors


def check(
    *, ok: bool, name: str = "figures-true", refreshed: int = 0, broken: int = 1, named: int = 0
) -> Finding:
    """``named`` documents hold the examples, those that are ``refreshed`` if nothing is said."""
    affected = tuple(AffectedDocument(UUID(int=n), None, None) for n in range(named or refreshed))
    examples = () if ok else tuple("abc"[:broken])
    return Finding(name, "It holds.", 0 if ok else broken, examples, affected, affected[:refreshed])


def repair(*, mended: bool, remedy: Remedy | None = None) -> Repair:
    document = AffectedDocument(UUID("0b0a52b8-0000-4000-8000-000000000000"), None, None)
    return Repair("no-orphans", "1 row", mended, "It is reported.", remedy, document)


@pytest.mark.parametrize(
    ("checks", "repairs", "said"),
    [
        ([check(ok=False), check(ok=True)], None, "1 of 2 checks failed. Nothing was changed; `webrag doctor"),
        ([check(ok=False)] * 2, None, "2 of 2 checks failed."),
        ([check(ok=False)], [repair(mended=True)], "The rest was mended."),
        ([check(ok=False)], [repair(mended=False)], "Nothing of it could be mended."),
        ([check(ok=False)], [], "Nothing of it could be mended."),
        ([check(ok=False, refreshed=1)], None, "Nothing was changed; what is named above mends it."),
        ([check(ok=False, refreshed=1, broken=40)], None, "`webrag doctor --repair`"),
        ([check(ok=False, refreshed=1, broken=2, named=2)], None, "`webrag doctor --repair`"),
        ([check(ok=False, name="tables-there")], None, "Move the data folder away, or"),
    ],
)  # fmt: skip
def test_the_verdict_says_what_is_and_what_helps(
    checks: list[Finding], repairs: list[Repair] | None, said: str
) -> None:
    assert said in _verdict(checks, repairs)


def test_removing_is_no_going_on(capsys: pytest.CaptureFixture[str]) -> None:
    _say_repair(Output(), repair(mended=False, remedy="remove"))
    assert "`webrag remove 0b0a52b8` takes it out of the library." in capsys.readouterr().out
    _say_repair(Output(), repair(mended=False, remedy="refresh"))
    assert "`webrag refresh 0b0a52b8` goes on from there." in capsys.readouterr().out


def hint_after(error: psycopg.Error, *arguments: str) -> str:
    """What helps, says doctor, where the database refuses one of its statements."""

    def refused(*_: object, **__: object) -> None:
        with database_errors():
            raise error

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checking, "_examined", refused)
        raised = CliRunner().invoke(doctor, [*arguments], standalone_mode=False, obj=Output()).exception
    assert isinstance(raised, WebragError)
    return raised.hint


@pytest.mark.parametrize(
    "kind",
    [
        psycopg.errors.QueryCanceled,
        psycopg.errors.OutOfMemory,
        psycopg.errors.InsufficientPrivilege,
        psycopg.errors.ReadOnlySqlTransaction,
    ],
)
def test_what_the_server_refuses_a_sound_library_is_no_damage(kind: type[psycopg.Error]) -> None:
    hint = hint_after(kind("no"))
    assert "damaged" not in hint
    assert "restore" not in hint


def test_where_something_may_be_mended_already_nobody_says_that_nothing_was_changed() -> None:
    error = psycopg.errors.UndefinedColumn("gone")
    assert "nothing was changed" in hint_after(error)
    assert "what was mended before stays mended" in hint_after(error, "--repair")
