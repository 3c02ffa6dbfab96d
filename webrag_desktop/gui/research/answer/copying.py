"""An answer as text that can be pasted elsewhere: its claims, the sentences it quotes, and their sources."""

from html import escape
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QMimeData
from PySide6.QtGui import QGuiApplication

from webrag_desktop.gui.kit.shortcuts import COPY_LINK
from webrag_desktop.gui.library.document_actions import copy_span_links
from webrag_desktop.gui.research.answer.marks import Run, pieces
from webrag_desktop.text.citation_formats import HTML, MARKDOWN, PLAIN_TEXT, CitationFormat, escaped

if TYPE_CHECKING:
    from webrag_desktop.gui.data.answers import CitedSentence, ShownAnswer


def answer_text(answer: "ShownAnswer") -> str:
    """The answer with ``[1]`` for its marks, then each sentence with its source, then the block of citations."""
    blocks = [
        *_paragraphs(answer),
        "\n".join(_cited(one, PLAIN_TEXT) for one in answer.citations),
        "\n".join(answer.references),
    ]
    return "\n\n".join(block for block in blocks if block) + "\n"


def answer_markdown(answer: "ShownAnswer") -> str:
    """The same as Markdown, its sources as links."""
    cited = [_cited(one, MARKDOWN) for one in answer.citations]
    blocks = [*map(escaped, _paragraphs(answer)), *cited]
    lines = "\n".join(f"- {escaped(line)}" for line in answer.references)
    return "\n\n".join(block for block in (*blocks, lines) if block) + "\n"


def answer_html(answer: "ShownAnswer") -> str:
    """The same as HTML, for word processors."""
    said = [f"<p>{escape(one)}</p>" for one in _paragraphs(answer)]
    said += [f"<p>{_cited(one, HTML)}</p>" for one in answer.citations]
    if answer.references:
        said.append(f"<p>{'<br>'.join(map(escape, answer.references))}</p>")
    return "".join(said)


def answer_mime(answer: "ShownAnswer") -> QMimeData:
    """The answer for the clipboard: plain, and with links for whatever takes them."""
    data = QMimeData()
    data.setText(answer_text(answer))
    data.setHtml(answer_html(answer))
    return data


def copy_cited(cited: "CitedSentence", command: str) -> str:
    """Copy a cited sentence as the command says; returns a sentence that says so, nothing where there is no link."""
    if command == COPY_LINK:
        return copy_span_links([cited.span]) if cited.span is not None else ""
    with_reference = command == "copy_reference"
    QGuiApplication.clipboard().setText(PLAIN_TEXT.quotation(cited) if with_reference else cited.quote)
    return _tr("Quote copied with its reference.") if with_reference else _tr("Quote copied.")


def _paragraphs(answer: "ShownAnswer") -> list[str]:
    made: list[str] = []
    for piece in pieces(answer, references=False):
        said = "".join(map(_copied, piece.runs))
        if piece.begins or not made:
            made.append(said)
        else:
            made[-1] += said
    return [one.strip() for one in made if one.strip()]


def _copied(run: Run) -> str:
    return run.text if run.copied is None else run.copied


def _cited(cited: "CitedSentence", form: CitationFormat) -> str:
    return form.numbered(cited.number, cited, with_quote=not cited.attribution_only)


def _tr(text: str) -> str:
    return QCoreApplication.translate("AnswerCopying", text)
