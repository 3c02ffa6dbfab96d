"""Settings as they were given."""

from typing import Literal

from pydantic import BaseModel


class GivenSetting(BaseModel, frozen=True):
    """A setting that is given, and where it is in force from: the environment goes before the settings file.

    ``value`` is None where it is a secret or may hold one; ``unused`` says why it does nothing yet.
    """

    name: str
    value: str | None
    place: Literal["environment", "file"]
    unused: str | None
