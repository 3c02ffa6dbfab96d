"""Generated documents: markdown of every shape with the blocks that ingestion would give."""

from dataclasses import dataclass

from hypothesis import strategies as st

from webrag_desktop.models.documents import Block, ContentFlags

_PLAIN = [
    "forest",
    "max_depth",
    "Größe",
    "naïve",
    "ἀρχή",
    "шум",
    "שלום",
    "a",
    "3.14",
    "re-index",
    "end.",
    "Really?",
]
_MARKED = [
    "**bold**",
    "[link](https://example.org/a_b?c=d#e)",
    "`x = 1`",
    "&amp;",
    "\\*",
    "👩\u200d👧",
    "e\u0301",
]
WORDS = st.sampled_from([*_PLAIN, *_MARKED])
SENTENCES = st.lists(WORDS, min_size=1, max_size=30).map(" ".join)
CJK = st.text("検索拡張生成は文書を区切る。、東京都", min_size=1, max_size=200)
LONG_WORDS = st.builds(lambda char, n: char * n, st.sampled_from("aж漢🎉"), st.integers(50, 700))
LINES = st.lists(SENTENCES, min_size=1, max_size=6)
CODE_LINES = st.lists(
    st.one_of(
        SENTENCES, st.sampled_from(["# not a heading", "", "    return 1", "| a | b |", "## nor this"])
    ),
    max_size=25,
)


def _table(cells: list[list[str]]) -> str:
    rows = ["| a | b |", "| --- | --- |", *("| " + " | ".join(row) + " |" for row in cells)]
    return "\n".join(rows)


def _list(items: list[str], ordered: bool) -> str:
    return "\n".join(f"{f'{n}.' if ordered else '-'} {item}" for n, item in enumerate(items, 1))


@dataclass(frozen=True)
class Part:
    """One generated block: its markdown, its heading level (0 for none), and whether its HTML holds a formula."""

    text: str
    level: int = 0
    has_math: bool = False

    @property
    def title(self) -> str:
        """What a heading reads as."""
        return self.text.split("\n")[0].lstrip("# ")


HEADINGS = st.builds(
    lambda level, words: Part(f"{'#' * level} {' '.join(words)}", level),
    st.integers(1, 4),
    st.lists(st.sampled_from(["Forests", "Größe", "第一章", "1.2.", "Notes 🎉"]), min_size=1, max_size=4),
)
BODIES = st.one_of(
    SENTENCES.map(Part),
    CJK.map(Part),
    LONG_WORDS.map(Part),
    LINES.map("\n".join).map(Part),
    st.builds(_list, LINES, st.booleans()).map(Part),
    CODE_LINES.map(lambda lines: "\n".join(["```python", *lines, "```"])).map(Part),
    st.lists(st.lists(SENTENCES, min_size=2, max_size=2), max_size=12).map(_table).map(Part),
    st.sampled_from(["Note", "**Term**", "> quoted\n> twice", "---"]).map(Part),
    SENTENCES.map(lambda text: Part(text, has_math=True)),
)
GAPS = st.sampled_from(["\n\n", "\n\n", "\n\n\n", "\n \n"])


@dataclass(frozen=True)
class GeneratedDocument:
    """Markdown and its blocks."""

    markdown: str
    blocks: tuple[Block, ...]


def _document(parts: list[tuple[Part, str]], lead: str) -> GeneratedDocument:
    markdown, blocks, path = lead, [], list[tuple[int, str]]()
    for number, (part, gap) in enumerate(parts):
        if part.level:
            path = [*(entry for entry in path if entry[0] < part.level), (part.level, part.title)]
        tag = f"h{part.level}" if part.level else "p"
        blocks.append(
            Block(
                char_start=len(markdown),
                char_end=len(markdown) + len(part.text),
                html=f"<{tag}>{number}</{tag}>",
                heading_path=tuple(title for _, title in path),
                anchor=f"part-{number}" if part.level else None,
                flags=ContentFlags(has_math=part.has_math),
            )
        )
        markdown += part.text + gap
    return GeneratedDocument(markdown, tuple(blocks))


