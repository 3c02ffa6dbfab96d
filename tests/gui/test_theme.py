"""The theme: contrast, one place for colours, high contrast, icons that are sharp and all used."""

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QIcon, QImage, QPainter, QPalette, QTextLayout
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

import webrag_desktop.gui
from webrag_desktop.gui.data.reader import ReaderBlock
from webrag_desktop.gui.kit.theme import painting
from webrag_desktop.gui.kit.theme.colours import (
    apply_scheme,
    colour,
    contrast,
    disabled_ink,
    is_dark,
    name_of,
    palette,
    style_sheet,
)
from webrag_desktop.gui.kit.theme.fonts import SCALE, base_pixels, font, grown, interface_font
from webrag_desktop.gui.kit.theme.painting import icon, paint_icon
from webrag_desktop.gui.kit.theme.tokens import DARK, LIGHT, ROLES, SHAPE_PAIRS, TEXT_PAIRS, Role
from webrag_desktop.gui.reader.formats import Formats
from webrag_desktop.gui.shell.application import introduce
from webrag_desktop.models.formats import DOC_TYPE_LOOKS
from webrag_desktop.resources import resource_path

GUI = Path(webrag_desktop.gui.__file__).parent
SOURCES = [path for path in sorted(GUI.rglob("*.py")) if path.name != "tokens.py"]
ICONS = {path.stem for path in resource_path("icons").glob("*.svg")}

# -- Contrast ---------------------------------------------------------------------------------------------------


