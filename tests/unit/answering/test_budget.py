"""How much evidence a model is given."""

import pytest

from webrag_desktop.answering.gathering import INSTRUCTION_TOKENS, LEAST_ROOM, MARGIN, room_for_evidence


def test_evidence_gets_two_fifths_of_a_known_window() -> None:
    assert room_for_evidence(16_000, 1024, 10, 40_000) == 6400
    assert room_for_evidence(200_000, 1024, 10, 40_000) == 80_000


def test_what_is_to_be_written_and_said_besides_has_room_in_any_case() -> None:
    """Counted with a margin, since the model has a tokenizer of its own."""
    room = room_for_evidence(4096, 2048, 100, 40_000)
    assert room == int((4096 - 2048 - INSTRUCTION_TOKENS - MARGIN * 100) / MARGIN)
    assert MARGIN * (room + 100) + INSTRUCTION_TOKENS + 2048 == pytest.approx(4096, abs=2)


def test_of_an_unknown_window_the_settings_speak() -> None:
    assert room_for_evidence(None, 1024, 10, 40_000) == 40_000


def test_something_is_always_given() -> None:
    assert room_for_evidence(512, 1024, 10, 40_000) == LEAST_ROOM
