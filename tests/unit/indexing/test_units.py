"""Code, lists, definition lists and tables are cut where their own units meet."""

from hashlib import sha256

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.chunk_checks import check_chunks
from tests.support.tokenizers import WordTokenizer
from webrag_desktop.indexing.chunking import ALGORITHM, EARLIER, ChunkingOptions
from webrag_desktop.indexing.splitting import TokenRuler

SMALL = ChunkingOptions(window_tokens=60, child_tokens=20, parent_tokens=60)
TIGHT = ChunkingOptions(window_tokens=20, child_tokens=20, parent_tokens=60)


def children(markdown: str, options: ChunkingOptions = SMALL) -> list[str]:
    chunks = check_chunks(markdown, (), WordTokenizer(), options)
    return [one.chunk_text for one in chunks if one.level == "child"]


def function(name: str, lines: int) -> str:
    body = "\n".join(f"    total += add({name}, {line})" for line in range(lines))
    return f"# Adds to {name}. Often.\ndef {name}(total):\n{body}\n    return total\n"


FUNCTIONS = st.lists(st.integers(1, 6), min_size=2, max_size=8).map(
    lambda sizes: [function(f"name_{place}", lines) for place, lines in enumerate(sizes)]
)


@given(FUNCTIONS, st.sampled_from(["\n", "\n\n"]), st.booleans())
@settings(deadline=None)
def test_a_function_that_fits_a_child_is_not_cut(functions: list[str], between: str, fenced: bool) -> None:
    code = between.join(functions)
    markdown = f"```python\n{code}```\n" if fenced else code
    ruler, position = TokenRuler(markdown, WordTokenizer()), 0
    cuts = starts(children(markdown, TIGHT))
    for one in functions:
        at = markdown.index(one, position)
        position = at + len(one)
        # The marks of a fence belong to the code beside them.
        first, last = one is functions[0], one is functions[-1]
        start = 0 if first else at
        end = len(markdown) if last else position
        if ruler.weight(start, end) <= TIGHT.child_limit:
            assert not any(at < cut < position for cut in cuts)


ITEMS = st.lists(st.integers(1, 14), min_size=3, max_size=12)


@given(ITEMS, st.sampled_from(["-", "*", "1."]), st.booleans())
@settings(deadline=None)
def test_an_item_that_fits_a_child_is_not_cut(sizes: list[int], mark: str, loose: bool) -> None:
    items = [
        f"{mark} item {'word ' * size}ends.\n{' ' * (len(mark) + 1)}It goes on. {place}\n"
        for place, size in enumerate(sizes)
    ]
    markdown = ("\n" if loose else "").join(items)
    cuts = starts(children(markdown, SMALL))
    for place, item in enumerate(items):
        at = sum(len(one) + loose for one in items[:place])
        if TokenRuler(markdown, WordTokenizer()).weight(at, at + len(item)) <= SMALL.child_limit:
            assert not any(at < cut < at + len(item) for cut in cuts)


def test_an_item_of_two_paragraphs_stays_whole_where_it_fits() -> None:
    filling = "- " + "word " * 13
    item = "- The second item.\n\n  Its second paragraph.\n\n      its code\n"
    markdown = f"{filling}\n\n{item}\n{filling}\n"
    assert any(item.strip() in one for one in children(markdown))
    assert any(item.strip() in one for one in children(f"# Title\n\n{markdown}"))


@given(st.lists(st.integers(1, 8), min_size=2, max_size=8), st.sampled_from(["", "\n"]), st.booleans())
@settings(deadline=None)
def test_a_term_stays_with_its_definition(sizes: list[int], between: str, loose: bool) -> None:
    entries = [f"Term {place}\n{between}: It {'is ' * size}so.\n" for place, size in enumerate(sizes)]
    markdown = ("\n" if loose or between else "").join(entries)
    cuts = starts(children(markdown, SMALL))
    for place in range(len(sizes)):
        at = markdown.index(f"Term {place}\n")
        assert not any(at < cut <= markdown.index(":", at) for cut in cuts)


def test_a_term_in_bold_stays_with_its_definition() -> None:
    markdown = "".join(f"**term {place}**\n\nIt is {'so ' * 9}here.\n\n" for place in range(6))
    assert all(one.startswith("**term") for one in children(markdown))


def test_a_table_is_cut_between_rows_alone() -> None:
    rows = [f"| row {place} | {'cell ' * 5}|" for place in range(9)]
    table = "\n".join(["| name | words |", "|---|---|", *rows])
    found = children(table)
    assert len(found) > 2
    assert all(line in table.split("\n") for one in found for line in one.strip().split("\n"))


def test_code_that_does_not_fit_is_cut_at_its_own_joints() -> None:
    body = "\n\n".join(f"    step {place} = go({place})\n    if step:\n        stop()" for place in range(8))
    code = f"```python\ndef long():\n{body}\n```\n"
    found = children(code, TIGHT)
    assert len(found) > 2
    assert found[0].startswith("```python\ndef long():\n    step 0")
    assert all(one.startswith("    step") for one in found[2:])
    assert all(one.endswith("\n\n") for one in found[1:-1])


def test_libraries_of_before_are_cut_as_before() -> None:
    """What is added to them must be cut by the rules that their space names, until they are moved."""
    functions = "\n\n".join(function(f"name_{place}", 3) for place in range(4))
    earlier = ChunkingOptions(window_tokens=20, child_tokens=20, parent_tokens=60, rules=EARLIER)
    assert children(functions, TIGHT) != children(functions, earlier)
    assert not any(one.flags.has_code for one in check_chunks(functions, (), WordTokenizer(), earlier))


def starts(texts: list[str]) -> list[int]:
    """Where each but the first of consecutive texts begins."""
    found = [0]
    for one in texts:
        found.append(found[-1] + len(one))
    return found[1:-1]


def test_rules_that_cut_units_otherwise_have_another_number() -> None:
    """Raise ALGORITHM when this fails, and name its new cuts here: equal names must cut alike."""
    functions = "\n".join(function(f"name_{place}", place) for place in range(7))
    items = "".join(f"- Item {place}.\n  It goes on, {'and on ' * place}.\n" for place in range(7))
    terms = "".join(f"Term {place}\n: It is {'so ' * place}.\n\n" for place in range(7))
    cuts = [starts(children(text, TIGHT)) for text in (functions, f"```\n{functions}```\n", items, terms)]
    assert f"{ALGORITHM} {sha256(repr(cuts).encode()).hexdigest()[:16]}" == "headings-4 ab77bbd816c50c69"
