"""How the trace of a context pack reads on a terminal."""

from collections.abc import Iterator

from webrag_desktop.cli.output import INDENT, one_line
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
        yield f"{len(trace.rerank_results)} of them were judged again, and come in that order.", True
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
    told = f"{trace.final_token_count} of {budget.final_max_tokens} tokens, counted by {budget.tokenizer}."
    return f"{told} {budget.note}" if budget.note else told


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
