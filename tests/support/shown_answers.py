"""Answers as the view is given them: invented ones about the cable, in every state and in several scripts."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from tests.support.shown import (
    ARABIC,
    CJK,
    COILS,
    ENGINEERS,
    HEBREW,
    QUESTION,
    VOLTAGE,
    YARD,
    named_id,
)
from webrag_desktop.gui.data.answers import (
    AskedQuestion,
    CitedSentence,
    Claim,
    ClaimPart,
    ClaimWarning,
    ShownAnswer,
    Support,
)
from webrag_desktop.gui.data.view_data import Passage

_COILS = "The induction coils of Wildman Whitehouse, re-examined"
_REPORT = "Report of the Joint Committee on Submarine Telegraph Cables"


def cited(
    number: int, of: Passage, title: str, address: str = "https://cablehistory.org/page"
) -> CitedSentence:
    """A passage's best sentence as a citation of an answer."""
    return CitedSentence(
        number=number,
        quote=of.quote,
        title=title,
        section=of.heading,
        page=of.page,
        address=address,
        link=f"{address}#:~:text=cable",
        span=of.span,
    )


def claim(
    number: int,
    text: str,
    *citations: int,
    support: Support = "supported",
    warnings: Sequence[ClaimWarning] = (),
) -> Claim:
    """A claim in plain words."""
    return Claim(number, (ClaimPart("text", text),), citations, support, tuple(warnings))


CITED = (
    cited(1, VOLTAGE, _COILS, "https://telegraphquarterly.net/coils.pdf"),
    cited(2, COILS, _COILS, "https://telegraphquarterly.net/coils.pdf"),
    cited(3, YARD, _REPORT, "https://archive.org/report.pdf"),
    cited(4, ENGINEERS, "A short life of the 1858 cable"),
)
MISSING = "we have killed it with kindness and electricity"
CLAIMS = (
    claim(
        1,
        "The cable failed because a damaged core was overloaded: when signals at Valentia weakened, Whitehouse drove "
        "close to two thousand volts into it.",
        1,
    ),
    claim(2, "That burned an existing fault open rather than making a new one.", 2),
    claim(
        3,
        "The core was weak before it was laid: coiled in the open through a summer, its copper had sunk to one side of "
        "its covering.",
        3,
    ),
    Claim(
        4,
        (
            ClaimPart("text", "\n\nThe company’s own view was blunter: "),
            ClaimPart("unverified", MISSING),
            ClaimPart("text", "."),
        ),
    ),
    claim(
        5,
        "What the engineers disagreed about was the cure, more voltage or a finer instrument.",
        4,
    ),
)
DOUBTFUL = claim(
    6,
    "By 5 September 1858 nobody in Newfoundland had not given it up.",
    1,
    4,
    support="doubtful",
    warnings=(ClaimWarning("number", "5 September"), ClaimWarning("name", "Newfoundland")),
)
UNSUPPORTED = claim(7, "A second cable was ordered the same winter.", support="unsupported")
REFERENCES = tuple(f"[{one.address}#{one.section}]" for one in CITED)

SEARCHING = ShownAnswer(QUESTION)
WRITING = ShownAnswer(
    QUESTION,
    "writing",
    basis="chunk",
    model="llama3.1 8B",
    passages=4,
    documents=3,
    claims=CLAIMS,
    draft="The mirror galvanometer needed",
    citations=CITED,
)
COMPLETE = replace(
    WRITING,
    stage="complete",
    draft="",
    claims=(*CLAIMS, DOUBTFUL, UNSUPPORTED),
    references=REFERENCES,
    kept_as=named_id("answer"),
)
STOPPED = replace(WRITING, stage="stopped", references=REFERENCES)
REFUSED = replace(
    SEARCHING,
    stage="refused",
    basis="chunk",
    model="llama3.1 8B",
    refusal="I do not have enough information.",
)
FAILED = replace(
    WRITING,
    stage="failed",
    problem="The chat server stopped answering while it wrote.",
    hint="What is written stays. Check that Ollama is running, then try again.",
)
EXTRACT = ShownAnswer(
    QUESTION,
    "complete",
    kind="extract",
    basis="chunk",
    passages=4,
    documents=3,
    claims=tuple(
        Claim(one.number, (ClaimPart("verified_quote", one.quote, one.number),), (one.number,))
        for one in CITED[:3]
    ),
    citations=CITED[:3],
    references=REFERENCES[:3],
)
PASSED_OVER = replace(
    COMPLETE,
    claims=(
        CLAIMS[4],
        *(
            Claim(5 + place, (ClaimPart("verified_quote", one.quote, place),), (place,), by="search")
            for place, one in enumerate(CITED[:2], start=1)
        ),
    ),
)
SELECTED = replace(COMPLETE, basis="selected_text_only", claims=CLAIMS[:2], citations=CITED[:2], passages=1)
KEPT = replace(
    COMPLETE,
    asked_at=datetime(2024, 10, 3, 12, 2, tzinfo=UTC),
    passages=None,
    documents=None,
    claims=CLAIMS[:3],
)
LONG = replace(
    COMPLETE,
    claims=tuple(replace(one, number=10 * turn + one.number) for turn in range(6) for one in CLAIMS),
)
SCRIPTS = replace(
    COMPLETE,
    claims=(
        claim(1, "انقطع الكابل بعد ثلاثة أسابيع لأن العزل كان ضعيفا.", 1),
        claim(2, "לפי Whitehouse, המתח היה גבוה מדי.", 2, support="doubtful"),
        claim(3, "\n\nケーブルは三週間で沈黙した。", 3),
        claim(4, "絶縁体は敷設中に傷んでいた。", 3, support="unsupported"),
        claim(5, "\n\nThe engineers quarrelled over the cure.", 4),
    ),
    citations=(
        cited(1, ARABIC, "تاريخ الكابل الأطلسي"),
        cited(2, HEBREW, "تاريخ الكابل الأطلسي"),
        cited(3, CJK, "大西洋電信ケーブルの歴史"),
        cited(4, ENGINEERS, "A short life of the 1858 cable"),
    ),
)


def asked_questions(count: int = 4) -> tuple[AskedQuestion, ...]:
    """A history, newest first."""
    questions = (
        QUESTION,
        "Who paid for the second cable, and how was the money raised in London?",
        "متى انقطع الكابل؟",
    )
    stages = ("complete", "refused", "stopped")
    return tuple(
        AskedQuestion(
            named_id(f"question {at}"),
            questions[at % 3],
            datetime(2024, 10, 3 - at % 3, 12, 2, tzinfo=UTC),
            stages[at % 3],  # type: ignore[arg-type]
            "extract" if at == 3 else "model",
        )
        for at in range(count)
    )
