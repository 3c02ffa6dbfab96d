"""Replies in parts: each within its room, all of them together the whole, character for character."""

import json
from dataclasses import replace
from itertools import groupby
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webrag_desktop import open_tokenizer
from webrag_desktop.errors import InputError
from webrag_desktop.mcp.cursors import Cursor
from webrag_desktop.mcp.replies import LEAST_TOKENS, Item, Part, Reply, part_of
from webrag_desktop.models.citations import CiteId

BEGIN = Cursor("0" * 12, "", 0, 0)
VERSION = UUID("0f3a91b2-0d4c-4e18-8000-000000000000")
LETTERS = st.characters(codec="utf-8", exclude_categories=["Cs"])
TEXTS = st.lists(st.text(LETTERS, max_size=3000) | st.text('ab \n"\\', max_size=9000), min_size=1, max_size=5)


def count(text: str) -> int:
    return open_tokenizer("cl100k_base").count(text)


def reply_of(texts: list[str], listed: str = "items") -> Reply:
    items = [Item({"number": n}, f"[{n}]", text) for n, text in enumerate(texts)]
    return Reply({"about": "all"}, "All of it.", items, listed, "abc123")


def parts(reply: Reply, max_tokens: int) -> list[Part]:
    found, at = [], BEGIN
    while True:
        found.append(part_of(reply, at, max_tokens, count))
        if "cursor" not in found[-1].data:
            return found
        at = Cursor.parse(found[-1].data["cursor"])


@given(TEXTS, st.integers(LEAST_TOKENS, 1500))
def test_all_parts_are_the_whole_and_each_keeps_to_its_room(texts: list[str], max_tokens: int) -> None:
    found = parts(reply_of(texts), max_tokens)
    items = [item for part in found for item in part.data["items"]]
    whole = {
        n: "".join(item["text"] for item in group) for n, group in groupby(items, lambda one: one["number"])
    }
    assert [*whole.values()] == texts
    for part in found:
        data = json.dumps(part.data, ensure_ascii=False, separators=(",", ":"))
        assert count(data) + count(part.text) <= max_tokens
        assert all(item["text"] in part.text for item in part.data["items"])


def test_a_part_tells_which_characters_it_holds_and_is_cited_as_just_these() -> None:
    text = "Limpets clamp their shells to the rock. " * 200
    place = CiteId.of(VERSION, 50, 50 + len(text))
    reply = Reply({}, "", [Item({"cite": str(place)}, "Tides", text, "text", place)], "")
    found = parts(reply, LEAST_TOKENS)
    assert len(found) > 3
    for part in found:
        start, end, whole = part.data["part"]
        assert (part.data["text"], whole) == (text[start:end], len(text))
        assert part.data["cite"] == f"{place.version}.{50 + start}-{50 + end}"
        assert f"webrag://cite/{part.data['cite']}" in part.text
        assert part.data["text"].endswith(" ")  # not within a word


def test_one_endless_word_does_not_count_as_a_single_token() -> None:
    unknown = open_tokenizer("bert-base-uncased")
    part = part_of(reply_of(["q" * 1_000_000]), BEGIN, LEAST_TOKENS, unknown.count)
    assert len(part.text) < LEAST_TOKENS * 10


def test_a_tokenizer_that_counts_more_for_all_than_for_its_parts_is_kept_to() -> None:
    def growing(text: str) -> int:
        return len(text) // 4 + len(text) ** 2 // 20_000

    reply = reply_of(["Limpets hold on. " * 12] * 30)
    for most in (LEAST_TOKENS, 900, 1600):
        part = part_of(reply, BEGIN, most, growing)
        assert part.data["items"]
        assert part.tokens(growing) <= most


def test_a_part_that_has_room_for_nothing_is_refused() -> None:
    with pytest.raises(InputError, match="Nothing of the reply fits"):
        part_of(Reply({}, "", [Item({"title": "x " * 500}, "x")], "items"), BEGIN, LEAST_TOKENS, count)


@pytest.mark.parametrize("tokens", [-1, 0, LEAST_TOKENS - 1, 10**12])
def test_room_that_cannot_be_is_refused(tokens: int) -> None:
    with pytest.raises(InputError, match="max_tokens is"):
        part_of(reply_of(["text"]), BEGIN, tokens, count)


def test_another_state_of_the_library_is_reported() -> None:
    with pytest.raises(InputError, match="has changed"):
        part_of(reply_of(["text"]), replace(BEGIN, state="fff"), LEAST_TOKENS, count)


@pytest.mark.parametrize(("item", "start"), [(1, 0), (0, 5), (9, 9)])
def test_a_cursor_behind_the_end_is_refused(item: int, start: int) -> None:
    with pytest.raises(InputError, match="behind the end"):
        part_of(reply_of(["text"]), replace(BEGIN, item=item, start=start), LEAST_TOKENS, count)


def test_a_reply_without_items_is_one_part() -> None:
    part = part_of(reply_of([]), BEGIN, LEAST_TOKENS, count)
    assert part.data == {"about": "all", "items": []}
