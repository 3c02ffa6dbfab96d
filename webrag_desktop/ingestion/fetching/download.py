"""Getting a large file that is known by its sha256: into a file, bounded, begun again where it was left."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from io import BufferedWriter
from pathlib import Path
from typing import Final, NoReturn

import httpcore
import httpx

from webrag_desktop.errors import FetchError, resource_error
from webrag_desktop.errors.opening import why
from webrag_desktop.ingestion.fetching import errors as fetch_errors
from webrag_desktop.ingestion.fetching.fetch import Answer, Visit
from webrag_desktop.ingestion.fetching.network import Bounds, Deadline, Network
from webrag_desktop.ingestion.fetching.options import FetchOptions, Header
from webrag_desktop.progress import CancelToken, ProgressCallback, Step, no_progress
from webrag_desktop.servers import retries

TOTAL_SECONDS: Final = 3600.0  # of one request: 60 MB at 17 kB a second
_PARTIAL, _BEYOND = 206, 416
_RANGE = re.compile(r"bytes (\d+)-\d+/(?:\d+|\*)")
_SHA256 = re.compile(r'"?([0-9a-f]{64})"?')


@dataclass(frozen=True, slots=True)
class KnownFile:
    """A file of the web: its ``address``, the ``sha256`` of its content, and how many bytes it has at most."""

    address: str
    sha256: str
    most_bytes: int


def download(
    wanted: KnownFile,
    part: Path,
    options: FetchOptions,
    *,
    progress: ProgressCallback = no_progress,
    cancel: CancelToken | None = None,
    network: Network | None = None,
) -> None:
    """Bring the file into ``part``, where its content is the wanted one afterwards.

    What is in ``part`` already is taken for its beginning. It stays there when this ends early, so that the next
    attempt needs the rest only; what turns out to be another file's is removed.

    Raises:
        FetchError: it cannot be had or written, or is another file by now; ``transient`` tells whether trying later
            may help.
        ResourceError: the disk is full.
        Cancelled: ``cancel`` was set.
    """
    bounded = replace(options, max_bytes=wanted.most_bytes, total_seconds=TOTAL_SECONDS)

    def attempt() -> None:
        deadline = Deadline(TOTAL_SECONDS, cancel)
        visit = _Download(bounded, deadline, network or Network(), progress, part=part, sha256=wanted.sha256)
        _, answer = visit.follow(wanted.address)
        if answer.status == _BEYOND:
            part.unlink(missing_ok=True)  # it is longer than the file
            raise FetchError("What was there of the file is none of it", "", transient=True, retryable=True)
        if not 200 <= answer.status < 300:
            raise fetch_errors.refused_status(answer.status, retries.retry_after(answer.headers))

    def waiting(seconds: float, token: CancelToken) -> None:
        progress(Step("fetching", detail="Waiting for the site"))
        retries.wait(seconds, token)

    if not _is(part, wanted.sha256):
        policy = replace(retries.WEB_SITES, seconds=options.retry_seconds, wait=waiting)
        policy.run(lambda _left: attempt(), cancel or CancelToken())
    if not _is(part, wanted.sha256):
        part.unlink(missing_ok=True)
        raise _another()


def _is(part: Path, sha256: str) -> bool:
    try:
        with part.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == sha256
    except FileNotFoundError:
        return False
    except OSError as error:
        _not_written(part, error)


def _another() -> FetchError:
    return FetchError("The file there is another one than the program knows, so it was not used", "")


def _not_written(part: Path, error: OSError) -> NoReturn:
    lacking = resource_error(error)
    if lacking is not None:
        raise lacking from error
    raise FetchError(f"The file {part} cannot be written: {why(error)}", "") from error


@dataclass(frozen=True)
class _Download(Visit):
    """A fetch whose body goes into ``part``, after what is there already."""

    part: Path = Path()
    sha256: str = ""

    def open(self, address: str, bounds: Bounds) -> Answer:
        """One request; a hub that names the sum of another file is not asked for that file."""
        answer = super().open(address, bounds)
        named = _SHA256.fullmatch(_fields(answer.headers).get("x-linked-etag", ""))
        if named is not None and named.group(1) != self.sha256:
            raise _another()
        return answer

    def request_headers(self, url: httpx.URL) -> list[Header]:
        """What a request says: the rest of the file as it is, unpacked."""
        kept = (
            header
            for header in super().request_headers(url)
            if header[0] not in (b"Accept", b"Accept-Encoding")
        )
        headers = [*kept, (b"Accept", b"*/*"), (b"Accept-Encoding", b"identity")]
        done = self._done()
        return [*headers, (b"Range", b"bytes=%d-" % done)] if done else headers

    def body_of(self, response: httpcore.Response, headers: tuple[tuple[str, str], ...]) -> bytes:
        """Write the body; nothing of it is kept in memory."""
        fields = _fields(headers)
        begin = self._begin(response.status, fields)
        length = fields.get("content-length", "")
        total = begin + int(length) if length.isascii() and length.isdigit() else None
        if total is not None and total > self.options.max_bytes:
            raise fetch_errors.too_large(self.options.max_bytes)
        done = begin
        with self._opened(begin) as file:
            for chunk in response.iter_stream():
                done += len(chunk)
                if done > self.options.max_bytes:
                    raise fetch_errors.too_large(self.options.max_bytes)
                self._write(file, chunk)
                self.progress(Step("fetching", done, total))
        return b""

    def _opened(self, begin: int) -> BufferedWriter:
        try:
            self.part.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            return self.part.open("ab" if begin else "wb")
        except OSError as error:
            _not_written(self.part, error)

    def _write(self, file: BufferedWriter, chunk: bytes) -> None:
        try:
            file.write(chunk)
            file.flush()  # what the disk does not take is met here, and not among the network's failures
        except OSError as error:
            _not_written(self.part, error)

    def _begin(self, status: int, fields: Mapping[str, str]) -> int:
        """Where in the file the body begins; a server that knows no ranges sends all of it."""
        if status != _PARTIAL:
            return 0
        found = _RANGE.match(fields.get("content-range", ""))
        if found is None or int(found.group(1)) != self._done():
            raise FetchError("The site sent another part of the file than the one that was asked for", "")
        return self._done()

    def _done(self) -> int:
        try:
            return self.part.stat().st_size
        except FileNotFoundError:
            return 0
        except OSError as error:
            _not_written(self.part, error)


def _fields(headers: tuple[tuple[str, str], ...]) -> Mapping[str, str]:
    return {name.lower(): value.strip() for name, value in headers}
