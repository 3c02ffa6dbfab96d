"""Divides a document's elements into the sections that become parents."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from webrag_desktop.indexing.structure import Element


@dataclass(frozen=True, slots=True)
class Section:
    """Consecutive elements under one heading; ``headed`` is False where the document has no headings."""

    heading: str | None
    elements: Sequence[Element]
    headed: bool = True

    @property
    def start(self) -> int:
        """Where the section begins in the markdown."""
        return self.elements[0].start

    @property
    def end(self) -> int:
        """Where the next section begins."""
        return self.elements[-1].end


def divide(elements: Sequence[Element]) -> Iterator[Section]:
    """The sections of a document, in order; they partition its elements.

    Every ``##`` begins one, and so does every ``#``. What stands before the first ``##`` is one section up to
    its first ``#`` and onward, so that a line above the title does not become a section of its own. Without
    any ``##`` the ``#`` headings divide; with neither, everything is one section without heading.
    """
    if not any(element.level for element in elements):
        yield Section(None, elements, headed=False)
        return
    starts = [index for index, element in enumerate(elements) if element.level in {1, 2}]
    if starts and starts[0] > 0:
        joins_title = elements[starts[0]].level == 1 and any(element.level == 2 for element in elements)
        starts = [0, *starts[1:]] if joins_title else [0, *starts]
    starts = starts or [0]
    for start, end in zip(starts, [*starts[1:], len(elements)], strict=True):
        members = elements[start:end]
        titles = (element.section for element in members if element.level in {1, 2})
        yield Section(next(titles, None), members)
