"""Write ``blank.env`` and ``docs/settings.md`` from the declaration: ``python -m tests.support.write_settings``."""

import textwrap
from pathlib import Path

from webrag_desktop.config import SECTIONS, Setting, declared_settings

ROOT = Path(__file__).parents[2]
WIDTH = 110
_RULE = 82
BLANK_ENV = """\
# WebRAG Desktop settings. Copy this file to `.env` in the data folder (`webrag status` names it) and take the
# `#` off what you want to change. Variables of the same names in the environment win over the file.
# A misspelt name does nothing; `webrag` tells it, with the name that is most likely meant.
# Written by `make settings`, never by hand.
"""
REFERENCE = """\
# Settings

Settings are read from the environment and from the file `.env` in the data folder, which `webrag status` names; no
other file is read. The environment wins. What is empty counts as not set, and names may be written in small letters.
[blank.env](../blank.env) is that file with everything commented out. `webrag status` tells which settings are given.

A value that cannot be used stops the program with a message that names the setting and what it must be. What does
nothing gives a warning and stops nothing: a misspelt name, with the one that is most likely meant, and a setting
that nothing uses yet. So is a settings file that holds a password or key and that others on this computer can read:
keep it to yourself with `chmod 600 .env`.

This page is written by `make settings` from the declaration in `webrag_desktop/config/`, never by hand.
"""


def blank_env() -> str:
    """The settings file with everything commented out."""
    parts = [BLANK_ENV]
    for section in SECTIONS:
        parts.append(f"{f'# -- {section.title} ':-<{_RULE}}\n")
        if section.about:
            parts.append(_comment(section.about))
        parts += [_entry(one) for one in declared_settings() if one.section == section.title]
    return "\n".join(parts)


def _entry(one: Setting) -> str:
    facts = _facts(one)
    parts = (one.description, _unused(one), f"({facts})" if facts else "")
    return f"{_comment(' '.join(filter(None, parts)))}# {one.name}={one.written_default}\n"


def _comment(text: str) -> str:
    lines = textwrap.wrap(text, WIDTH - 2, break_on_hyphens=False, break_long_words=False)
    return "".join(f"# {line}\n" for line in lines)


def _unused(one: Setting) -> str:
    return f"Does nothing yet: {one.unused}." if one.unused else ""


def _facts(one: Setting) -> str:
    """What it is counted in, what it may be, and its default."""
    default = one.written_default or one.otherwise
    limits = ", ".join(filter(None, (one.wanted if one.choices else one.unit, str(one.bounds))))
    return "; ".join(filter(None, (limits, f"default: {default}" if default else "")))


def reference() -> str:
    """The page that tells every setting."""
    parts = [REFERENCE]
    for section in SECTIONS:
        parts.append(f"\n## {section.title}\n")
        if section.about:
            parts.append("\n".join(textwrap.wrap(section.about, 120, break_on_hyphens=False)) + "\n")
        parts.append("| setting | what it says | values | default |\n|---|---|---|---|")
        parts += [_row(one) for one in declared_settings() if one.section == section.title]
    return "\n".join(parts) + "\n"


def _row(one: Setting) -> str:
    unused = f"**{_unused(one)}**" if one.unused else ""
    values = ", ".join(filter(None, (_values(one), str(one.bounds))))
    default = f"`{one.written_default}`" if one.written_default else one.otherwise or "none"
    cells = (f"`{one.name}`", " ".join(filter(None, (one.description, unused))), values, default)
    return f"| {' | '.join(cells)} |"


def _values(one: Setting) -> str:
    if one.choices:
        return ", ".join(f"`{choice}`" for choice in one.choices)
    if one.unit:
        return f"{one.kind} of {one.unit}"
    return {"yes or no": "`true` or `false`", "secret": "text, secret"}.get(one.kind, one.kind)


FILES = {ROOT / "blank.env": blank_env, ROOT / "docs" / "settings.md": reference}


def main() -> None:
    """Write both."""
    for file, made in FILES.items():
        file.write_text(made(), encoding="utf-8")


if __name__ == "__main__":
    main()
