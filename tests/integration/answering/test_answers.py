"""Answers from a real library by a chat server on the real streaming protocol that misbehaves on purpose.

Whatever a model says: what is shown as a quotation stands in a stored text, at the offsets that its citation names.
"""

import json
import random
import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import pytest

from tests.support.chat_streams import cut, dripping, fails, refusing, silent, streamed, thinking
from tests.support.command_line import Program, ProgramHere, program
from tests.support.shore import CLAMP, GROUND, QUESTION, Json, Model, id_of, shore_notes
from tests.support.tested_model import TESTED_MODEL
from webrag_desktop import DataFolder, Library
from webrag_desktop.answering.answering import FEWER
from webrag_desktop.answering.claims.wording import MARKS
from webrag_desktop.config import Settings
from webrag_desktop.errors import InputError
from webrag_desktop.progress import CancelToken
from webrag_desktop.retrieval.contracts.answer_events import (
    Answer,
    AnswerClaim,
    AnswerEvent,
    ClaimChecked,
    ClaimText,
    ClaimWritten,
    Ended,
    Sources,
    Started,
)
from webrag_desktop.retrieval.contracts.answers import Query, SelectedFrom
from webrag_desktop.retrieval.contracts.filters import SearchFilters
from webrag_desktop.text.plain_text import project


