from pathlib import Path

import pytest

from webrag_desktop.stack.base import StackKind, StackOptions
from webrag_desktop.stack.choice import choose_stack

_HOME = Path("unused")
_URL = "postgresql://h/d"


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        (StackOptions(_HOME), "embedded"),
        (StackOptions(_HOME, kind="embedded"), "embedded"),
        (StackOptions(_HOME, kind="compose"), "compose"),
        (StackOptions(_HOME, database_url=_URL), "external"),
        (StackOptions(_HOME, database_url=_URL, kind="compose"), "external"),
        (StackOptions(_HOME, database_url=""), "embedded"),
    ],
)
def test_an_address_wins_and_auto_means_embedded(options: StackOptions, kind: StackKind) -> None:
    assert choose_stack(options).kind == kind
