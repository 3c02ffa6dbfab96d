"""The embedded model that most tests are written for, whatever new libraries get."""

from collections.abc import Mapping
from typing import Any, Final

TESTED_MODEL: Final = "all-MiniLM-L6-v2"


def embedded_unless(given: Mapping[str, Any]) -> dict[str, Any]:
    """``given`` settings, in that model where they say nothing of another one."""
    own = {} if {"EMBEDDING_BACKEND", "EMBEDDING_MODEL"} & given.keys() else {"EMBEDDING_MODEL": TESTED_MODEL}
    return {"EMBEDDING_BACKEND": "embedded", **own, **given}
