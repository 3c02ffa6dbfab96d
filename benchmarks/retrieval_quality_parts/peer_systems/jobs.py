"""What a system is asked to do, and how it gets its vectors."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

Embed = Callable[[list[str]], list[list[float]]]
Found = list[tuple[str, int, int]]  # document, start and end, best first


@dataclass(frozen=True, slots=True)
class Job:
    """Documents by name, questions, their language, and how many chunks are wanted of each answer."""

    documents: Mapping[str, str]
    questions: tuple[str, ...]
    language: str
    depth: int
