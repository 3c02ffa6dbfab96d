"""Claims are read while they are written, however loosely, and point at nothing that there is not."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webrag_desktop.answering.claims import reading
from webrag_desktop.answering.claims.reading import (
    MOST_CLAIM_CHARS,
    MOST_CLAIMS,
    MOST_IDS,
    MOST_REPLY_CHARS,
    ClaimMore,
    ClaimRead,
    ClaimReader,
)
from webrag_desktop.text.sentences import split_sentences

IDS = [f"s{number}" for number in range(1, 31)]
CLAMP, RETURN = ("Limpets clamp.", ("s3", "s4")), ("They return.", ("s5",))
REPLY = (
    '{"claims": [{"text": "Limpets clamp.", "ids": ["s3", "s4"]}, {"text": "They return.", "ids": ["s5"]}]}'
)
Claims = list[tuple[str, tuple[str, ...]]]


def read(reply: str, step: int = 1) -> list[ClaimRead]:
    """The claims of a reply that comes in pieces; what was reported on the way adds up to them."""
    reader = ClaimReader(IDS)
    pieces = [reply[at : at + step] for at in range(0, len(reply), step)]
    events = [event for piece in pieces for event in reader.feed(piece)] + reader.end()
    reported: dict[int, str] = {}
    for event in events:
        if isinstance(event, ClaimMore):
            reported[event.number] = reported.get(event.number, "") + event.text
        else:
            assert reported[event.number] == event.text
    found = [event for event in events if isinstance(event, ClaimRead)]
    assert [one.number for one in found] == list(range(1, len(found) + 1))
    return found


def claims(reply: str, step: int = 1) -> Claims:
    return [(one.text, one.ids) for one in read(reply, step)]


@pytest.mark.parametrize("step", [1, 7, 10_000])
@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (REPLY, [CLAMP, RETURN]),
        (f"```json\n{REPLY}\n```", [CLAMP, RETURN]),
        (f"Sure! Here are {{my}} claims [so far]:\n{REPLY}\nI hope that helps.", [CLAMP, RETURN]),
        (f'<think>{{"claims": [{{"text": "No.", "ids": []}}]}}</think>{REPLY}', [CLAMP, RETURN]),
        (f'Let me see {{"a" and</think>{REPLY}', [CLAMP, RETURN]),
        (REPLY.replace("]}", ",],}"), [CLAMP, RETURN]),
        (REPLY.replace('"', "'"), [CLAMP, RETURN]),
        (
            '{claims: [{text: "Limpets clamp.", ids: [s3, 4]}, {text: "They return.", ids: s5}]}',
            [CLAMP, RETURN],
        ),
        ('{"text": "Limpets clamp.", "ids": "s3, s4"}', [CLAMP]),
        (
            '[{"text": "Limpets clamp.", "ids": "[s3-s4]"}, {"claim": "They return.", "sources": 5}]',
            [CLAMP, RETURN],
        ),
        (
            '{"text": "Limpets clamp.", "ids": ["3", "4"]}\n{"text": "They return.", "ids": [5]}\n'
            '{"text": "They return.", "ids": [6]}',
            [CLAMP, RETURN],
        ),
        ('{"answer": {"claims": [{"text": "They return.", "ids": ["S05"]}]}}', [RETURN]),
        ('{"claims": {"text": "They return.", "ids": ["s5"]}}', [RETURN]),
        ('{"claims": [{"text": "They return [s5].", "ids": []}]}', [("They return [s5].", ("s5",))]),
        ('{"claims": [{"text": "They return."}]}', [("They return.", ())]),
        ('{"claims": ["They return."]}', [("They return.", ())]),
        ('{"claims": [{"text": "He says "so" to\tit", "ids": [5]}]}', [('He says "so" to\tit', ("s5",))]),
        (
            '{"claims": [{"text": "$\\frac{1}{2} \\times \\nu$\\nThe", "ids": [5]}]}',
            [("$\\frac{1}{2} \\times \\nu$\nThe", ("s5",))],
        ),
        (
            '{"claims": [{"text": "\\ud83d\\ude00 \\ud83d", "ids": [5]}]}',
            [("😀 \N{REPLACEMENT CHARACTER}", ("s5",))],
        ),
        ("Limpets clamp [s3, s4]. They return. [s5]", [CLAMP, RETURN]),
        ("# Answer\n\n- Limpets clamp [s3][s4].\n- They return (s5).\n", [CLAMP, RETURN]),
        (
            '{"claims": [{"text": "They return.", "ids": ["s5"]} oops }{"text": "Limpets clamp.", "ids": [3, 4]}]}',
            [RETURN, CLAMP],
        ),
        ('{"claims": []}', []),
        ("", []),
    ],
)
def test_claims_are_read_however_they_are_written(reply: str, expected: Claims, step: int) -> None:
    assert claims(reply, step) == expected


@pytest.mark.parametrize("step", [1, 7, 10_000])
@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["A.", "\n\nB.", "C."], ["A.", "\n\nB.", "C."]),
        (["A.\n \n", "B."], ["A.\n \n", "\n\nB."]),
        (["\n\nA.\n", " \nB."], ["A.\n", "\n\nB."]),
        ([" A.", " B.\n\nC.", " \n D."], ["A.", "B.\n\nC.", "D."]),
    ],
)
def test_a_blank_line_between_claims_begins_the_later_one(
    texts: list[str], expected: list[str], step: int
) -> None:
    reply = json.dumps({"claims": [{"text": text, "ids": ["s1"]} for text in texts]})
    assert [text for text, _ in claims(reply, step)] == expected


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        (["s99", "x3", "t4", "source 2"], ()),
        (["s7", "s7", "s8"], ("s7", "s8")),
        (IDS, ()),
        (IDS[:9], ()),
        (IDS[:8], tuple(IDS[:MOST_IDS])),
        ([{"id": "s4"}, [["s6"]]], ("s4", "s6")),
        (None, ()),
        (True, ()),
        ("s2 and s3", ("s2", "s3")),
        ("none", ()),
    ],
)
def test_ids_are_those_that_exist_and_a_handful_at_most(ids: object, expected: tuple[str, ...]) -> None:
    (claim,) = read(json.dumps({"claims": [{"text": "So it is.", "ids": ids}]}))
    assert claim.ids == expected
    assert claim.none == (ids == "none")


@pytest.mark.parametrize("length", range(len(REPLY)))
def test_what_is_cut_anywhere_leaves_what_came(length: int) -> None:
    found = read(REPLY[:length])
    for one, (text, ids) in zip(found, [CLAMP, RETURN], strict=False):
        assert text.startswith(one.text)
        assert one.text == text if one.whole else set(one.ids) <= set(ids)


def test_claims_have_an_end() -> None:
    assert len(read(json.dumps([{"text": f"Claim {n}.", "ids": []} for n in range(99)]))) == MOST_CLAIMS
    (long,) = read(json.dumps([{"text": "Limpets clamp. " * MOST_CLAIM_CHARS, "ids": ["s1"]}]), 999)
    assert MOST_CLAIM_CHARS - 15 < len(long.text) <= MOST_CLAIM_CHARS
    more = " " * MOST_REPLY_CHARS
    assert claims(f'{{"claims": [{{"text": "Limpets clamp.", "ids": ["s3", "s4"]}}, {more} {REPLY}', 999) == [
        CLAMP
    ]


def test_a_claim_is_reported_while_it_is_written() -> None:
    reader = ClaimReader(IDS)
    assert reader.feed('{"claims": [{"text": "Limpets') == [ClaimMore(1, "Limpets")]
    assert reader.feed(" clamp") == [ClaimMore(1, " clamp")]


@given(st.text(alphabet='{}[]",:\\ \n\'`<>/think scaluem123"ids', max_size=80), st.integers(1, 9))
def test_nothing_that_a_model_writes_breaks_the_reading(reply: str, step: int) -> None:
    for one in read(reply, step):
        assert set(one.ids) <= set(IDS)


ENDLESS = {
    "prose": "[s1] " + "a, " * 8_000,
    "one line of words": "[s1] " + "word " * 5_000,
    "claims": '{"claims":[' + '{"text":"a"},' * 2_000,
    "empty claims": '{"claims":[' + "{}," * 6_000,
    "brackets in a text": '{"claims":[{"text":"' + "}" * 20_000,
}


@pytest.mark.parametrize("step", [4, 100_000])
@pytest.mark.parametrize("kind", list(ENDLESS))
def test_reading_grows_with_the_reply_and_not_with_its_square(
    kind: str, step: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What has no end is not looked through from its beginning again and again."""
    looked_at = 0

    def counted(text: str) -> list[Any]:
        nonlocal looked_at
        looked_at += len(text)
        return split_sentences(text)

    def found(value: object, depth: int) -> Iterator[Any]:
        nonlocal looked_at
        looked_at += 1
        return claims_in(value, depth)

    claims_in = reading._claims_in
    monkeypatch.setattr(reading, "split_sentences", counted)
    monkeypatch.setattr(reading, "_claims_in", found)
    read(ENDLESS[kind], step)
    assert looked_at < 300 * len(ENDLESS[kind])
    if step > len(ENDLESS[kind]):
        assert looked_at < 20 * len(ENDLESS[kind])


def test_prose_that_comes_to_no_end_is_cut_into_claims() -> None:
    words = " ".join(f"word{number}" for number in range(1_000))
    found = read(f"[s1] {words}")
    assert len(found) > 3
    assert all(len(one.text) <= MOST_CLAIM_CHARS for one in found)
    assert " ".join(one.text for one in found) == words


def test_prose_is_read_to_its_ends_however_much_comes_at_once() -> None:
    sentences = [f"Limpet number {number} clamps [s{number % 9 + 1}]." for number in range(200)]
    assert claims(" ".join(sentences), 100_000) == claims(" ".join(sentences), 1)
