"""The words of `webrag doctor`."""

import pytest

from webrag_desktop.cli.checking import _say_repair, _verdict
from webrag_desktop.cli.output import Output
from webrag_desktop.cli.shapes import CheckResult
from webrag_desktop.cli.upkeep_shapes import RepairItem


def check(*, ok: bool, name: str = "figures-true", commands: tuple[str, ...] = ()) -> CheckResult:
    return CheckResult(
        check=name,
        promise="It holds.",
        ok=ok,
        broken=int(not ok),
        examples=(),
        documents=(),
        commands=commands,
    )


def repair(*, mended: bool, command: str | None = None) -> RepairItem:
    return RepairItem(
        check="no-orphans", subject="1 row", mended=mended, told="It is told.", document=None, command=command
    )


@pytest.mark.parametrize(
    ("checks", "repairs", "said"),
    [
        ([check(ok=False), check(ok=True)], None, "1 of 2 promises is broken. Nothing was changed; `webrag doctor"),
        ([check(ok=False)] * 2, None, "2 of 2 promises are broken."),
        ([check(ok=False)], [repair(mended=True)], "The rest was mended."),
        ([check(ok=False)], [repair(mended=False)], "Nothing of it could be mended."),
        ([check(ok=False)], [], "Nothing of it could be mended."),
        ([check(ok=False, commands=("webrag refresh 0",))], None, "Nothing was changed; what is named above mends it."),
        ([check(ok=False, name="tables-there")], None, "`webrag restore`"),
    ],
)  # fmt: skip
def test_the_verdict_says_what_is_and_what_helps(
    checks: list[CheckResult], repairs: list[RepairItem] | None, said: str
) -> None:
    assert said in _verdict(checks, repairs)


def test_removing_is_no_going_on(capsys: pytest.CaptureFixture[str]) -> None:
    _say_repair(Output(), repair(mended=False, command="webrag remove 0b0a52b8"))
    assert "`webrag remove 0b0a52b8` takes it out of the library." in capsys.readouterr().out
    _say_repair(Output(), repair(mended=False, command="webrag refresh 0b0a52b8"))
    assert "`webrag refresh 0b0a52b8` goes on from there." in capsys.readouterr().out
