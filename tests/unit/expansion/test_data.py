"""Limits, and the events and the kept record of an expansion."""

from datetime import UTC, datetime
from uuid import UUID

import pytest
from pydantic import TypeAdapter

from webrag_desktop.config import Settings
from webrag_desktop.errors import ConfigurationError
from webrag_desktop.expansion.contracts import CandidateLink, Coverage, LinkCandidate, PageVisit, ScoredLink
from webrag_desktop.expansion.events import (
    Candidates,
    Ended,
    Expansion,
    ExpansionEvent,
    Judged,
    Started,
    Visited,
)
from webrag_desktop.expansion.options import ExpansionLimits

RUN, DOCUMENT = UUID(int=1), UUID(int=2)
MISSING = Coverage(
    verdict="missing", score=0.1, share_of_words=0.2, missing_words=("cable",), explanation="No."
)
VISITS = (
    PageVisit(url="https://a.org/intro", parent_url=None, depth=0, outcome="known", document_id=DOCUMENT),
    PageVisit(
        url="https://a.org/more",
        parent_url="https://a.org/intro",
        depth=1,
        outcome="new",
        gave_evidence=True,
        title="More",
    ),
)


def run() -> Expansion:
    return Expansion(
        id=RUN,
        question="q",
        started_at=datetime(2026, 1, 1, tzinfo=UTC),
        reason="limits",
        limits=ExpansionLimits(pages=3, same_site=False),
        visits=VISITS,
        coverage_before=MISSING,
    )


def test_an_expansion_comes_back_from_json_as_it_was() -> None:
    assert Expansion.model_validate_json(run().model_dump_json()) == run()


def test_an_expansion_draws_its_visits() -> None:
    assert run().diagram() == "a.org/intro → /more [✓]"
    assert run().diagram(titles=True) == "a.org/intro → More [✓]"


@pytest.mark.parametrize(
    "event",
    [
        Started(question="q", run_id=RUN, coverage=MISSING),
        Candidates(
            round=1,
            links=(
                CandidateLink.of(
                    ScoredLink(
                        LinkCandidate("https://a.org/b", "https://a.org/intro", 1, "B"), 0.5, "Because."
                    )
                ),
            ),
        ),
        Visited(url="https://a.org/b", parent_url="https://a.org/intro", depth=1, outcome="forbidden"),
        Judged(round=1, coverage=MISSING, documents_with_evidence=(DOCUMENT,)),
        Ended(run=run()),
    ],
)
def test_events_come_back_from_json_by_their_type(event: ExpansionEvent) -> None:
    adapter: TypeAdapter[ExpansionEvent] = TypeAdapter(ExpansionEvent)
    assert adapter.validate_json(event.model_dump_json()) == event


def test_a_link_is_called_by_its_title_its_words_or_its_address() -> None:
    link = LinkCandidate("https://a.org/b", "https://a.org/", 1)
    titles = [
        CandidateLink.of(ScoredLink(one, 0.5, "")).title
        for one in (link, LinkCandidate(link.url, link.parent_url, 1, "words"))
    ]
    assert titles == ["https://a.org/b", "words"]


def test_limits_are_settings() -> None:
    assert Settings.of().expansion_limits() == ExpansionLimits()
    assert (ExpansionLimits().pages, ExpansionLimits().depth, ExpansionLimits().seconds) == (20, 2, 120)
    assert ExpansionLimits().bytes == 50_000_000
    assert ExpansionLimits().same_site
    settings = Settings.of(
        EXPAND_PAGES="3", EXPAND_DEPTH="1", EXPAND_SECONDS="9.5", EXPAND_BYTES="77", EXPAND_SAME_SITE="false"
    )
    assert settings.expansion_limits() == ExpansionLimits(3, 1, 9.5, 77, same_site=False)


@pytest.mark.parametrize(
    ("name", "value"), [("pages", 0), ("depth", 0), ("seconds", 0.0), ("bytes", 0), ("pages", 10_001)]
)
def test_limits_that_cannot_work_are_refused_by_name(name: str, value: float) -> None:
    with pytest.raises(ConfigurationError, match=f"EXPAND_{name.upper()} is {value}"):
        ExpansionLimits(**{name: value})  # type: ignore[arg-type]
    with pytest.raises(ConfigurationError, match=f"EXPAND_{name.upper()}"):
        Settings.of(**{f"EXPAND_{name.upper()}": value})
