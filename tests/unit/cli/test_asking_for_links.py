"""Whoever is asked which links to follow sees the best first, and as many more as wished."""

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import cast

import click
import pytest

from webrag_desktop import Library
from webrag_desktop.cli.commands import expand
from webrag_desktop.cli.exit_codes import ExitCode
from webrag_desktop.cli.output import Output
from webrag_desktop.expansion.contracts import CandidateLink, Coverage, Verdict
from webrag_desktop.expansion.options import ExpansionLimits
from webrag_desktop.progress import CancelToken

LINKS = [
    CandidateLink(
        url=f"https://x.example/{n}",
        title=f"Page {n}",
        why="Linked",
        score=0.5,
        depth=1,
        parent_url="https://x.example/",
    )
    for n in range(1, 46)
]


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """Somebody who answers so, one after the other; what he was asked."""

    def somebody(*given: str) -> list[str]:
        asked: list[str] = []
        left = iter(given)

        def prompt(question: str, **_options: object) -> str:
            asked.append(question)
            return next(left)

        monkeypatch.setattr(click, "prompt", prompt)
        return asked

    return somebody


def numbers(err: str) -> list[int]:
    return [int(line.split()[0]) for line in err.splitlines() if line.split()[0].isdigit()]


def test_the_best_are_shown_and_further_ones_on_request(
    answers: Callable[..., list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    asked = answers("more", "more", "45, 2")
    assert expand._asking(Output(), CancelToken())(LINKS) == [LINKS[44].url, LINKS[1].url]
    assert numbers(capsys.readouterr().err) == list(range(1, 46))
    assert ["more" in question for question in asked] == [True, True, False]


def test_all_are_those_that_were_shown_and_others_cannot_be_meant(
    answers: Callable[..., list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    answers("21", "all")
    assert expand._asking(Output(), CancelToken())(LINKS) == [link.url for link in LINKS[:20]]
    assert "Give numbers from 1 to 20" in capsys.readouterr().err


def coverage(verdict: Verdict) -> Coverage:
    return Coverage(
        verdict=verdict,
        score=0.0,
        share_of_words=0.0,
        missing_words=(),
        documents_matched=0,
        explanation="Because.",
    )


@pytest.mark.parametrize(
    ("verdict", "links", "agreed", "code"),
    [
        ("missing", LINKS, True, None),
        ("missing", LINKS, False, ExitCode.OK),
        ("missing", [], True, ExitCode.FAILED),
        ("covered", LINKS, True, ExitCode.OK),
    ],
)
def test_how_the_command_ends_where_nothing_is_to_be_followed(
    monkeypatch: pytest.MonkeyPatch,
    verdict: Verdict,
    links: Sequence[CandidateLink],
    agreed: bool,
    code: ExitCode | None,
) -> None:
    there = SimpleNamespace(isatty=lambda: True)
    monkeypatch.setattr(expand, "sys", SimpleNamespace(stdin=there, stderr=there))
    asked: list[str] = []

    def confirm(question: str, **_options: object) -> bool:
        asked.append(question)
        return agreed

    monkeypatch.setattr(click, "confirm", confirm)
    library = SimpleNamespace(expansion_preview=lambda *_asked: (coverage(verdict), links))
    ended = expand._ended_by_asking(Output(), cast("Library", library), "Why?", ExpansionLimits())
    assert ended == code
    assert bool(asked) is (verdict == "missing" and bool(links))
