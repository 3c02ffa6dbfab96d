"""The model is asked again which sentences bear its claims: in another order, under other ids, where that fits."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.evidence import evidence_of
from webrag_desktop.answering.checks.support import pointed_again
from webrag_desktop.answering.options import AnswerOptions
from webrag_desktop.progress import CancelToken
from webrag_desktop.servers.chat import ChatPiece, ChatRequest, ChatText
from webrag_desktop.servers.listing import Sight

EVIDENCE = evidence_of(
    "What do they do?", "Limpets: Limpets clamp. Limpets graze.", "Otters: Otters dive. Otters sleep."
)
TEXTS = {one.id: one.reads for one in EVIDENCE.sentences}
CLAIMS = {1: "They clamp.", 4: "They sleep."}


class Asked:
    """A model that answers with a reply, or names the sentences that hold these words; it keeps what it is asked."""

    name = "asked"

    def __init__(self, reply: str | dict[int, str]) -> None:
        self.reply = reply
        self.requests: list[ChatRequest] = []

    def context_tokens(self, cancel: CancelToken | None = None) -> int | None:
        return None

    def sight(self, cancel: CancelToken | None = None) -> Sight:
        return "unknown"

    @property
    def shown(self) -> dict[str, str]:
        """The sentences of the last request, by their ids."""
        reported: dict[str, Any] = json.loads(self.requests[-1].messages[1].content)
        return {one["id"]: one["text"] for one in reported["sentences"]}

    def stream(
        self, request: ChatRequest, *, seconds: float, cancel: CancelToken | None = None
    ) -> Iterator[ChatPiece]:
        self.requests.append(request)
        yield ChatText(self.reply if isinstance(self.reply, str) else self._named(self.reply))

    def _named(self, words: dict[int, str]) -> str:
        ids = {
            number: [id_ for id_, text in self.shown.items() if held in text]
            for number, held in words.items()
        }
        return json.dumps({"claims": [{"text": str(number), "ids": named} for number, named in ids.items()]})


def again(model: Asked, window: int | None = None) -> dict[int, tuple[str, ...]] | None:
    return pointed_again(model, EVIDENCE, CLAIMS, AnswerOptions(), window, None)


def test_sentences_come_in_another_order_under_other_ids_and_are_reported_by_their_first() -> None:
    model = Asked({1: "clamp", 4: "sleep"})
    found = again(model)
    assert found is not None
    assert {number: [TEXTS[id_] for id_ in ids] for number, ids in found.items()} == {
        1: ["Limpets clamp."],
        4: ["Otters sleep."],
    }
    assert sorted(model.shown.values()) == sorted(TEXTS.values())
    assert list(model.shown.values()) != list(TEXTS.values())
    assert all(TEXTS[id_] != text for id_, text in model.shown.items())


def test_a_claim_that_it_takes_back_points_at_nothing() -> None:
    found = again(Asked('{"claims": [{"text": "1", "ids": ["s1"]}, {"text": "4", "ids": ["none"]}]}'))
    assert found is not None
    assert found[4] == ()


@pytest.mark.parametrize(
    "reply", ["", "I agree.", '{"claims": []}', '{"claims": [{"text": "9", "ids": ["s1"]}]}']
)
def test_a_reply_that_points_at_nothing_says_nothing(reply: str) -> None:
    assert again(Asked(reply)) is None


def test_it_is_asked_only_where_its_window_holds_the_question() -> None:
    model = Asked({1: "clamp"})
    assert again(model, 512) is None
    assert model.requests == []
    assert again(model, 4096) is not None


def test_a_single_sentence_leaves_nothing_to_choose() -> None:
    model, alone = Asked({1: "clamp"}), evidence_of("?", "Limpets: Limpets clamp.")
    assert pointed_again(model, alone, CLAIMS, AnswerOptions(), None, None) is None
    assert model.requests == []
