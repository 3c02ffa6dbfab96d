"""Type: the platform's own font where it gives one worth using, scaled in steps from its pixel size."""

from typing import ClassVar, Literal

from PySide6.QtGui import QFont, QFontDatabase, QFontInfo, QFontMetricsF, QGuiApplication

from webrag_desktop.resources import resource_path

Step = Literal["micro", "small", "body", "lead", "title", "head", "hero"]
Family = Literal["ui", "serif", "mono"]

REGULAR, MEDIUM, SEMIBOLD, BOLD = (
    QFont.Weight.Normal,
    QFont.Weight.Medium,
    QFont.Weight.DemiBold,
    QFont.Weight.Bold,
)
SCALE: dict[Step, float] = {
    "micro": 11 / 13,
    "small": 12 / 13,
    "body": 1.0,
    "lead": 14 / 13,
    "title": 15 / 13,
    "head": 20 / 13,
    "hero": 26 / 13,
}
SERIF = ["Charis SIL", "Charter", "Iowan Old Style", "Georgia", "DejaVu Serif"]
MONO = ["JetBrains Mono", "SF Mono", "Cascadia Mono", "Consolas", "DejaVu Sans Mono"]
_LIGATURES = (
    "calt",
    "liga",
    "clig",
)  # fonts for code draw "===" as one sign; here a character is a character
# Line heights in pixel sizes.
BODY_LINE, QUOTE_LINE, READER_LINE, HEADING_LINE, ANSWER_LINE = 1.54, 1.5, 1.6, 1.4, 1.62
FALLBACK = "Inter"
FALLBACK_PIXELS = 13
# What a bare X11 or no platform theme at all gives; legible, but nothing to read in all day.
_POOR = ("dejavu", "bitstream", "sans", "helvetica", "fixed", "courier", "cursor")


def load_fonts() -> None:
    """Register the shipped fonts with the application."""
    for path in sorted(resource_path("fonts").glob("*.[ot]tf")):
        QFontDatabase.addApplicationFont(str(path))


def interface_font(platform: QFont) -> QFont:
    """The font of the interface, given the platform's own."""
    family, pixels = platform.family(), QFontInfo(platform).pixelSize()
    poor = not family or family.lower().startswith(_POOR)
    made = QFont(FALLBACK) if poor else QFont(platform)
    made.setPixelSize(max(FALLBACK_PIXELS, pixels) if poor else pixels)
    made.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    return made


class _Made:
    """Fonts of the steps, cached for one font of the application: rows use dozens each time they are painted."""

    present: "ClassVar[_Made | None]" = None

    def __init__(self, base: QFont) -> None:
        self.base = base
        self.base_pixels = QFontInfo(base).pixelSize()
        self.fonts: dict[tuple[Step, QFont.Weight, Family, bool, float | None], QFont] = {}


def _of_application() -> _Made:
    base, made = QGuiApplication.font(), _Made.present
    if made is None or not base.isCopyOf(made.base):
        made = _Made.present = _Made(base)
    return made


def base_pixels() -> int:
    """The pixel size that all steps are ratios of."""
    return _of_application().base_pixels


def font(
    step: Step = "body",
    weight: QFont.Weight = REGULAR,
    family: Family = "ui",
    *,
    figures: bool = False,
    pixels: float | None = None,
) -> QFont:
    """A font of a step. ``figures`` gives digits of one width; ``pixels`` replaces the step's size."""
    made = _of_application()
    key = (step, weight, family, figures, pixels)
    if key not in made.fonts:
        size = pixels if pixels is not None else made.base_pixels * SCALE[step]
        made.fonts[key] = _new_font(made.base, round(size), weight, family, figures)
    return QFont(made.fonts[key])  # the caller may change it


def _new_font(base: QFont, pixels: int, weight: QFont.Weight, family: Family, figures: bool) -> QFont:
    made = QFont(base)
    if family != "ui":
        made.setFamilies(SERIF if family == "serif" else MONO)
    if family == "mono":
        for ligatures in _LIGATURES:
            made.setFeature(QFont.Tag(ligatures), 0)
    made.setPixelSize(pixels)
    made.setWeight(weight)
    if figures:
        made.setFeature(QFont.Tag("tnum"), 1)
    return made


def grown(least: int) -> int:
    """A height meant for a 13 px font, grown with the present one."""
    return max(least, round(least * base_pixels() / FALLBACK_PIXELS))


_SAMPLE = "The board in London knew very little of what was happening in the hut at that time"


def measure(used: QFont, characters: int) -> float:
    """The width of a line of so many characters of running text."""
    return QFontMetricsF(used).horizontalAdvance(_SAMPLE) / len(_SAMPLE) * characters
