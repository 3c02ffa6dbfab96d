"""A large file known by its sum comes whole or not at all, and goes on where it was left."""

import errno
import hashlib
import os
from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest

from tests.support.embedding_server import Reply
from tests.support.weights_hub import WeightsHub, hub_error
from webrag_desktop.errors import Cancelled, FetchError, ResourceError, UnsafeAddressError
from webrag_desktop.ingestion.fetching import download as module
from webrag_desktop.ingestion.fetching.download import KnownFile, download
from webrag_desktop.ingestion.fetching.options import FetchOptions
from webrag_desktop.progress import CancelToken, Step
from webrag_desktop.servers import retries

CONTENT = bytes(range(256)) * 4000  # a megabyte
OPTIONS = FetchOptions()


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Attempts do not wait for each other."""
    monkeypatch.setattr(retries, "WEB_SITES", replace(retries.WEB_SITES, first_wait=0.01, jitter=0.0))


@pytest.fixture
def hub() -> Iterator[WeightsHub]:
    with WeightsHub("/somebody/model/resolve/abc/model.safetensors", CONTENT) as running:
        yield running


@pytest.fixture
def part(tmp_path: Path) -> Path:
    return tmp_path / "models" / "file.download"


class FullDisk(BytesIO):
    """A file that takes nothing more."""

    def write(self, _content: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def wanted(hub: WeightsHub, content: bytes = CONTENT) -> KnownFile:
    return KnownFile(hub.address, hashlib.sha256(content).hexdigest(), 2_000_000)


def test_the_file_comes_through_the_redirect_and_its_progress_is_told(hub: WeightsHub, part: Path) -> None:
    steps: list[Step] = []
    download(wanted(hub), part, OPTIONS, progress=steps.append)
    assert part.read_bytes() == CONTENT
    assert [step.done for step in steps] == sorted({step.done for step in steps})
    assert {step.total for step in steps} == {len(CONTENT)}
    assert steps[-1].done == len(CONTENT)
    (asked,) = hub.store.received
    assert asked.headers["accept-encoding"] == "identity"
    assert "range" not in asked.headers


def test_what_is_here_already_is_not_asked_for(hub: WeightsHub, part: Path) -> None:
    download(wanted(hub), part, OPTIONS)
    download(wanted(hub), part, OPTIONS)
    assert (len(hub.hub.received), len(hub.store.received)) == (1, 1)


def test_a_connection_that_breaks_is_taken_up_where_it_ended(hub: WeightsHub, part: Path) -> None:
    hub.store.replies.append(lambda good: replace(good, cut=True))
    download(wanted(hub), part, OPTIONS)
    assert part.read_bytes() == CONTENT
    assert hub.store.begins == [0, len(CONTENT) // 2]


def test_a_cancelled_download_goes_on_in_the_next_attempt(hub: WeightsHub, part: Path) -> None:
    cancel = CancelToken()

    def stop_at_half(step: Step) -> None:
        if step.done > len(CONTENT) // 2:
            cancel.cancel()

    with pytest.raises(Cancelled):
        download(wanted(hub), part, OPTIONS, progress=stop_at_half, cancel=cancel)
    came = part.stat().st_size
    assert len(CONTENT) // 2 < came < len(CONTENT)
    download(wanted(hub), part, OPTIONS)
    assert part.read_bytes() == CONTENT
    assert hub.store.begins == [0, came]


def test_a_server_without_ranges_sends_all_of_it_again(hub: WeightsHub, part: Path) -> None:
    hub.ranges = False
    hub.store.replies.append(lambda good: replace(good, cut=True))
    download(wanted(hub), part, OPTIONS)
    assert part.read_bytes() == CONTENT


def test_a_beginning_longer_than_the_file_is_given_up(hub: WeightsHub, part: Path) -> None:
    part.parent.mkdir()
    part.write_bytes(CONTENT + b"more")
    download(wanted(hub), part, OPTIONS)
    assert part.read_bytes() == CONTENT
    assert hub.store.begins == [len(CONTENT) + 4, 0]


def test_a_beginning_of_another_file_is_found_by_the_sum_and_removed(hub: WeightsHub, part: Path) -> None:
    part.parent.mkdir()
    part.write_bytes(b"of another file")
    with pytest.raises(FetchError, match="another one than the program knows"):
        download(wanted(hub), part, OPTIONS)
    assert not part.exists()
    download(wanted(hub), part, OPTIONS)
    assert part.read_bytes() == CONTENT


def test_another_part_than_the_one_that_was_asked_for_is_not_appended(hub: WeightsHub, part: Path) -> None:
    part.parent.mkdir()
    part.write_bytes(CONTENT[:1000])
    moved = {"Content-Range": f"bytes 0-{len(CONTENT) - 1}/{len(CONTENT)}"}
    hub.store.replies.append(lambda good: replace(good, headers={**good.headers, **moved}))
    with pytest.raises(FetchError, match="another part of the file"):
        download(wanted(hub), part, OPTIONS)
    assert part.read_bytes() == CONTENT[:1000]


def test_a_hub_that_names_another_sum_is_not_asked_for_the_file(hub: WeightsHub, part: Path) -> None:
    with pytest.raises(FetchError, match="another one than the program knows"):
        download(wanted(hub, b"as it was"), part, OPTIONS)
    assert hub.store.received == []
    assert not part.exists()


def test_a_store_that_gives_another_file_is_found_out(hub: WeightsHub, part: Path) -> None:
    hub.store.replies.append(lambda good: replace(good, body=good.body[:-1] + b"!"))
    with pytest.raises(FetchError, match="another one than the program knows"):
        download(wanted(hub), part, OPTIONS)
    assert not part.exists()


@pytest.mark.parametrize("stated", [True, False], ids=["stated", "found out"])
def test_a_file_that_is_too_large_is_not_taken(
    hub: WeightsHub, part: Path, stated: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not stated:
        monkeypatch.setattr(module, "_fields", lambda headers: {})
    with pytest.raises(FetchError, match="larger than"):
        download(replace(wanted(hub), most_bytes=500_000), part, OPTIONS)
    assert not part.exists() or part.stat().st_size <= 500_000


@pytest.mark.parametrize(
    ("reply", "words", "transient"),
    [
        (hub_error(404, "RevisionNotFound"), "404", False),
        (hub_error(401, "GatedRepo"), "401", False),
        (hub_error(503, ""), "503", True),
        (Reply(drop=True), "connection broke off", True),
    ],
    ids=["gone", "gated", "fault", "hangs up"],
)
def test_a_hub_that_does_not_give_it_is_reported(
    hub: WeightsHub, part: Path, reply: Reply, words: str, transient: bool
) -> None:
    hub.hub.replies.extend([lambda _good: reply] * 9)
    with pytest.raises(FetchError, match=words) as caught:
        download(wanted(hub), part, OPTIONS)
    assert caught.value.transient is transient
    assert not part.exists()


def test_a_full_disk_is_named_and_leaves_no_half_truth(
    hub: WeightsHub, part: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module._Download, "_opened", lambda *_: FullDisk())
    with pytest.raises(ResourceError, match="no space left on the disk"):
        download(wanted(hub), part, OPTIONS)
    assert len(hub.store.received) == 1


def test_a_redirect_into_the_own_network_is_not_followed_where_only_the_internet_may_be_asked(
    hub: WeightsHub, part: Path
) -> None:
    with pytest.raises(UnsafeAddressError):
        download(wanted(hub), part, replace(OPTIONS, allow_private=False))
    assert hub.hub.received == []
