"""``webrag context``: what a language model is given to answer a question from, and why."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeVar, Unpack, cast

import click

from webrag_desktop import Settings, open_tokenizer, setting_of
from webrag_desktop.cli.exit_codes import ExitCode
from webrag_desktop.cli.filtering import GivenFilters, filter_options, filters_of, nothing_left
from webrag_desktop.cli.output import INDENT, Output, Styled, json_option, one_line, pass_output
from webrag_desktop.cli.session import open_library
from webrag_desktop.models.questions import TSQUERY_MODES, TsqueryMode
from webrag_desktop.retrieval.contracts.options import ContextOptions
from webrag_desktop.retrieval.contracts.packs import ROLES, ContextPack, ContextTrace, Decision, Outcome, Role
from webrag_desktop.retrieval.contracts.results import LeftOutFor

_ROLES: dict[Role, str] = {
    "primary": "what matched",
    "parent": "the rest of the passage",
    "sibling": "beside it",
    "cross_page": "across pages",
}
_OUTCOMES: dict[Outcome, str] = {
    "included": "In the pack",
    "cut": "In the pack, cut",
    "held": "In the pack already",
    "dropped": "Left out",
}
_LEFT_OUT: dict[LeftOutFor, str] = {
    "near_duplicate": "a better one says nearly the same",
    "return_top_n": "a model judged enough others to be better",
    "context_budget": "it gives only so much text",
}


def explanation(pack: ContextPack) -> Iterator[tuple[str, bool]]:
    """Line by line, why the pack holds what it holds; with each, whether it is only detail."""
    trace = pack.explanation
    yield _budget(trace), False
    yield (
        f"{len(trace.vector_candidates)} passages were found; at most the best {trace.return_top_n} go into the pack.",
        True,
    )
    if trace.rerank_results:
        yield f"{len(trace.rerank_results)} of them were judged again, which counts in their order.", True
    for reason, words in _LEFT_OUT.items():
        if count := sum(one.left_out == reason for one in trace.vector_candidates):
            yield f"The search itself left out {count}, since {words}.", True
    yield (
        "What matched is put in first, then the rest of each passage, then its neighbours on the same page or in the "
        "same section, then those of the pages or sections around.",
        True,
    )
    for role in ROLES:
        yield _figures(role, trace), True
    for decision in trace.decisions:
        yield from _decision(decision)


def _budget(trace: ContextTrace) -> str:
    budget = trace.budget
    words = f"{trace.final_token_count} of {budget.final_max_tokens} tokens, counted by {budget.tokenizer}."
    return f"{words} {budget.note}" if budget.note else words


def _figures(role: Role, trace: ContextTrace) -> str:
    stats = getattr(trace.expansion_stats, role)
    return (
        f"{_ROLES[role].capitalize()}: {stats.considered} looked at, {stats.included} in the pack "
        f"({stats.tokens} tokens), {stats.held} in it already, {stats.dropped} left out."
    )


def _decision(decision: Decision) -> Iterator[tuple[str, bool]]:
    number = f"[{decision.number}]" if decision.number else " - "
    place = one_line(
        " > ".join(dict.fromkeys(filter(None, (decision.title, *decision.heading_path))))
    ) or str(decision.document_id)
    extents = ", ".join(f"{span.char_start}-{span.char_end}" for span in decision.spans)
    tokens = f" ({decision.tokens} tokens)" if decision.tokens else ""
    yield f"{number} passage {decision.hit}, {_ROLES[decision.role]}: {place} ({extents})", False
    yield f"{INDENT}{_OUTCOMES[decision.outcome]}{tokens}. {decision.reason}", True


Command = TypeVar("Command", bound=Callable[..., object])


class GivenOptions(GivenFilters):
    """The options as click gives them; None leaves one to the settings."""

    final_max_tokens: int | None
    return_top_n: int | None
    min_primary_hits_to_keep: int | None
    include_parents: bool | None
    neighbor_same_page: int | None
    neighbor_cross_page: int | None
    top_k_dense: int | None


def _number(flag: str, name: str, what: str, default: str = "") -> Callable[[Any], Any]:
    """An option for the number that a setting holds, too, within the bounds of that."""
    setting = setting_of(ContextOptions, name)
    bounds = setting.bounds
    least = bounds.least if math.isfinite(bounds.least) else bounds.above + 1
    most = int(bounds.most) if math.isfinite(bounds.most) else None
    words = f"{what} (default: {default or setting.written_default}, or {setting.name})."
    return click.option(flag, name, type=click.IntRange(int(least), most), metavar="N", help=words)


# Named as the fields of ContextOptions; what is not given is left to the settings.
_PACK_OPTIONS: Sequence[Callable[[Any], Any]] = (
    _number("--budget", "final_max_tokens", "At most N tokens, numbers and citations included"),
    _number("--passages", "return_top_n", "From the best N passages"),
    _number("--keep", "min_primary_hits_to_keep", "Never leave out the best N passages"),
    click.option(
        "--parents/--no-parents",
        "include_parents",
        default=None,
        help="Whether the rest of a passage follows what matched of it (default: yes, or RETRIEVAL_INCLUDE_PARENTS).",
    ),
    _number("--same-page", "neighbor_same_page", "N neighbours on either side, of the same page or section"),
    _number(
        "--cross-page", "neighbor_cross_page", "N neighbours on either side, of pages or sections around"
    ),
    _number("--top-k-dense", "top_k_dense", "Look for N small chunks by meaning", "as searching does"),
)


def _pack_options(command: Command) -> Command:
    for option in reversed(_PACK_OPTIONS):
        command = option(command)
    return command


@click.command()
@click.argument("words", nargs=-1, required=True, metavar="QUESTION")
@_pack_options
@click.option(
    "--tokenizer",
    metavar="NAME",
    help="Whose tokens are counted: cl100k_base, bert-base-uncased, the path of a tokenizer.json or of a folder as "
    "HuggingFace's, or a name in its cache (default: the library's).",
)
@filter_options
@click.option(
    "--syntax", type=click.Choice(TSQUERY_MODES), help="How the words are read, as in `webrag search`."
)
@click.option(
    "--rerank/--no-rerank",
    default=None,
    help="Have a model judge the passages again, as in `webrag search` (default: no, or RETRIEVAL_RERANK_ENABLED).",
)
@click.option(
    "--explain", is_flag=True, help="Print below it why each piece is in it, and what was left out and why."
)
@json_option
@pass_output
def context(
    output: Output,
    words: tuple[str, ...],
    tokenizer: str | None,
    syntax: TsqueryMode | None,
    rerank: bool | None,
    explain: bool,
    **given: Unpack[GivenOptions],
) -> ExitCode:
    """Put together what a language model is given to answer QUESTION from; none is asked unless it reranks.

    What matched of the best passages comes first, each followed by the rest of its passage, then what stands beside it
    on the same page or in the same section, then what stands on the pages or sections around. Every piece has a number
    and names its place; no text of a document stands there twice. What the budget of tokens does not hold is left out
    from the end of that list on; the best passages are cut to their best sentences rather than left out. Without --keep
    a small budget keeps fewer of them, so that whole sentences fit.

    The options from --site to --document restrict what is searched. What stands around a passage is of the same
    document, and may lie outside of --section and --has.

    \b
    webrag context --explain "how does early stopping work"
    webrag context --budget 3000 --tokenizer cl100k_base --site scikit-learn.org "what does max_depth limit"
    """
    question = " ".join(words)
    filters = cast("GivenFilters", {name: given[name] for name in GivenFilters.__annotations__})  # type: ignore[literal-required]
    counter = open_tokenizer(tokenizer) if tokenizer else None
    with open_library() as library:
        options = _options(library.settings, given)
        searched = filters_of(library, filters)
        result = library.search(
            question,
            mode="chunk",
            filters=searched,
            tsquery_mode=syntax,
            rerank=rerank,
            top_k_children=options.top_k_dense,
            context_budget_override=_searched_tokens(library.settings, options),
        )
        if searched and result.corpus_stats.total_parent_chunks == 0:
            raise nothing_left(filters)
        pack = library.context_pack(result, question, options=options, tokenizer=counter)
    if output.as_json:
        output.document(pack)
    else:
        _print(output, pack, explain=explain)
    return ExitCode.OK


def _searched_tokens(settings: Settings, options: ContextOptions) -> int:
    """How much text the search gives: whatever passages make a pack, since the pack has a budget of its own."""
    return max(settings.retrieval_context_budget, options.return_top_n * settings.chunk_parent_tokens)


def _options(settings: Settings, given: GivenOptions) -> ContextOptions:
    """What the settings say, where nothing else is given.

    How many passages are kept binds where the user said so; the default gives way to a small budget.
    """
    names = GivenOptions.__annotations__.keys() - GivenFilters.__annotations__.keys()
    changed: dict[str, Any] = {
        name: value for name, value in given.items() if name in names and value is not None
    }
    is_given = "min_primary_hits_to_keep" in changed or "retrieval_min_primary_hits_to_keep" in settings.given
    return replace(settings.context_options(), keep_fewer=not is_given, **changed)


def _print(output: Output, pack: ContextPack, *, explain: bool) -> None:
    for note in pack.trace["notes"]:
        output.note(f"Note: {note}")
    trace = pack.explanation
    most = trace.budget.final_max_tokens
    if not trace.budget.held:
        smaller = " or a smaller --keep" if trace.budget.min_primary_hits_to_keep > 1 else ""
        exceeded = f"Note: The budget of {most} tokens is exceeded. {trace.budget.note}"
        output.note(f"{exceeded} Give a larger --budget{smaller}.")
    if not pack.selected_chunks and trace.expansion_stats.primary.dropped:
        output.say(f"Nothing that was found fits the budget of {most} tokens.")
        output.note("Give a larger --budget, or --keep 1 to have the best passage whatever it takes.")
    elif not pack.selected_chunks:
        output.say(f"No passage in the library answers “{one_line(pack.query)}”.")
    else:
        output.say(pack.context_pack)
    if explain:
        output.say()
        for line, dim in explanation(pack):
            output.say(Styled(line, dim=dim, bold=not dim))
