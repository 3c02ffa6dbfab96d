"""Whatever is asked has a clear result or a clear error, and the same one twice."""

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.synthetic_library import Passage, Section, SyntheticLibrary
from webrag_desktop.errors import InputError
from webrag_desktop.models.questions import LEXICAL_SCORES, TSQUERY_MODES, LexicalScore, TsqueryMode
from webrag_desktop.retrieval.contracts.options import RetrievalOptions
from webrag_desktop.retrieval.contracts.results import RetrievalResult

Ask = Callable[..., RetrievalResult]
TEXTS = {
    "en": ["Limpets cling to rocks.", "A pool, a tide; C++ and max_depth.", "Robert'); DROP TABLE chunks;--"],
    "ja": ["潮の満ち引きを調べる。"],
    "ar": ["المد والجزر في البحر"],
    "th": ["น้ำขึ้นน้ำลงในทะเลเกิดจากดวงจันทร์"],
    "lo": ["ນ້ຳຂຶ້ນນ້ຳລົງໃນທະເລ"],
    "my": ["ပင်လယ်ဒီရေသည်လကြောင့်ဖြစ်သည်"],
    "km": ["ជំនោរទឹកសមុទ្រកើតឡើងដោយសារព្រះច័ន្ទ"],
    "he": ["גאות ושפל בים"],
    "el": ["Η παλίρροια της θάλασσας."],
    "de": ["Die Gezeiten der Nordsee."],
}
NOTHING: frozenset[str] = frozenset()
LIMPETS, POOL, DROPPED = TEXTS["en"]

# Each with what it finds by its words alone, and by them alone.
ANSWERED = {
    "stop words only": ("the of and", NOTHING),
    "a quotation": ('"cling to rocks"', {LIMPETS}),
    "an unbalanced quotation": ('limpets "cling', {LIMPETS}),
    "quotation marks only": ('"" "" "', NOTHING),
    "a phrase that is nowhere": ('"rocks cling"', {LIMPETS}),  # then any of its words
    "operators": ("limpets & ! | <-> :* (", {LIMPETS}),
    "or": ("limpets or tide", {LIMPETS, POOL}),
    "minus terms only": ("-limpets", {LIMPETS}),
    "minus terms that leave nothing": ("limpets -rocks", NOTHING),
    "ten thousand characters": ("limpets " * 1250, {LIMPETS}),
    "ten thousand without a space": ("x" * 10_000, NOTHING),
    "very many different words": (" ".join(f"w{n}" for n in range(2_000)) + " limpets", {LIMPETS}),
    "Arabic": ("البحر", {TEXTS["ar"][0]}),
    "Thai": ("ทะเล", {TEXTS["th"][0]}),
    "Lao": ("ທະເລ", {TEXTS["lo"][0]}),
    "Burmese": ("ဒီရေ", {TEXTS["my"][0]}),
    "Khmer": ("សមុទ្រ", {TEXTS["km"][0]}),
    "Hebrew": ("בים", {TEXTS["he"][0]}),
    "Greek": ("θάλασσας", {TEXTS["el"][0]}),
    "Japanese": ("満ち引き", {TEXTS["ja"][0]}),
    "scripts mixed": ("limpets 満ち Gezeiten", {LIMPETS, TEXTS["ja"][0], TEXTS["de"][0]}),
    "emoji": ("🦀🌊 👩‍👩‍👧", NOTHING),
    "emoji beside a word": ("🦀 limpets", {LIMPETS}),
    "control characters": ("limpets\x01\x1b[31m\x7f rocks\r\n", {LIMPETS}),
    "NUL": ("lim\x00pets", {LIMPETS}),
    "lone surrogates": ("\ud800limpets\udfff", {LIMPETS}),
    "SQL": ("'; DROP TABLE chunks; -- limpets", {LIMPETS, DROPPED}),
    "placeholders": ("%s %(words)s {} $1 limpets", {LIMPETS}),
    "only punctuation": ("?!... --- ,;: ()[]{} \\ / | & ~ ^", NOTHING),
    "an identifier": ("C++", {POOL}),
    "combining marks": ("e\u0301\u0301\u0301 limpets", {LIMPETS}),
    "from right to left": ("\u202elimpets\u202c limpets", {LIMPETS}),
    "one letter": ("x", NOTHING),
}


@pytest.fixture
def shore(library: SyntheticLibrary) -> SyntheticLibrary:
    for language, texts in TEXTS.items():
        sections = [Section([Passage(text, 0.05)]) for text in texts]
        library.add(f"https://{language}/", sections, language=language)
    return library


def found(result: RetrievalResult) -> set[str]:
    return {chunk.chunk_text.strip() for chunk in result.chunks}


def plain(result: RetrievalResult) -> dict[str, object]:
    return result.model_dump(exclude={"timing"})


@pytest.mark.usefixtures("shore")
def test_every_kind_of_question_is_answered(ask: Ask) -> None:
    for name, (query, texts) in ANSWERED.items():
        result = ask(query, embedder=None)
        assert found(result) == texts, name
        assert plain(ask(query, embedder=None)) == plain(result), name
        for mode in TSQUERY_MODES[:3]:
            with_meaning = ask(query, options=RetrievalOptions(tsquery_mode=mode))
            assert found(with_meaning) <= {text for texts in TEXTS.values() for text in texts}, name


@pytest.mark.usefixtures("shore")
@pytest.mark.parametrize("mode", TSQUERY_MODES)
def test_a_question_without_text_or_beyond_all_measure_is_refused(ask: Ask, mode: str) -> None:
    options = RetrievalOptions(tsquery_mode=mode)  # type: ignore[arg-type]
    for query in ("", "   \t\n ", "\x00\x00", "\ud800", "\u2003"):
        with pytest.raises(InputError, match="no question"):
            ask(query, options=options)
    with pytest.raises(InputError, match="the most"):
        ask("limpets " * 10_000, options=options)


PIECES = """limpets roks " - -tide | & ! ( ) <-> :* or 潮 海 C++ ' \\ 🦀 %s $1 max_depth --x the θάλασα
    البحرر""".split()
QUESTIONS = (
    st.text(max_size=80)
    | st.text(st.characters(), max_size=40)  # lone surrogates too
    | st.lists(st.sampled_from([*PIECES, "\x00", "\ud83d", "\n"]), max_size=12).map(" ".join)
    | st.lists(st.sampled_from(list("ab \"'-!&|()<>:*\\")), max_size=30).map("".join)
)


def outcome(ask: Ask, query: str, given: dict[str, object]) -> RetrievalResult | str:
    try:
        return ask(query, **given)
    except InputError as error:
        return error.message


@pytest.mark.usefixtures("shore")
@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    derandomize=True,
)
@given(
    query=QUESTIONS,
    mode=st.sampled_from(TSQUERY_MODES),
    score=st.sampled_from(LEXICAL_SCORES),
    alone=st.booleans(),
)
def test_any_text_has_a_result_or_an_error_of_ours(
    ask: Ask, query: str, mode: TsqueryMode, score: LexicalScore, alone: bool
) -> None:
    given: dict[str, object] = {"options": RetrievalOptions(tsquery_mode=mode, lexical_score=score)}
    if alone:
        given["embedder"] = None
    first, again = outcome(ask, query, given), outcome(ask, query, given)
    if isinstance(first, str) or isinstance(again, str):
        assert first == again
        assert mode == "strict" or first.startswith("There is no question")  # type: ignore[union-attr]
        return
    assert plain(first) == plain(again)
    for chunk in first.chunks:
        assert 0 <= chunk.rank_score <= 1
        assert chunk.found_by