def is_heading(block: Block) -> bool:
    """Whether a generated block is a heading."""
    return (block.html or "").startswith("<h")


def is_section(block: Block) -> int:
    """1 or 2 where a generated block is a heading of that level, else 0."""
    html = block.html or ""
    return int(html[2]) if html.startswith(("<h1", "<h2")) else 0


DOCUMENTS = st.builds(
    _document,
    st.lists(st.tuples(st.one_of(HEADINGS, BODIES, BODIES), GAPS), min_size=1, max_size=25),
    st.sampled_from(["", "", "\n", "  \n\n"]),
)
_HARD_LINES = st.sampled_from(
    ["# no heading", "```", "~~~", "````", "| a | b |", "|---|---|", "", "    code", "<b>", "===", "- x"]
)
_HARD_CODE = st.lists(st.one_of(SENTENCES, _HARD_LINES), max_size=12).map("\n".join)
_RUNS = st.builds(
    lambda unit, n: unit * n,
    st.sampled_from(
        [
            "e\u0301",
            "👩\u200d👩\u200d👧",
            "क्षि",
            "a\u0300\u0323",
            "שָׁלוֹם ",
            "مرحبا بالعالم، ",
            "漢字",
            "\u0301",
            "ｗ１",
        ]
    ),
    st.integers(1, 120),
)


def _prefixed(prefix: str, following: str, text: str) -> str:
    return "\n".join((following if number else prefix) + line for number, line in enumerate(text.split("\n")))


def _huge_row(before: int, words: int, after: int) -> str:
    rows = [["a", "b"]] * before + [["word " * words, "b"]] + [["c", "d"]] * after
    return _table(rows)


HARD_BODIES = st.one_of(
    _RUNS.map(Part),
    _HARD_CODE.map(lambda code: f"`````\n{code}\n`````").map(Part),
    _HARD_CODE.map(lambda code: f"~~~ text\n```\n{code.replace('~~~', '')}\n```\n~~~").map(Part),
    _HARD_CODE.map(lambda code: _prefixed("- ", "  ", f"`````\n{code}\n`````")).map(Part),
    _HARD_CODE.map(lambda code: _prefixed("> ", "> ", f"`````\n{code}\n`````")).map(Part),
    _HARD_CODE.map(lambda code: f"`````\n{code}").map(Part),  # never closed
    st.builds(_huge_row, st.integers(0, 3), st.integers(1, 90), st.integers(0, 3)).map(Part),
    st.lists(SENTENCES, min_size=1, max_size=3).map(
        lambda lines: Part("<div>\n" + "\n".join(lines) + "\n# no heading\n</div>")
    ),
    st.builds(lambda line, n: line * n, SENTENCES, st.integers(1, 12)).map(Part),
    LINES.map("\r\n".join).map(Part),
    SENTENCES.map(lambda text: Part(f"1) {text}\n   1. {text}\n\nDeprecated since 3.1")),
)
_WORDS_OF_HEADINGS = st.lists(
    st.sampled_from(["Forests", "第一章", "שלום", "e\u0301"]), min_size=1, max_size=3
)
SETEXT = st.builds(
    lambda level, words: Part(f"{' '.join(words)}\n{'=-'[level - 1] * 3}", level),
    st.integers(1, 2),
    _WORDS_OF_HEADINGS,
)
DIFFICULT_DOCUMENTS = st.builds(
    _document,
    st.one_of(
        st.lists(
            st.tuples(st.one_of(HEADINGS, SETEXT, BODIES, HARD_BODIES, HARD_BODIES), GAPS),
            min_size=1,
            max_size=14,
        ),
        st.lists(st.tuples(st.one_of(HEADINGS, SETEXT), GAPS), min_size=1, max_size=60),
    ),
    st.sampled_from(["", "", "\n", "  \n\n"]),
)
ANY_TEXT = st.text(
    st.one_of(
        st.sampled_from("#`~|-*_>[](){}\\&;!.1 \n\t=<"),
        st.characters(codec="utf-8", exclude_characters="\r\0"),
    ),
    max_size=300,
)
