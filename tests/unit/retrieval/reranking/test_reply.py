"""Which replies are believed, and what is said of the others."""

import json

import pytest

from tests.support.reranking import candidates, judgement, reply_of
from webrag_desktop.retrieval.contracts.judgements import RerankResult
from webrag_desktop.retrieval.reranking.prompt import shown_passage
from webrag_desktop.retrieval.reranking.reply import read_reply
from webrag_desktop.servers.chat import ChatReply, UselessReplyError

PASSAGES = [shown_passage(one, 1200) for one in candidates("The ebb **comes** first.", "Then the flow.")]
GOOD = reply_of(judgement(100.0, "The ebb comes first.", answers=True), judgement(70, "Then the flow."))
NOT_JSON = "not the requested JSON"
NOT_BELIEVED = "The chat model's judgement "
NOT_ONCE = "did not judge every passage exactly once"


def read(text: str, *, strict: bool = True, cut: bool = False) -> list[RerankResult]:
    return read_reply(ChatReply(text, cut), PASSAGES, strict=strict)


def test_a_good_reply_gives_each_judgement_with_its_evidence_as_it_stands_in_the_text() -> None:
    first, second = read(GOOD)
    assert (first.chunk_id, first.relevance_score, first.answerability) == (PASSAGES[0].chunk_id, 100.0, True)
    assert first.key_evidence == "The ebb **comes** first."
    assert (second.relevance_score, second.answerability, second.key_evidence) == (
        70,
        False,
        "Then the flow.",
    )
    assert [one.evidence_dropped for one in (first, second)] == [False, False]


@pytest.mark.parametrize(
    "packed",
    [
        f"```json\n{GOOD}\n```",
        f"```\n{GOOD}```",
        f"\n\ufeff {GOOD}\n",
        f"```JSON\n{json.dumps(json.loads(GOOD), indent=2)}\n```\n",
    ],
)
def test_a_fence_around_the_whole_is_only_packaging(packed: str) -> None:
    assert read(packed) == read(GOOD)


@pytest.mark.parametrize(
    "said",
    [
        f"Here you are {{really}}: {GOOD} Anything else?",
        f'<think>{{"results": 1}}</think>{GOOD}',
        f"Sure!\n```json\n{GOOD}\n```\nDone.",
    ],
)
def test_words_around_it_are_looked_past_only_where_that_is_allowed(said: str) -> None:
    assert read(said, strict=False) == read(GOOD)
    with pytest.raises(UselessReplyError, match=NOT_JSON):
        read(said)


def test_of_several_judgements_the_last_counts() -> None:
    draft = reply_of(judgement(0), judgement(0))
    example = reply_of(judgement(70))
    for before in (draft, example, f"<think>{draft} {example}</think>"):
        assert read(f"{before} So: {GOOD} That {{is}} all.", strict=False) == read(GOOD)
    with pytest.raises(UselessReplyError, match="a relevance_score of 101, which is not from 0 to 100"):
        read(f"{GOOD} No: {reply_of(judgement(101), judgement(0))}", strict=False)


@pytest.mark.parametrize(
    "wrong",
    [
        {"relevance_score": 101},
        {"relevance_score": -1},
        {"relevance_score": float("nan")},
        {"relevance_score": "70"},
        {"relevance_score": True},
        {"relevance_score": None},
        {"answerability": "yes"},
        {"answerability": 1},
        {"key_evidence": 7},
    ],
)
@pytest.mark.parametrize("strict", [True, False])
def test_one_value_that_cannot_be_is_enough_to_believe_none(wrong: dict[str, object], strict: bool) -> None:
    (name,) = wrong
    with pytest.raises(UselessReplyError, match=rf"{NOT_BELIEVED}holds .*\b{name}\b"):
        read(reply_of(judgement(70) | wrong, judgement(70)), strict=strict)


@pytest.mark.parametrize("strict", [True, False])
def test_a_million_names_are_refused_by_the_first(strict: bool) -> None:
    with pytest.raises(UselessReplyError, match=f"{NOT_ONCE}: it names a passage x0,") as failure:
        read(json.dumps({"results": {f"x{number}": {"a": 1} for number in range(1_000_000)}}), strict=strict)
    assert failure.value.__cause__ is None


@pytest.mark.parametrize("name", ["relevance_score", "answerability", "key_evidence"])
def test_nor_is_one_believed_that_leaves_something_out(name: str) -> None:
    lacking = {key: value for key, value in judgement(70).items() if key != name}
    with pytest.raises(UselessReplyError, match=f"{NOT_BELIEVED}lacks {name} of a passage"):
        read(reply_of(lacking, judgement(70)))


