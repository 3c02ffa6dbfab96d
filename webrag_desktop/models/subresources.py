"""Subresources: the stylesheets, images and fonts that show a page as it looked, and what of them is kept."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple
from uuid import UUID

SubresourceKind = Literal["stylesheet", "image", "font"]


class StoredBody(NamedTuple):
    """What is kept of one address: its media type and its bytes."""

    media_type: str
    body: bytes


@dataclass(frozen=True, slots=True)
class AbsentSubresource:
    """A file of a page that is not kept, and why; ``transient``: it may be had at another time."""

    url: str
    reason: str
    transient: bool = False


@dataclass(frozen=True, slots=True)
class KeptSubresources:
    """What is kept of the files of a page, as it was captured at ``fetched_at``.

    ``is_open``: some are still to be fetched. ``kept`` counts the files that are there, ``kept_bytes`` their size as
    received; ``left_out`` those beyond the limits of a page, or 0 where fetching them ended early, for the reason in
    ``left_out_reason``.
    """

    capture_id: UUID
    fetched_at: datetime
    is_open: bool
    kept: int
    kept_bytes: int
    absent: tuple[AbsentSubresource, ...] = ()
    left_out: int = 0
    left_out_reason: str | None = None

    @property
    def referred(self) -> int:
        """How many files the page refers to, as far as it is known."""
        return self.kept + len(self.absent) + self.left_out

    def reasons(self) -> dict[str, int]:
        """Why files are absent, with how many are for each reason, the most frequent first."""
        counted: dict[str, int] = {}
        for one in self.absent:
            counted[one.reason] = counted.get(one.reason, 0) + 1
        if self.left_out and self.left_out_reason:
            counted[self.left_out_reason] = counted.get(self.left_out_reason, 0) + self.left_out
        return dict(sorted(counted.items(), key=lambda item: (-item[1], item[0])))


@dataclass(frozen=True, slots=True)
class PageLook:
    """A page as it looked: ``html`` runs nothing, and every file that it refers to is in ``files``, by its name.

    What it names and ``files`` lacks is absent. ``summary`` is None where none of its files were ever asked for.
    """

    document_id: UUID
    title: str | None
    address: str
    fetched_at: datetime
    html: str
    files: dict[str, StoredBody]
    summary: KeptSubresources | None
