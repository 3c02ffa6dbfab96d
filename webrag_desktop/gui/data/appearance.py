"""How the window looks, as the user chose it: kept with the window, not with the library's settings."""

from dataclasses import dataclass
from typing import Final, Literal, get_args

Theme = Literal["system", "light", "dark"]
THEMES: Final[tuple[Theme, ...]] = get_args(Theme)
SCALES: Final = (80, 90, 100, 110, 125, 150, 175, 200)  # percent
# Those that Qt itself speaks. Words of our own are in English.
LANGUAGES: Final = ("en", "de", "fr", "es", "it", "pl", "ja", "zh_CN", "ar")
SYSTEM: Final = "system"


@dataclass(frozen=True, slots=True)
class Appearance:
    """``scale`` is in percent, ``language`` a code such as ``de``, or ``system``."""

    theme: Theme = "system"
    scale: int = 100
    language: str = SYSTEM
