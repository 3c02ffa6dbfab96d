"""What one call of ``expand`` may do, so that no client gives up on it."""

from types import SimpleNamespace
from typing import cast

import pytest

from webrag_desktop import Library
from webrag_desktop.expansion.options import ExpansionLimits
from webrag_desktop.mcp.tools.expand import _limits


@pytest.mark.parametrize(
    ("allowed", "gone", "left"),
    [(120.0, 0.0, 40.0), (120.0, 12.0, 28.0), (120.0, 90.0, 5.0), (3.0, 0.0, 3.0)],
)
def test_the_time_that_opening_the_library_took_is_part_of_the_call(
    allowed: float, gone: float, left: float
) -> None:
    settings = SimpleNamespace(expansion_limits=lambda: ExpansionLimits(seconds=allowed))
    library = cast("Library", SimpleNamespace(settings=settings))
    assert _limits(library, None, None, gone).seconds == left