@pytest.fixture(scope="module")
def webrag(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    with program(ProgramHere) as started:
        started.answer("add", "--json", *shore_notes(tmp_path_factory.mktemp("notes")))
        yield started


@pytest.fixture
def model() -> Iterator[Model]:
    teller = Model()
    with teller.server:
        yield teller


@pytest.fixture
def library(webrag: Program, model: Model) -> Iterator[Library]:
    settings = Settings.of(
        WEBRAG_HOME=webrag.home,
        EMBEDDING_BACKEND="embedded",
        EMBEDDING_MODEL=TESTED_MODEL,
        CHAT_BASE_URL=model.server.url,
        CHAT_MODEL="teller",
    )
    with DataFolder(settings).open() as opened:
        yield opened


def ended(events: Sequence[AnswerEvent]) -> Answer:
    assert isinstance(events[-1], Ended)
    return events[-1].answer


def asked(library: Library, question: str | Query = QUESTION, **more: Any) -> Answer:
    """The answer, after a look at everything that was shown on the way."""
    events = list(library.answer(question, **more))
    check_shown(library, events)
    return ended(events)


def check_shown(library: Library, events: Sequence[AnswerEvent]) -> None:
    """Order of events; no quotation that does not stand in a stored text; words that stay."""
    assert isinstance(events[0], Sources)
    kinds = [event.type for event in events]
    assert kinds.count("answer.started") == kinds.count("answer.ended") == 1
    assert kinds[-1] == "answer.ended"
    shown: dict[int, str] = {}
    for event in events:
        if isinstance(event, ClaimText):
            shown[event.claim] = shown.get(event.claim, "") + event.text
        elif isinstance(event, (ClaimWritten, ClaimChecked)):
            assert event.claim.text == shown[event.claim.number]
            check_claim(library, event.claim, {one.number: one for one in event.citations})
    answer = ended(events)
    listed = {one.number: one for one in answer.citations}
    assert list(listed) == list(range(1, len(listed) + 1))
    for claim in answer.claims:
        assert claim.text == shown[claim.number]
        check_claim(library, claim, listed)


def written(answer: Answer) -> list[AnswerClaim]:
    """What the model said."""
    return [claim for claim in answer.claims if claim.by == "model"]


def check_claim(library: Library, claim: AnswerClaim, citations: dict[int, Any]) -> None:
    for number in claim.citations:
        check_span(library, citations[number])
    for part in claim.parts:
        if part.kind == "verified_quote":
            assert part.citation is not None
            span = check_span(library, citations[part.citation])
            bare = part.text[1:-1]
            assert all(words in " ".join(project(span).text.split()) for words in bare.split(" […] "))
        else:
            bare = re.sub(r"(?<=[^\W_])['’＇]|['’＇](?=\d)", "", part.text)  # apostrophes, and the '90s
            assert [char for char in bare if char in MARKS] == [], part
            assert not re.search(r"\[s\d+\]|\[Source|[\u202a-\u202e\x00-\x08\x1b]", part.text)


def check_span(library: Library, citation: Any) -> str:
    span = citation.span
    if span.version_id is None:
        return str(span.verbatim_text)
    version = library.documents.text(citation.document_id)
    assert version is not None
    assert version.markdown[span.char_start : span.char_end] == span.verbatim_text
    return str(span.verbatim_text)


# -- What goes well --------------------------------------------------------------------------------------------------


def test_claims_come_with_the_sentences_that_bear_them(library: Library, model: Model) -> None:
    model.claims(
        ("They clamp their shells to the rock at low tide.", ["Limpets clamp"]),
        ("Each shell is ground to fit one place.", ["has ground"]),
    )
    events = list(library.answer(QUESTION))
    check_shown(library, events)
    answer = ended(events)
    assert (answer.outcome, answer.kind, answer.model, answer.basis) == (
        "complete",
        "model",
        "teller",
        "full_context",
    )
    assert [claim.support for claim in answer.claims] == ["supported", "supported"]
    assert [one.span.verbatim_text for one in answer.citations] == [CLAMP, GROUND]
    assert answer.citations[0].reference.endswith("tides.md#Low tide]")
    assert answer.citations[0].heading_path[-1:] == ("Low tide",)
    assert answer.references == [answer.citations[0].reference]
    (started,) = (event for event in events if isinstance(event, Started))
    assert (started.documents, started.kind) == (3, "model")
    texts = [event for event in events if isinstance(event, ClaimText) and event.claim == 1]
    assert len(texts) > 3  # it is shown while it is written


def test_without_a_model_the_best_sentences_are_the_answer(library: Library, model: Model) -> None:
    answer = asked(library, with_model=False)
    assert (answer.kind, answer.model, answer.outcome) == ("extract", None, "complete")
    assert CLAMP in " ".join(claim.text for claim in answer.claims)
    assert all(claim.support == "supported" and claim.citations for claim in answer.claims)
    assert all(one.attribution_only for one in answer.citations)
    assert model.server.received == []


def test_nothing_found_is_refused_without_asking_the_model(library: Library, model: Model) -> None:
    answer = asked(library, filters=SearchFilters(doc_types=("pdf",)))
    assert (answer.outcome, answer.claims) == ("refused", [])
    assert answer.refusal is not None
    assert model.server.received == []


def test_an_empty_question_is_refused_at_once(library: Library) -> None:
    with pytest.raises(InputError):
        library.answer("  ")


def test_what_was_answered_is_kept_and_can_be_forgotten(library: Library, model: Model) -> None:
    library.answers.clear()
    model.claims(("They clamp their shells to the rock.", ["Limpets clamp"]))
    first, second = (list(library.answer(question))[-1] for question in (QUESTION, "Who clamps\0\ud800?"))
    assert list(library.answer("And this?", keep=False))[-1].kept_as is None  # type: ignore[union-attr]
    kept = library.answers.all()
    assert [one.answer.question for one in kept] == ["Who clamps\ufffd\ufffd?", QUESTION]
    assert isinstance(first, Ended)
    assert isinstance(second, Ended)
    assert kept[1].answer == first.answer == library.answers.get(first.kept_as or "").answer
    assert library.answers.get(str(first.kept_as)[:8]).id == first.kept_as
    library.answers.remove(str(first.kept_as))
    assert [one.id for one in library.answers.all()] == [second.kept_as]
    assert library.answers.clear() == 1


def test_a_selected_text_is_all_there_is(library: Library, model: Model) -> None:
    letter = "Dear sea, the **limpets** wrote this. They signed it at dawn."
    model.claims(
        ("The limpets signed it at dawn, “the limpets wrote this” and “clamp their shells”.", ["signed"])
    )
    query = Query(
        question="Who signed it?",
        mode="selected_text_only",
        selected_text=letter,
        source_doc_path="letter.txt",
        source_section="End",
    )
    answer = asked(library, query)
    assert answer.basis == "selected_text_only"
    (claim,) = answer.claims
    assert [part.text for part in claim.parts if part.kind == "verified_quote"] == [
        "“the limpets wrote this”"
    ]
    assert [part.text for part in claim.parts if part.kind == "unverified"] == ["clamp their shells"]
    assert "They signed it at dawn." in [one.span.verbatim_text for one in answer.citations]
    assert answer.references == ["[letter.txt#End]"]


def test_a_selection_of_the_library_is_cited_in_its_document(library: Library, model: Model) -> None:
    document = next(row for row in library.documents.all() if row.title == "Tides")
    version = library.documents.text(document.id)
    assert version is not None
    start = version.markdown.index(GROUND)
    model.claims(("It returns after grazing.", ["has ground"]))
    answer = asked(
        library,
        Query(question="Where does it go?", mode="selected_text_only", selected_text="x"),
        selected_from=SelectedFrom(version.id, start, start + len(GROUND)),
    )
    (citation,) = answer.citations
    assert (citation.document_id, citation.span.char_start) == (document.id, start)
    assert citation.span.section_heading == "Low tide"


# -- What the model gets wrong ---------------------------------------------------------------------------------------


MARKED = (
    "“{}”",
    '"{}"',
    "«{}»",
    "„{}“",
    "‘{}’",
    "'{}'",
    "`{}`",
    "&quot;{}&quot;",
    "<q>{}</q>",
    "> {}",
    "“{}",
)


@pytest.mark.parametrize(
    "quoted",
    [
        "Limpets clamp their shells to the sand at low tide",  # a word
        "12 of 41 shells",  # a digit
        "shells on Rough Head",  # a name
        "Mussels do move at low tide",  # a negation
        "Limpets clamp their shells to the rock and sleep on their backs",  # two sentences
        "Limpets are immortal",  # invented
        "immortal",
    ],
)
def test_what_stands_nowhere_is_no_quotation(library: Library, model: Model, quoted: str) -> None:
    model.claims(*((marks.format(f"{quoted} {n}"), ["Limpets clamp"]) for n, marks in enumerate(MARKED)))
    answer = asked(library, keep=False)
    assert len(written(answer)) == len(MARKED)
    for n, claim in enumerate(written(answer)):
        assert [(part.kind, part.text) for part in claim.parts] == [("unverified", f"{quoted} {n}")]
        assert claim.support != "supported"
        assert ("quotation", f"{quoted} {n}") in [(one.kind, one.text) for one in claim.warnings]


def test_true_quotations_are_cut_from_the_text(library: Library, model: Model) -> None:
    model.claims(
        ("They “clamp their shells to the rock,” he says.", ["Limpets clamp"]),
        ("The sea is “calm and grey”.", ["Otters swim"]),
        (CLAMP, ["Limpets clamp"]),
    )
    answer = asked(library)
    quotes = [part.text for claim in answer.claims for part in claim.parts if part.kind == "verified_quote"]
    assert quotes == ["“clamp their shells to the rock”", "“calm and grey”"]
    assert [one.attribution_only for one in answer.citations] == [
        True,
        False,
    ]  # the prose says the first word for word


def test_a_quotation_may_come_from_anywhere_in_the_memory(library: Library, model: Model) -> None:
    tides, otters = (
        next(row.id for row in library.documents.all() if row.title == title) for title in ("Tides", "Otters")
    )
    model.claims(("They “sleep on their backs” and “calm”.", ["Limpets clamp"]))
    answer = asked(library, filters=SearchFilters(documents=(tides,)))
    parts = [(part.kind, part.text) for part in answer.claims[0].parts if part.kind != "text"]
    assert parts == [("verified_quote", "“sleep on their backs”"), ("unverified", "calm")]
    quoted = answer.citations[0]
    assert (quoted.document_id, quoted.span.verbatim_text) == (otters, "sleep on their backs")
    assert quoted.attribution_only


@pytest.mark.parametrize(
    ("text", "lacking"),
    [
        ("14 of 40 shells on Brough Head held water for 6 hours.", ("number", "14")),
        ("12 of 40 shells on Brough Head held water for 6 days.", ("number", "6 days")),
        ("12 of 40 shells on Marwick Head held water for 6 hours.", ("name", "Marwick Head")),
        ("Mussels move at low tide.", ("negation", "not")),
    ],
)
def test_what_its_sentences_lack_makes_a_claim_doubtful(
    library: Library, model: Model, text: str, lacking: tuple[str, str]
) -> None:
    model.claims((text, ["Mussels do not"]))
    (claim,) = written(asked(library, keep=False))
    assert claim.support == "doubtful"
    assert lacking in [(one.kind, one.text) for one in claim.warnings]
    assert claim.citations  # the sentence is shown all the same


def test_foreign_ids_point_nowhere(library: Library, model: Model) -> None:
    model.claims(("Penguins dance on Mars every Sunday.", ["s99", "x1"]))
    answer = asked(library)
    said, *added = answer.claims
    assert (said.support, said.citations) == ("unsupported", ())
    assert [claim.by for claim in added] == ["search"] * len(
        answer.citations
    )  # nothing is cited beside these


def test_who_points_at_everything_points_at_nothing(library: Library, model: Model) -> None:
    model.claims(("Penguins dance on Mars every Sunday.", [f"s{n}" for n in range(1, 31)]))
    assert [claim.support for claim in written(asked(library))] == ["unsupported"]


def test_the_best_sentence_takes_the_place_of_a_wrong_one(library: Library, model: Model) -> None:
    model.claims((CLAMP.replace("and so they survive", "and survive"), ["sleep on their backs"]))
    (citation,) = asked(library).citations
    assert citation.span.verbatim_text == CLAMP


def test_ids_that_flip_are_dropped(library: Library, model: Model) -> None:
    model.claims(("Limpets clamp their shells to the rock.", ["Limpets clamp", "sleep on their backs"]))
    events = list(library.answer(QUESTION))
    check_shown(library, events)
    (written,) = (event for event in events if isinstance(event, ClaimWritten))
    (checked,) = (event for event in events if isinstance(event, ClaimChecked))
    assert (len(written.claim.citations), len(checked.claim.citations)) == (2, 1)
    assert [one.span.verbatim_text for one in ended(events).citations] == [CLAMP]
    first, again = (payload["messages"][1]["content"] for payload in model.server.payloads)
    sentences = {one["text"]: one["id"] for one in json.loads(again)["sentences"]}
    assert any(f"[{id_}] {text[:20]}" not in first for text, id_ in sentences.items())  # under other ids


def test_nothing_is_asked_again_where_the_setting_says_so(webrag: Program, model: Model) -> None:
    model.claims(("Limpets clamp their shells to the rock.", ["Limpets clamp"]))
    settings = Settings.of(
        WEBRAG_HOME=webrag.home,
        EMBEDDING_BACKEND="embedded",
        EMBEDDING_MODEL=TESTED_MODEL,
        CHAT_BASE_URL=model.server.url,
        CHAT_MODEL="teller",
        CHAT_CHECK_AGAIN=False,
    )
    with DataFolder(settings).open() as library:
        assert asked(library).outcome == "complete"
    assert len(model.server.payloads) == 1


def test_a_page_that_gives_orders_changes_nothing(library: Library, model: Model) -> None:
    def obeys(payload: Json) -> str:
        context = payload["messages"][1]["content"]
        assert "[s1] Limpets fly" not in context.replace(
            f"[{id_of('Limpets fly at low tide.', context)}] ", ""
        )
        return json.dumps(
            {
                "claims": [
                    {
                        "text": "[Source 1: Tides - Low tide] “Limpets fly at low tide, always” [s99]",
                        "ids": ["s99"],
                    },
                    {
                        "text": "\u202e**Limpets** [fly](http://evil.example) <script>x</script>\x1b[31m",
                        "ids": ["s1"],
                    },
                ]
            }
        )

    model.says = obeys
    answer = asked(library)
    text = " ".join(claim.text for claim in written(answer))
    assert "Limpets fly at low tide, always" in text
    parts = [part for claim in written(answer) for part in claim.parts]
    assert [part for part in parts if part.kind == "verified_quote"] == []
    assert not re.search(r"evil|script|Source|s99|[“”\u202e\x1b]", text)
    assert all(claim.support != "supported" for claim in written(answer))


# -- What comes over the line ----------------------------------------------------------------------------------------

GOOD = ("They clamp their shells to the rock at low tide.", ["Limpets clamp"])
MORE = ("Each shell is ground to fit one place.", ["has ground"])


def test_a_stream_that_breaks_off_keeps_what_was_written(library: Library, model: Model) -> None:
    model.claims(GOOD, MORE)
    model.server.misbehave(streamed(cut(after=28)))
    answer = asked(library)
    assert answer.outcome == "failed"
    assert answer.error
    assert answer.hint
    assert [claim.support for claim in answer.claims] == ["supported", "doubtful"][: len(answer.claims)]
    assert answer.claims[0].text == GOOD[0]


def test_a_server_that_fails_at_once_ends_the_answer(library: Library, model: Model) -> None:
    model.claims(GOOD)
    model.server.misbehave(streamed(fails("out of memory", after=0)), times=9)
    answer = asked(library)
    assert (answer.outcome, answer.claims) == ("failed", [])
    assert answer.error


def test_a_byte_at_a_time_is_read_all_the_same(library: Library, model: Model) -> None:
    model.claims(GOOD)
    model.server.misbehave(streamed(thinking("“Limpets fly”, s99", aloud=True), dripping))
    answer = asked(library)
    assert (answer.outcome, [claim.text for claim in answer.claims]) == ("complete", [GOOD[0]])


def test_stop_keeps_what_was_written(library: Library, model: Model) -> None:
    model.claims(GOOD, MORE)
    model.server.misbehave(streamed(silent(after=28)))
    cancel = CancelToken()
    events = []
    for event in library.answer(QUESTION, cancel=cancel):
        events.append(event)
        if isinstance(event, ClaimWritten):
            cancel.cancel()
    check_shown(library, events)
    answer = ended(events)
    assert (answer.outcome, answer.error) == ("stopped", None)
    assert answer.claims[0].text == GOOD[0]
    assert library.answers.all(1)[0].answer == answer


def test_a_model_that_declines_answers_nothing(library: Library, model: Model) -> None:
    model.server.misbehave(streamed(refusing()))
    answer = asked(library)
    assert answer.outcome == "failed"
    assert answer.claims == []
    assert answer.error == "The chat model declined to answer."


@pytest.mark.parametrize("reply", ['{"claims": []}', "", "I'm sorry, but the excerpts do not contain this."])
def test_a_reply_without_an_answer_is_a_refusal(library: Library, model: Model, reply: str) -> None:
    model.says = lambda _payload: reply
    answer = asked(library)
    assert (answer.outcome, answer.claims) == ("refused", []), answer
    assert answer.refusal


def test_what_nothing_tells_is_a_refusal_in_the_words_of_the_model(library: Library, model: Model) -> None:
    model.claims(("Nothing here tells how old limpets become.", ["none"]))
    answer = asked(library, "How old do limpets become?")
    assert (answer.outcome, answer.refusal) == ("refused", "Nothing here tells how old limpets become.")


def test_a_server_without_schemas_is_read_from_prose(library: Library, model: Model) -> None:
    model.server.refuses = frozenset({"json_schema", "json_object"})

    def prose(payload: Json) -> str:
        id_ = id_of("Limpets clamp", payload["messages"][1]["content"])
        return f"Limpets clamp their shells to the rock [{id_}]. Penguins “dance on Mars”."

    model.says = prose
    model.again = lambda asked: {"claims": []}
    answer = asked(library)
    assert [(claim.text, claim.support) for claim in answer.claims] == [
        ("Limpets clamp their shells to the rock.", "supported"),
        ("Penguins dance on Mars.", "unsupported"),
    ]


def test_less_is_sent_where_the_model_reads_less(library: Library, model: Model) -> None:
    model.claims(GOOD)
    assert asked(library).citations
    whole = sum(len(message["content"].split()) for message in model.server.payloads[0]["messages"])
    model.server.received.clear()
    model.server.context = whole - 1  # words, of which it tells nothing before
    model.server.lists = False
    events = list(library.answer(QUESTION))
    check_shown(library, events)
    answer = ended(events)
    assert (answer.outcome, [claim.support for claim in answer.claims]) == ("complete", ["supported"])
    assert FEWER in answer.notices
    (started,) = (event for event in events if isinstance(event, Started))
    assert started.documents < 3
    first, second, *_ = (len(payload["messages"][1]["content"]) for payload in model.server.payloads)
    assert second < first


def test_a_model_that_tells_its_window_is_sent_what_fits_from_the_beginning(
    library: Library, model: Model
) -> None:
    model.claims(GOOD)
    asked(library)
    model.server.context = 1600  # of which the reply, the instruction and the question take most
    answer = asked(library)
    assert (answer.outcome, FEWER in answer.notices) == ("complete", False)
    whole, fits = (
        len(payload["messages"][1]["content"].split())
        for payload in model.server.payloads
        if "You check which sentences" not in payload["messages"][0]["content"]
    )
    assert fits < whole


def test_a_model_that_reads_next_to_nothing_fails_with_the_reason(library: Library, model: Model) -> None:
    model.server.context, model.server.lists = 20, False
    answer = asked(library)
    assert (answer.outcome, answer.claims) == ("failed", [])
    assert answer.error
    assert answer.hint


def test_half_a_character_of_a_selection_does_no_harm(library: Library, model: Model) -> None:
    model.claims(("They signed it.", ["signed"]))
    query = Query(question="Who \ud83d?", mode="selected_text_only", selected_text="They \ud83d signed it.")
    answer = asked(library, query)
    assert [one.span.verbatim_text for one in answer.citations] == [
        "They \N{REPLACEMENT CHARACTER} signed it."
    ]
    assert library.answers.all(1)[0].answer == answer


def test_whoever_leaves_ends_the_request(library: Library, model: Model) -> None:
    library.answers.clear()
    model.claims(GOOD, MORE)
    model.server.misbehave(streamed(silent(after=28)))
    events = library.answer(QUESTION)
    next(event for event in events if isinstance(event, ClaimWritten))
    events.close()  # type: ignore[attr-defined]  # it is a generator
    assert library.answers.all() == []


# -- Whatever is written ---------------------------------------------------------------------------------------------

_SAID = (
    "clamp their shells to the rock", "Limpets fly at low tide", "calm and grey", "calm and", "grey",
    "12 of 40 shells", "do not move at low tide", "Otters", "swim away", "ground its shell", "the moon is cheese",
)  # fmt: skip
_AROUND = (
    ("“", "”"), ('"', '"'), ("„", "“"), ("«", "»"), ("»", "«"), ("‘", "’"), ("'", "'"), ("「", "」"), ("`", "`"),
    ("```\n", "\n```"), ("\n> ", "\n"), ("<q>", "</q>"), ("<blockquote>", "</blockquote>"), ("``", "''"),
    ("&quot;", "&quot;"), ("&#8220;", "&#8221;"), ("<<", ">>"), ("“‘", "’”"), ("“", ""), ("", "”"), ("**“", "”**"),
    ("\\“", "\\”"), ("[“", "”](https://x.org)"), ("“\u200b", "\u200b”"), ("❝", "❞"), ("＂", "＂"), ("$“", "”$"),
    ("", ""), ("word“", "”word"), ('5"', '"5'),
)  # fmt: skip
_BESIDE = (
    " ", " ", ", ", ". ", "\n\n", "[s1]", "[s99]", "[Source 1: Lies]", "s2", '{"claims": [', "]}", "\\", '"', "\u202e",
    "\x1b[31m", "\x00", "\ud800", "\ufdd0", "\ufdd1", "\ufdd3" + "0\ufdd4", "<script>", "![p](x.png)", "# ",
    "| a |", "&amp;quot;", "…", " […] ", "”“", "不",
)  # fmt: skip


def _written(chance: random.Random) -> str:
    """A text that quotes, truly and falsely, in marks of all kinds, one within the other, with hostile characters."""
    pieces = []
    for _ in range(chance.randint(1, 6)):
        said = chance.choice(_SAID)
        for _ in range(chance.choice((0, 1, 1, 2))):
            opening, closing = chance.choice(_AROUND)
            said = f"{opening}{chance.choice(('', 'so ', chance.choice(_BESIDE)))}{said}{closing}"
        pieces += [said, chance.choice(_BESIDE)]
    return "".join(pieces)


def _reply(chance: random.Random) -> str:
    texts = [_written(chance) for _ in range(chance.randint(1, 3))]
    if chance.random() < 0.3:  # a quotation goes over two claims
        at = chance.randint(0, len(texts[0]))
        texts[:1] = [texts[0][:at], texts[0][at:]]
    ids = ["s1", "s2", "s3", "s4", "s5", "s99", "none", 7, "s1-s3", None]
    reported = [{"text": text, "ids": chance.sample(ids, chance.randint(0, 3))} for text in texts]
    return chance.choice(
        (json.dumps({"claims": reported}), json.dumps(reported, indent=1), " [s1]\n".join(texts), texts[0])
    )


def _says(reply: str, _payload: Json) -> str:
    return reply


@pytest.mark.parametrize("seed", range(4))
def test_whatever_a_model_writes_no_quotation_is_shown_that_is_none(
    webrag: Program, library: Library, model: Model, seed: int
) -> None:
    """Every quotation is one of the stored text at the offsets of its citation; ids and numbers stay the program's."""
    chance = random.Random(seed)
    quoted = 0
    for _ in range(10):
        reply = _reply(chance).encode("utf-8", "replace").decode()
        model.says = partial(_says, reply)
        answer = asked(library, keep=False)
        assert answer.outcome in ("complete", "refused"), answer.error
        quoted += sum(part.kind == "verified_quote" for claim in answer.claims for part in claim.parts)
    assert quoted > 0
