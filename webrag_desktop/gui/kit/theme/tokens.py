"""Every colour, size and duration of the window, in one place. Nothing else names a colour."""

from typing import Final, Literal, get_args

Role = Literal[
    "sidebar", "window", "surface", "sunken", "raised", "paper", "hover",
    "line", "line_strong", "control",
    "text", "text2", "text3",
    "accent", "accent_hover", "on_accent", "accent_soft", "accent_text", "focus",
    "evidence", "evidence_on", "evidence_edge", "evidence_ink",
    "ok", "ok_soft", "warn", "warn_soft", "bad", "bad_soft",
    "scrim",
    "collection_blue", "collection_teal", "collection_green", "collection_olive",
    "collection_orange", "collection_red", "collection_pink", "collection_violet",
]  # fmt: skip
ROLES: Final = get_args(Role)

LIGHT: Final[dict[Role, str]] = {
    "sidebar": "#EEEEEB",
    "window": "#F6F6F4",
    "surface": "#FFFFFF",
    "sunken": "#F7F7F5",
    "raised": "#FFFFFF",
    "paper": "#FEFDFB",
    "hover": "#F3F3F0",
    "line": "#E5E5E1",
    "line_strong": "#CFD0CB",
    "control": "#83888F",
    "text": "#1B1D20",
    "text2": "#474C53",
    "text3": "#62676E",
    "accent": "#2F55B8",
    "accent_hover": "#26479C",
    "on_accent": "#FFFFFF",
    "accent_soft": "#E5EBFA",
    "accent_text": "#2547A3",
    "focus": "#2F55B8",
    "evidence": "#FFF0BD",
    "evidence_on": "#FFDC73",
    "evidence_edge": "#A67700",
    "evidence_ink": "#1B1D20",
    "ok": "#1A7046",
    "ok_soft": "#E2F2E9",
    "warn": "#835200",
    "warn_soft": "#FCEFD5",
    "bad": "#AE3128",
    "bad_soft": "#FBE8E6",
    "scrim": "#14161A",
    "collection_blue": "#2F6FD0",
    "collection_teal": "#14807F",
    "collection_green": "#2E8540",
    "collection_olive": "#7A7413",
    "collection_orange": "#BD5B0B",
    "collection_red": "#C43B34",
    "collection_pink": "#BE3A83",
    "collection_violet": "#7B4FCB",
}
DARK: Final[dict[Role, str]] = {
    "sidebar": "#151618",
    "window": "#1A1B1E",
    "surface": "#1F2023",
    "sunken": "#1A1B1E",
    "raised": "#292A2F",
    "paper": "#222326",
    "hover": "#27282C",
    "line": "#2D2F34",
    "line_strong": "#42454C",
    "control": "#777C85",
    "text": "#E8E9EC",
    "text2": "#BBBFC7",
    "text3": "#989DA7",
    "accent": "#4669D8",
    "accent_hover": "#5577E2",
    "on_accent": "#FFFFFF",
    "accent_soft": "#27314D",
    "accent_text": "#A5BAFF",
    "focus": "#8CA6FF",
    "evidence": "#453A17",
    "evidence_on": "#6B5715",
    "evidence_edge": "#D9AE3C",
    "evidence_ink": "#FFF6DC",
    "ok": "#6FCB99",
    "ok_soft": "#1D3328",
    "warn": "#E6B65A",
    "warn_soft": "#3A2F17",
    "bad": "#F4938B",
    "bad_soft": "#402422",
    "scrim": "#000000",
    "collection_blue": "#6EA4FF",
    "collection_teal": "#45C1BE",
    "collection_green": "#6CC47C",
    "collection_olive": "#C3BB52",
    "collection_orange": "#F0995A",
    "collection_red": "#F27F78",
    "collection_pink": "#EE85BB",
    "collection_violet": "#B596F5",
}

# What the user may colour a collection with; high contrast shows none of them.
COLLECTION_ROLES: Final[dict[str, Role]] = {
    role.removeprefix("collection_"): role for role in ROLES if role.startswith("collection_")
}

# Contrast that each pair must reach (WCAG 2.1): text 4.5, shapes that carry meaning 3.
TEXT_PAIRS: Final[dict[Role, tuple[Role, ...]]] = {
    "text": ("sidebar", "window", "surface", "sunken", "raised", "hover", "accent_soft", "paper"),
    "text2": (
        "sidebar", "window", "surface", "sunken", "raised", "hover", "accent_soft",
        "ok_soft", "warn_soft", "bad_soft",
    ),
    "text3": ("sidebar", "window", "surface", "sunken", "raised", "hover", "accent_soft", "paper"),
    "accent_text": ("sidebar", "window", "surface", "accent_soft", "raised"),
    "on_accent": ("accent",),
    "evidence_ink": ("evidence", "evidence_on"),
    "ok": ("surface", "ok_soft", "window", "raised", "accent_soft"),
    "warn": ("surface", "warn_soft", "window", "raised", "accent_soft"),
    "bad": ("surface", "bad_soft", "window", "raised", "accent_soft"),
    "surface": ("text",),
}  # fmt: skip
SHAPE_PAIRS: Final[dict[Role, tuple[Role, ...]]] = {
    "focus": ("surface", "window", "sidebar"),
    "control": ("surface", "window"),
    "evidence_edge": ("surface", "evidence"),
    **dict.fromkeys(COLLECTION_ROLES.values(), ("sidebar", "accent_soft", "raised")),
}

# Logical pixels.
SPACE_XS, SPACE_S, SPACE_M, SPACE_L, SPACE_XL, SPACE_XXL = 4, 8, 12, 16, 24, 40
PANE_INSET = 16
RADIUS_CHIP, RADIUS_CONTROL, RADIUS_ROW, RADIUS_DIALOG, RADIUS_DROP = 4, 6, 8, 12, 14

# Least heights at a 13 px font; they grow with it.
TOOLBAR_HEIGHT, FILTER_HEIGHT, PANE_HEADER_HEIGHT, STATUS_HEIGHT = 52, 40, 38, 27
TREE_ROW, DOCUMENT_ROW, RESULT_GROUP, CONTROL_HEIGHT, MINI_HEIGHT, CHIP_HEIGHT = 28, 48, 56, 30, 24, 24
SMALLEST_TARGET = 24

SIDEBAR_WIDTH, SIDEBAR_RANGE = 228, (180, 320)
RESULTS_WIDTH, RESULTS_LEAST = 644, 420
EVIDENCE_WIDTH, EVIDENCE_LEAST = 568, 380
INSPECTOR_WIDTH, INSPECTOR_RANGE = 336, (280, 480)
OUTLINE_WIDTH = 268
WINDOW_SIZE, SMALLEST_WINDOW = (1440, 900), (960, 600)
NARROW_BELOW, TABS_BELOW = 1200, 1000  # the sidebar becomes an overlay; the right column becomes tabs
WIDE_FROM = 1700  # the right column becomes two, the quotations beside the reader
WIDE_RESULTS, WIDE_CITATIONS, WIDE_EMPTY = 680, 460, 340

# Milliseconds.
# A quick answer is better than a sign that it is coming.
DIM_AFTER = 80
PANE_MOTION, FADE, MARK_MOTION, TRAVEL, SKELETON_AFTER, TOAST_TIME = 120, 90, 400, 1400, 150, 8000
PROGRESS_INTERVAL = 250
HOVER_AFTER = 300
