"""``webrag space move``: what its options ask of a move."""

from contextlib import nullcontext
from types import SimpleNamespace

import pytest

from webrag_desktop.cli.commands import space
from webrag_desktop.cli.exit_codes import ExitCode
from webrag_desktop.cli.main import run
from webrag_desktop.errors import InputError


@pytest.mark.parametrize(
    ("options", "as_new"), [((), False), (("--reembed",), True), (("--anew",), True)], ids=str
)
def test_a_model_is_chosen_as_for_a_new_library_also_by_the_options_former_name(
    monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], as_new: bool
) -> None:
    asked: list[bool] = []

    def begin(*, as_new: bool) -> bool:
        asked.append(as_new)
        raise InputError("It begins no move.", "This is a test.")

    library = SimpleNamespace(moves=SimpleNamespace(begin=begin))
    monkeypatch.setattr(space, "open_library", lambda: nullcontext(library))
    assert run(["space", "move", *options]) == ExitCode.USAGE
    assert asked == [as_new]