def luminance(name: str) -> float:
    """WCAG 2.1, computed here and not by the program."""
    parts = [int(name[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def ratio(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def pairs() -> Iterator[tuple[Role, Role, float]]:
    for table, need in ((TEXT_PAIRS, 4.5), (SHAPE_PAIRS, 3.0)):
        for ink, grounds in table.items():
            for ground in grounds:
                yield ink, ground, need


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize(("ink", "ground", "need"), list(pairs()))
def test_pairs_have_the_contrast_they_need(
    theme: dict[Role, str], ink: Role, ground: Role, need: float
) -> None:
    assert ratio(theme[ink], theme[ground]) >= need


def test_contrast_is_that_of_the_standard() -> None:
    assert contrast(QColor("black"), QColor("white")) == pytest.approx(21)
    for name in LIGHT.values():
        assert contrast(QColor(name), QColor("#777777")) == pytest.approx(ratio(name, "#777777"), rel=1e-3)


def test_both_themes_have_every_role() -> None:
    assert set(LIGHT) == set(DARK) == set(ROLES)


# -- One place for colours --------------------------------------------------------------------------------------

COLOUR = re.compile(
    r"#[0-9A-Fa-f]{6}\b|#[0-9A-Fa-f]{3}\b(?!\w)|GlobalColor\.(?!transparent)\w+"
    r"|\brgba?\(\s*\d|\bhsla?\(\s*\d|QColor\(\s*[\"'\d]|setNamedColor"
)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(GUI)))
def test_no_module_names_a_colour(path: Path) -> None:
    assert COLOUR.findall(path.read_text("utf-8")) == []


@pytest.mark.parametrize(
    "line",
    ["#1A2b3C", "Qt.GlobalColor.red", "QColor(1, 2, 3)", 'QColor("red")', "rgb(1, 2, 3)", "color: #fff;"],
)
def test_the_scan_knows_a_colour(line: str) -> None:
    assert COLOUR.search(line)


def test_the_sheet_knows_every_role_it_names(application: QApplication) -> None:
    assert "@" not in style_sheet()
    assert not re.search(r"#(control|mini)", style_sheet())


# -- Themes at run time -----------------------------------------------------------------------------------------


def test_a_switch_reaches_painted_and_styled_things(
    qtbot: QtBot, application: QApplication, themed: Callable[[bool], None]
) -> None:
    button = QPushButton("Words")
    qtbot.addWidget(button)
    button.resize(80, 30)
    for dark, theme in ((False, LIGHT), (True, DARK)):
        themed(dark)
        assert is_dark() is dark
        assert [name_of(role) for role in ROLES] == [theme[role] for role in ROLES]
        assert disabled_ink() == theme["text3"].lower()
        assert button.grab().toImage().pixelColor(6, 15) == QColor(theme["raised"])


def test_the_system_is_followed(application: QApplication, themed: Callable[[bool], None]) -> None:
    hints = application.styleHints()
    themed(True)
    hints.colorSchemeChanged.emit(hints.colorScheme())
    assert not is_dark()  # the platform of the tests tells of no dark scheme
    themed(True)
    hints.accessibility().contrastPreferenceChanged.emit(Qt.ContrastPreference.NoPreference)
    assert not is_dark()


SYSTEMS = {
    "black": ("#000000", "#FFFFFF", "#1AEBFF", "#000000", "#FFFF00", "#3FF23F"),
    "white": ("#FFFFFF", "#000000", "#37006E", "#FFFFFF", "#00009F", "#600000"),
    "dull": ("#202020", "#FFFFFF", "#303030", "#FFFFFF", "#252525", "#A0A0A0"),
}


def system(name: str) -> QPalette:
    ground, ink, highlight, on_highlight, link, disabled = map(QColor, SYSTEMS[name])
    made = QPalette()
    for role in QPalette.ColorRole:
        if role not in {QPalette.ColorRole.NoRole, QPalette.ColorRole.NColorRoles}:
            made.setColor(role, ink if "Text" in role.name else ground)
    made.setColor(QPalette.ColorRole.Highlight, highlight)
    made.setColor(QPalette.ColorRole.HighlightedText, on_highlight)
    made.setColor(QPalette.ColorRole.Link, link)
    made.setColor(QPalette.ColorGroup.Disabled, QPalette.ColorRole.WindowText, disabled)
    return made


@pytest.mark.parametrize("name", SYSTEMS)
def test_high_contrast_keeps_the_systems_colours_legible(application: QApplication, name: str) -> None:
    application.setPalette(system(name))
    ground, ink = SYSTEMS[name][:2]
    assert is_dark() is (luminance(ground) < luminance(ink))
    for role in ("text", "text3", "line", "line_strong", "control", "ok", "bad"):
        assert colour(role) == QColor(ink)  # borders are in the ink of words
    for first, second, need in pairs():
        if name == "dull" and first == "on_accent":
            continue  # the system's own pair, taken as it is
        assert ratio(name_of(first), name_of(second)) >= need, (first, second)
    assert f"border: 1px solid {ink.lower()}" in application.styleSheet()  # restyled by the palette alone
    assert disabled_ink() == SYSTEMS[name][5].lower()


def test_high_contrast_takes_the_palette_of_the_system(application: QApplication) -> None:
    apply_scheme(application, Qt.ColorScheme.Dark, Qt.ContrastPreference.HighContrast)
    assert application.palette() != palette(dark=True)
    assert application.palette().color(QPalette.ColorRole.Window).name().upper() not in {
        LIGHT["window"],
        DARK["window"],
    }
    assert colour("line") == application.palette().color(QPalette.ColorRole.WindowText)
    apply_scheme(application, Qt.ColorScheme.Dark)
    assert name_of("line") == DARK["line"]


def test_nothing_moves_where_the_platform_asks_for_stillness(
    application: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(painting, "moves", lambda: True)
    assert painting.duration(120) == 120
    phase = painting.travel_phase()
    assert phase is not None
    assert 0 <= phase < 1
    monkeypatch.setattr(painting, "moves", lambda: False)
    assert painting.duration(120) == 0
    assert painting.travel_phase() is None


# -- Type -------------------------------------------------------------------------------------------------------


def test_a_font_worth_using_is_kept(application: QApplication) -> None:
    theirs = QFont("Charis SIL")
    theirs.setPixelSize(19)
    assert (interface_font(theirs).family(), interface_font(theirs).pixelSize()) == ("Charis SIL", 19)


@pytest.mark.parametrize("family", ["DejaVu Sans", "Sans Serif", "Helvetica", ""])
def test_a_poor_font_is_replaced(application: QApplication, family: str) -> None:
    theirs = QFont(family)
    theirs.setPixelSize(11)
    assert (interface_font(theirs).family(), interface_font(theirs).pixelSize()) == ("Inter", 13)


def test_shipped_fonts_are_those_that_are_documented_and_licensed(application: QApplication) -> None:
    folder = resource_path("fonts")
    documented = (folder / "README.md").read_text("utf-8")
    files = sorted(folder.glob("*.[ot]tf"))
    assert files
    for path in files:
        assert f"| `{path.name}` | `{sha256(path.read_bytes()).hexdigest()}` |" in documented
        licence = folder / f"LICENSE-{path.name.split('-')[0]}"
        assert "SIL OPEN FONT LICENSE Version 1.1" in licence.read_text("utf-8")
    assert {"Inter", "Charis SIL", "JetBrains Mono"} <= set(QFontDatabase.families())


def test_steps_and_heights_follow_the_systems_font(application: QApplication) -> None:
    before = QFont(application.font())
    larger = QFont(before)
    larger.setPixelSize(20)
    application.setFont(larger)
    try:
        assert base_pixels() == 20
        assert {step: font(step).pixelSize() for step in SCALE} == {
            step: round(20 * ratio) for step, ratio in SCALE.items()
        }
        assert grown(30) == 46
    finally:
        application.setFont(before)
    assert grown(30) == 30


def test_a_font_that_is_changed_changes_no_other(application: QApplication) -> None:
    font("small", figures=True).setUnderline(True)
    assert not font("small", figures=True).underline()


# -- Icons ------------------------------------------------------------------------------------------------------

# Where a call names an icon: the position of the argument, or its keyword.
NAMED: dict[str, tuple[int, str]] = {
    "icon": (0, ""),
    "themed_icon": (0, ""),
    "tool_button": (0, "icon"),
    "EmptyState": (0, "icon"),
    "show_state": (0, "icon"),
    "paint_icon": (1, "name"),
    "push_button": (2, "icon"),
    "paint_pill": (6, "icon"),
}


def literals(node: ast.AST) -> set[str]:
    return {
        part.value
        for part in ast.walk(node)
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    }


def named_icons(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if called not in NAMED:
            continue
        position, keyword = NAMED[called]
        given = list(node.args[position : position + 1])
        given += [each.value for each in node.keywords if keyword and each.arg == keyword]
        for each in given:
            yield from literals(each) if isinstance(each, ast.Constant | ast.IfExp) else ()


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(GUI)))
def test_every_icon_named_is_there(path: Path) -> None:
    assert set(named_icons(ast.parse(path.read_text("utf-8")))) - ICONS - {""} == set()


def test_every_icon_there_is_used() -> None:
    words = set().union(*(literals(ast.parse(path.read_text("utf-8"))) for path in SOURCES))
    assert ICONS - words - {look.icon for look in DOC_TYPE_LOOKS.values()} == set()


def drawn(ratio: float, x: float, y: float, name: str = "file-text") -> QImage:
    image = QImage(round(32 * ratio), round(32 * ratio), QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(ratio)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    paint_icon(painter, name, x, y, 16)
    painter.end()
    return image


@pytest.mark.parametrize("ratio", [1.0, 1.25, 2.0])
def test_icons_lie_on_whole_pixels(application: QApplication, ratio: float) -> None:
    place = 4.0  # a whole pixel at each of the ratios
    for shift in (-0.3, 0.2, 0.35):
        assert drawn(ratio, place + shift / ratio, place - shift / ratio) == drawn(ratio, place, place)


def test_a_whole_pixel_moves_an_icon_by_just_that(application: QApplication) -> None:
    there, moved = drawn(2.0, 4.0, 4.0), drawn(2.0, 4.5, 4.0)
    assert there != moved
    assert there.copy(0, 0, 60, 64) == moved.copy(1, 0, 60, 64)


@pytest.mark.parametrize("ratio", [1.0, 1.25, 2.0])
def test_pixmaps_have_the_right_size_and_are_not_scaled(application: QApplication, ratio: float) -> None:
    pixmap = icon("file-text").pixmap(QSize(16, 16), ratio)
    assert pixmap.devicePixelRatio() == ratio
    assert pixmap.size() == QSize(round(16 * ratio), round(16 * ratio))
    assert pixmap.toImage().convertToFormat(QImage.Format.Format_ARGB32_Premultiplied) == drawn(
        ratio, 0, 0
    ).copy(0, 0, pixmap.width(), pixmap.height())


def inks(image: QImage) -> set[str]:
    pixels = (image.pixelColor(x, y) for x in range(image.width()) for y in range(image.height()))
    return {each.name().upper() for each in pixels if each.alpha() == 255}


def test_icons_take_the_colour_of_the_theme(
    application: QApplication, themed: Callable[[bool], None]
) -> None:
    shown = icon("file-text", "accent_text")
    for dark, theme in ((False, LIGHT), (True, DARK)):
        themed(dark)
        assert inks(shown.pixmap(QSize(32, 32), 2.0).toImage()) == {theme["accent_text"]}


def test_a_disabled_icon_is_paler(application: QApplication) -> None:
    pixmap = icon("file-text").pixmap(QSize(32, 32), 2.0, QIcon.Mode.Disabled)
    assert inks(pixmap.toImage()) == {LIGHT["line_strong"]}


def test_room_beside_an_icon_is_on_the_side_of_the_text(application: QApplication) -> None:
    size = QSize(21, 16)
    for direction, empty in (
        (Qt.LayoutDirection.LeftToRight, (16, 20)),
        (Qt.LayoutDirection.RightToLeft, (0, 4)),
    ):
        application.setLayoutDirection(direction)
        try:
            image = icon("file-text", gap=5).pixmap(size, 1.0).toImage()
        finally:
            application.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        for x in empty:
            assert all(image.pixelColor(x, y).alpha() == 0 for y in range(16))


@pytest.mark.parametrize(
    ("name", "turns"), [("chevron-right", True), ("arrow-left", True), ("rotate-cw", False)]
)
def test_icons_that_point_along_the_reading_are_turned_round(
    application: QApplication, name: str, turns: bool
) -> None:
    usual = drawn(1.0, 8.0, 8.0, name)
    application.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    try:
        mirrored = drawn(1.0, 8.0, 8.0, name)
    finally:
        application.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
    wanted = usual.flipped(Qt.Orientation.Horizontal) if turns else usual
    assert usual != usual.flipped(Qt.Orientation.Horizontal)
    strokes = [(x, y) for x in range(32) for y in range(32) if wanted.pixelColor(x, y).alpha() > 128]
    assert strokes
    assert all(mirrored.pixelColor(x, y).alpha() > 60 for x, y in strokes)


# -- Characters as they are ---------------------------------------------------------------------------------------


def glyphs(text: str, used: QFont) -> list[int]:
    layout = QTextLayout(text, used)
    layout.beginLayout()
    layout.createLine()
    layout.endLayout()
    return [glyph for run in layout.glyphRuns() for glyph in run.glyphIndexes()]


@pytest.mark.parametrize("text", ["===", "!=", "->", "=>", "://", "fi"])
def test_code_is_drawn_character_by_character(application: QApplication, text: str) -> None:
    used = font("body", family="mono")
    assert glyphs(text, used) == [glyph for one in text for glyph in glyphs(one, used)]


def test_the_font_for_code_would_draw_several_as_one_sign(application: QApplication) -> None:
    """Else the test above says nothing."""
    plain = font("body", family="mono")
    for tag in ("calt", "liga", "clig"):
        plain.unsetFeature(QFont.Tag(tag))
    assert glyphs("===", plain) != glyphs("=", plain) * 3


def test_code_in_the_reader_is_drawn_so_too(application: QApplication) -> None:
    formats = Formats(17)
    block = ReaderBlock("code", "a === b\n", ((0, 0, 8),))
    for look in (formats.base(block), formats.base(replace(block, kind="paragraph"), frozenset({"code"}))):
        assert glyphs("===", look.font()) == glyphs("=", look.font()) * 3


# -- The program's own icon ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("side", [16, 32, 256])
def test_the_program_has_an_icon_of_its_own(application: QApplication, side: int) -> None:
    introduce(application)
    window = QWidget()
    picture = window.windowIcon().pixmap(side, side).toImage()
    assert picture.width() == side
    assert picture.pixelColor(0, 0).alpha() < 255  # a rounded corner
    found = {picture.pixelColor(x, y).name() for x in range(side) for y in range(side)}
    assert len(found) > 10
    middle = picture.pixelColor(side * 13 // 64, side // 2)
    assert middle.red() > middle.blue()  # the marker, on a ground of ink blue
    assert picture.pixelColor(side // 12, side // 2).blue() > 120
    assert application.desktopFileName() == "webrag-desktop"
