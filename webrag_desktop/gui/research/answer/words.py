"""Texts about an answer: its basis, the verdict on its quotations, and what a screen reader announces."""

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from webrag_desktop.gui.kit.quantities import documents, long_time, number, passages
from webrag_desktop.gui.kit.theme.tokens import Role
from webrag_desktop.gui.research.answer.marks import Mark, pieces

if TYPE_CHECKING:
    from webrag_desktop.gui.data.answers import Claim, ClaimWarning, ShownAnswer


@dataclass(frozen=True, slots=True)
class Verdict:
    """A sentence with its icon, in the ink of a state."""

    icon: str
    role: Role
    sentence: str


def title(answer: "ShownAnswer") -> str:
    """What the pane is called."""
    if answer.kind == "extract" and answer.stage != "refused":
        return _tr("Extract: sentences that answer, word for word")
    return _tr("Answer")


def basis(answer: "ShownAnswer") -> str:
    """The basis of the answer, and for one of the history when it was asked."""
    said = []
    if answer.basis == "selected_text_only":
        said.append(_tr("based on the selected text alone"))
    elif answer.basis == "full_context" and answer.documents:
        said.append(_tr("based on all of {0}").format(documents(answer.documents)))
    elif answer.passages and answer.documents:
        said.append(
            _tr("based on {0} from {1}").format(passages(answer.passages), documents(answer.documents))
        )
    if answer.pictures_sent:
        sent = answer.pictures_sent
        said.append(_tr("with 1 picture") if sent == 1 else _tr("with {0} pictures").format(number(sent)))
    if answer.filters_changed:
        said.append(_tr("within other filters than now"))
    if answer.asked_at is not None:
        said.append(_tr("asked {0}").format(long_time(answer.asked_at)))
    return ", ".join(said)


def again_with_pictures(count: int) -> str:
    """The command that asks again and sends so many pictures."""
    if count == 1:
        return _tr("Ask again with 1 picture")
    return _tr("Ask again with {0} pictures").format(number(count))


def progress(answer: "ShownAnswer", seconds: int) -> str:
    """``Writing, 6 s`` while more is coming, ``Stopped`` where the user ended it."""
    if answer.stage == "searching":
        return _tr("Searching, {0} s").format(number(seconds))
    if answer.stage == "writing":
        return _tr("Writing, {0} s").format(number(seconds))
    return _tr("Stopped") if answer.stage == "stopped" else ""


def ended(answer: "ShownAnswer") -> str:
    """The sentence in place of a text, or after one that ended early; empty where all is said."""
    if answer.stage == "refused" and answer.basis == "selected_text_only":
        return _tr("Nothing in the selected text answers this.")
    if answer.stage == "refused":
        return _tr("Nothing in your documents answers this. Nearest passages below.")
    if answer.stage == "stopped" and not answer.claims and not answer.draft:
        return _tr("Stopped before anything was written.")
    return ""


def verdicts(answer: "ShownAnswer") -> list[Verdict]:
    """How many quotations match, and how many things are wrong, each by its own sentence."""
    matching = len({one for claim in answer.claims for one in claim.citations} | _quoted(answer))
    missing = sum(part.kind == "unverified" for claim in answer.claims for part in claim.parts)
    doubtful = sum(claim.support == "doubtful" for claim in answer.claims)
    unsupported = sum(claim.support == "unsupported" for claim in answer.claims)
    said = (
        ("badge-check", "ok", matching, *_matching_words()),
        ("shield-alert", "warn", missing, *_missing_words()),
        ("triangle-alert", "warn", doubtful, *_doubtful_words()),
        ("shield-alert", "warn", unsupported, *_unsupported_words()),
    )
    return [
        Verdict(icon, role, one if count == 1 else many.format(number(count)))  # type: ignore[arg-type]
        for icon, role, count, one, many in said
        if count
    ]


def _quoted(answer: "ShownAnswer") -> set[int]:
    parts = (part for claim in answer.claims for part in claim.parts)
    return {part.citation for part in parts if part.citation is not None}


def _matching_words() -> tuple[str, str]:
    return _tr("1 quote matches your copy word for word"), _tr("{0} quotes match your copies word for word")


def _missing_words() -> tuple[str, str]:
    return _tr("1 quote is not in your documents"), _tr("{0} quotes are not in your documents")


def _doubtful_words() -> tuple[str, str]:
    return _tr("1 claim is doubtful"), _tr("{0} claims are doubtful")


def _unsupported_words() -> tuple[str, str]:
    return _tr("1 claim has no passage behind it"), _tr("{0} claims have no passage behind them")


def reasons(claim: "Claim") -> list[str]:
    """Why a claim is marked, in sentences."""
    if claim.support == "unsupported":
        return [_tr("No sentence of your documents supports this. Check it before you use it.")]
    said = [_reason(warning) for warning in claim.warnings]
    return said or [_tr("The quoted sentences may not say this. Read them before you use it.")]


def _reason(warning: "ClaimWarning") -> str:
    words = {
        "number": _tr("The quoted sentences do not have the number “{0}”."),
        "name": _tr("The quoted sentences do not have the name “{0}”."),
        "negation": _tr("This says “{0}”, and the quoted sentences do not, or the other way round."),
        "quotation": _tr("“{0}” is in none of your documents."),
    }
    return words[warning.kind].format(warning.text)


def missing_reason() -> str:
    """What is said of words found nowhere."""
    return _tr("The model put these words in quotation marks. They are in none of your documents.")


def spoken_mark(mark: Mark) -> str:
    """How a mark is read out."""
    if mark.kind == "citation":
        return _tr("citation {0}, verified").format(number(mark.number))
    if mark.kind == "missing":
        return _tr("quote not found in your documents")
    if mark.kind == "doubtful":
        return _tr("doubtful: {0}").format(" ".join(reasons(mark.claim)))
    return _tr("no passage supports this")


@lru_cache(maxsize=256)
def spoken_claim(claim: "Claim") -> str:
    """A claim as it is read out, with its marks in words."""
    from webrag_desktop.gui.data.answers import ShownAnswer

    alone = ShownAnswer("", claims=(claim,))
    said = ""
    for piece in pieces(alone, references=False):
        said += " " if piece.begins else ""
        for run in piece.runs:
            said += f" ({spoken_mark(run.mark)}) " if run.mark is not None else run.text
    words = " ".join(said.split())
    return words.replace(" .", ".").replace(") (", ", ")


def spoken(answer: "ShownAnswer") -> str:
    """The whole answer as it is read out."""
    said = [spoken_claim(claim) for claim in answer.claims]
    said += [one for one in (answer.draft.strip(), ended(answer), answer.problem or "") if one]
    return " ".join(said)


def _tr(text: str) -> str:
    return QCoreApplication.translate("Answer", text)