@pytest.mark.parametrize(
    ("numbers", "reported"),
    [
        ((), "left out 2 of 2"),
        (("1",), "left out 1 of 2"),
        (("1", "2", "3"), "names a passage 3, and was shown 1 to 2"),
        (("0", "1"), "names a passage 0"),
        (("01", "2"), "names a passage 01"),
        (("-1", "2"), "names a passage -1"),
        (("1", "2", "x\x1b\u202e" * 99), "names a passage xxx"),
    ],
    ids=range(7),
)
def test_every_passage_has_to_be_judged_once_and_no_other(numbers: tuple[str, ...], reported: str) -> None:
    with pytest.raises(UselessReplyError, match=f"{NOT_ONCE}: it {reported}") as failure:
        read(json.dumps({"results": {number: judgement(50) for number in numbers}}))
    assert not failure.value.transient  # the model would say the same to the same
    assert len(failure.value.message) < 150


@pytest.mark.parametrize("strict", [True, False])
def test_a_passage_that_is_judged_twice_is_not_judged(strict: bool) -> None:
    with pytest.raises(UselessReplyError, match=NOT_JSON):
        read(GOOD.replace('"2": ', '"1": '), strict=strict)


@pytest.mark.parametrize("listed", ['{"results": [1, 2]}', '{"results": null}', "[]", '{"1": {}, "2": {}}'])
@pytest.mark.parametrize("strict", [True, False])
def test_judgements_of_another_shape_are_none(listed: str, strict: bool) -> None:
    with pytest.raises(UselessReplyError, match=NOT_JSON):
        read(listed, strict=strict)


@pytest.mark.parametrize("at", range(1, len(GOOD), 7))
@pytest.mark.parametrize("strict", [True, False])
def test_a_reply_that_ends_early_is_not_believed(at: int, strict: bool) -> None:
    with pytest.raises(UselessReplyError, match=NOT_JSON):
        read(GOOD[:at], strict=strict)


def test_a_reply_that_the_server_cut_is_not_even_read() -> None:
    with pytest.raises(UselessReplyError, match="cut off") as failure:
        read(GOOD, cut=True)
    assert "larger context" in failure.value.hint


@pytest.mark.parametrize("said", ["The ebb comes last.", "Then the flow.", "…"])
def test_evidence_of_another_passage_or_of_none_is_dropped_and_said_so(said: str) -> None:
    first, _ = read(reply_of(judgement(100, said, answers=True), judgement(0)))
    assert (first.key_evidence, first.evidence_dropped) == ("", True)
    assert (first.relevance_score, first.answerability) == (100, True)


def test_no_evidence_is_nothing_dropped() -> None:
    for none in ("", " "):
        first, second = read(reply_of(judgement(0), judgement(0, none)))
        assert (first.key_evidence, first.evidence_dropped) == ("", False)
        assert (second.key_evidence, second.evidence_dropped) == ("", False)


ALMOST = {
    "a reason": (
        reply_of(judgement(0), judgement(0) | {"reason": "It does."}),
        "reason, which was not requested",
    ),
    "no words": (
        reply_of(judgement(0), judgement(0) | {"key_evidence": None}),
        "a wrong value for key_evidence",
    ),
    "a remark": (json.dumps(json.loads(GOOD) | {"remark": "Done."}), "remark, which was not requested"),
}


@pytest.mark.parametrize(("said", "wrong"), ALMOST.values(), ids=ALMOST)
def test_what_the_schema_does_not_allow_is_looked_past_only_where_json_need_not_be_strict(
    said: str, wrong: str
) -> None:
    assert [one.evidence_dropped for one in read(said, strict=False)] == [False, False]
    with pytest.raises(UselessReplyError, match=f"{NOT_BELIEVED}holds {wrong}") as failure:
        read(said)
    assert "RETRIEVAL_RERANK_STRICT_JSON_OUTPUT" in failure.value.hint


@pytest.mark.parametrize("said", ["Sorry?", reply_of(judgement(101), judgement(0))])
@pytest.mark.parametrize("strict", [True, False])
def test_where_it_would_not_help_nobody_is_advised_that_json_need_not_be_strict(
    said: str, strict: bool
) -> None:
    with pytest.raises(UselessReplyError, match=NOT_BELIEVED) as failure:
        read(said, strict=strict)
    assert "STRICT_JSON_OUTPUT" not in failure.value.hint
