"""What the user may say about answers; gathered from the settings and passed in."""

from dataclasses import dataclass

from webrag_desktop.bounds import bounded, check_settings

LEAST_CONTEXT = 512  # tokens; instruction, question and one passage take about as many
MOST_CONTEXT = 16_777_216
LEAST_REPLY = 64  # tokens of one short claim
MOST_SENTENCES = 500  # more ids than any chat model keeps apart
MOST_SECONDS = 86_400.0  # a day; clocks and sockets take no more than some hundred years


@dataclass(frozen=True)
class AnswerOptions:
    """How answers are requested, as the ``CHAT_*`` settings say.

    ``context_tokens`` is the model's context window, what is sent and what is written together; None is what the
    server reports. The model may write ``reply_tokens``, as freely as ``temperature`` says. ``seconds`` is the longest
    silence: before the first word, and between two. With ``check_again`` a second request is made with the sentences
    in shuffled order where the budget allows, so that only ids named both times count. With ``images``
    pictures of the evidence are fetched and sent to a model that sees. ``sentences`` is how many sentences of the
    evidence get an id.
    """

    context_tokens: int | None = bounded(None, least=LEAST_CONTEXT, most=MOST_CONTEXT)
    reply_tokens: int = bounded(1024, least=LEAST_REPLY, most=MOST_CONTEXT)
    temperature: float = bounded(0.0, least=0, most=1)
    seconds: float = bounded(120.0, above=0, most=MOST_SECONDS)
    check_again: bool = True
    images: bool = False
    sentences: int = bounded(30, least=1, most=MOST_SENTENCES)

    def __post_init__(self) -> None:
        """Refuse values that cannot work, by name."""
        check_settings(self, "CHAT", {"seconds": "CHAT_TIMEOUT"})
