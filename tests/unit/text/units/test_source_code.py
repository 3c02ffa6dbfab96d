"""What is taken for source code, and what is not."""

import pytest

from webrag_desktop.text.units.source_code import is_source_code

PYTHON = '''import re

# Finds names. All of them.
NAMES = re.compile(r"[a-z]+")


def names_of(text):
    """The names in a text."""
    for found in NAMES.finditer(text):
        yield found[0]
'''
RUST = """/// A pair of things.
#[derive(Debug)]
pub struct Pair<A, B> {
    one: A,
    other: B,
}

impl<A, B> Pair<A, B> {
    pub fn one(&self) -> &A {
        &self.one
    }
}
"""
C = """#include <stdio.h>

int
main(int argc, char **argv)
{
    printf("%d\\n", argc);
    return 0;
}
"""
SHELL = """#!/bin/sh
set -e
for file in *.txt; do
    if [ -f "$file" ]; then
        mv "$file" "$(basename "$file" .txt).md"
    fi
done
"""
PROSE = """Functions (see below) return a value; most of them do so at once.
In the case of lists, the result is a new list (and never the old one).
Import duties are paid by the buyer, who returns the form:
for each item one line, with its value (in euros).
"""
TABLE = """name | 2014 (in millions) | 2013 (in millions)
sales | $ -385 (385) | $ -823 (823)
taxes | $ -17 (17) | $ -4 (4)
total | $ -402 (402) | $ -827 (827)
"""


@pytest.mark.parametrize("code", [PYTHON, RUST, C, SHELL])
def test_code_of_several_languages_is_known(code: str) -> None:
    assert is_source_code(code)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "One line.",
        "return home;",
        PROSE,
        TABLE,
        "- Milk;\n- bread;\n- the butter that we like (salted);\n",
        "Dear Anna,\n\nyours,\nTom\n",
        f"```python\n{PYTHON}```\n",
        "# Title\n\nSome words about it.\n\nMore words about the same thing, and then a list:\n\n- one\n- two\n",
        "===\n===\n===",
        "+++\ntitle = 'T'\n+++\n\nText\n====\n\n---\n\nkey: x\n---\n",
        "10)\n11)\n12)\n",
        "Flour (200 g)\nSugar (100 g)\nButter (50 g)\n",
        "Turing, A. M. (1950)\nShannon, C. E. (1948)\nvon Neumann, J. (1945)\n",
        "(a) the name of the person;\n(b) the address;\n(iii) the date of birth;\n",
        "a) apples;\nb) pears;\nc) plums.\n",
        "// Only a comment.\n// And another (of it);\n// The last one {}\n",
    ],
)
def test_prose_lists_tables_and_fences_are_none(text: str) -> None:
    assert not is_source_code(text)


def test_brackets_with_a_blank_before_them_are_code_where_they_are_called_or_tested() -> None:
    assert is_source_code(
        'if (x > 0)\n    puts ("yes");\nelse if (y)\n    puts ("no");\nwhile (z)\n    z--;\n'
    )
    gnu = "int\nmain (int argc, char **argv)\n{\n  init (argc, argv);\n  parse (options, length);\n  finish (0);\n}\n"
    assert is_source_code(gnu)
    assert is_source_code(
        "from a import (b, c)\nassert (b, c)\ntry:\n    b()\nexcept (A, B):\n    raise (c)\n"
    )
    assert is_source_code("const all = one\n  .map(\n    (a) => a + 1,\n  )\n  .filter((b) => b > 2)\n")


def test_a_very_long_line_is_looked_at_only_at_its_start() -> None:
    assert is_source_code(PYTHON + "DATA = [" + "1, " * 300_000 + "]\n")
