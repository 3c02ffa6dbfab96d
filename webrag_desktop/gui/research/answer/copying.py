"""An answer as text that can be pasted elsewhere: what it says, the sentences it quotes, and where they stand."""

from html import escape

from PySide6.QtCore import QCoreApplication, QMimeData
from PySide6.QtGui import QGuiApplication

from webrag_desktop.gui.data.answers import CitedSentence, ShownAnswer
from webrag_desktop.gui.kit.widgets.link_copying import COPY_LINK, copy_span_links
from webrag_desktop.gui.library.document_words import is_web
from webrag_desktop.gui.research.answer.marks import Run, pieces
from webrag_desktop.gui.research.citation_text import (
    Quotation,
    escaped,
    in_quotes,
    quotation_text,
    reference_markdown,
    reference_text,
)


def quotation(cited: CitedSentence) -> Quotation:
    """The quotation that an answer's citation stands for."""
    return Quotation(cited.quote, cited.title, cited.section, cited.page, cited.address, cited.link)


def answer_text(answer: ShownAnswer) -> str:
    """The answer with ``[1]`` for its marks, then each sentence with its source, then the block of citations."""
    blocks = [
        *_paragraphs(answer),
        "\n".join(map(_cited_text, answer.citations)),
        "\n".join(answer.references),
    ]
    return "\n\n".join(block for block in blocks if block) + "\n"


def answer_markdown(answer: ShownAnswer) -> str:
    """The same as Markdown, its sources as links."""
    blocks = [*map(escaped, _paragraphs(answer)), *map(_cited_markdown, answer.citations)]
    lines = "\n".join(f"- {escaped(line)}" for line in answer.references)
    return "\n\n".join(block for block in [*blocks, lines] if block) + "\n"


def answer_html(answer: ShownAnswer) -> str:
    """The same as HTML, for word processors."""
    said = [f"<p>{escape(one)}</p>" for one in _paragraphs(answer)]
    said += [f"<p>{_cited_html(one)}</p>" for one in answer.citations]
    if answer.references:
        said.append(f"<p>{'<br>'.join(map(escape, answer.references))}</p>")
    return "".join(said)


def answer_mime(answer: ShownAnswer) -> QMimeData:
    """The answer for the clipboard: plain, and with links for whatever takes them."""
    data = QMimeData()
    data.setText(answer_text(answer))
    data.setHtml(answer_html(answer))
    return data


def copy_cited(cited: CitedSentence, command: str) -> str:
    """Copy a cited sentence as the command says; returns a sentence that says so, nothing where there is no link."""
    if command == COPY_LINK:
        return copy_span_links([cited.span]) if cited.span is not None else ""
    with_reference = command == "copy_reference"
    QGuiApplication.clipboard().setText(quotation_text(quotation(cited)) if with_reference else cited.quote)
    return _tr("Quote copied with its reference.") if with_reference else _tr("Quote copied.")


def _paragraphs(answer: ShownAnswer) -> list[str]:
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


def _cited_text(cited: CitedSentence) -> str:
    told = quotation(cited)
    return f"[{cited.number}] {reference_text(told) if cited.attribution_only else quotation_text(told)}"


def _cited_markdown(cited: CitedSentence) -> str:
    told = quotation(cited)
    quote = "" if cited.attribution_only else f"{escaped(in_quotes(cited.quote))} "
    return rf"\[{cited.number}\] {quote}({reference_markdown(told)})"


def _cited_html(cited: CitedSentence) -> str:
    told = quotation(cited)
    target = cited.link or (cited.address if is_web(cited.address) else None)
    words = escape(told.reference if target else reference_text(told))
    source = f'<a href="{escape(target)}">{words}</a>' if target else words
    quote = "" if cited.attribution_only else f"{escape(in_quotes(' '.join(cited.quote.split())))} "
    return f"[{cited.number}] {quote}({source})"


def _tr(text: str) -> str:
    return QCoreApplication.translate("AnswerCopying", text)
