"""A setting that is declared ahead of the part that is to use it."""

from dataclasses import replace

import pytest

from webrag_desktop.config import files
from webrag_desktop.config.settings import declared_settings


def nobody_uses(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have that setting declared as one that does nothing yet."""
    declared = tuple(
        replace(one, unused="what uses it is not there yet") if one.name == name else one
        for one in declared_settings()
    )
    monkeypatch.setattr(files, "declared_settings", lambda: declared)
