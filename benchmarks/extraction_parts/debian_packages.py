"""Debian's documentation packages: downloaded, and their pages unpacked without root."""

import hashlib
import io
import lzma
import subprocess
import tarfile
import tempfile
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

import zstandard

PACKAGES = (
    "apache2-doc", "asciidoctor-doc", "bash-doc", "cmake-doc", "debian-handbook", "debian-reference-en", "erlang-doc",
    "ganeti-doc", "ghc-doc", "git-doc", "gnuplot-doc", "haproxy-doc", "jargon", "libboost1.74-doc", "libeigen3-doc",
    "libglib2.0-doc", "libgtk-3-doc", "lilypond-doc-html", "maxima-doc", "mkdocs-doc", "nodejs-doc", "octave-doc",
    "openjdk-17-doc", "postgresql-doc-15", "python-django-doc", "python-jinja2-doc", "python-pandas-doc",
    "python-scipy-doc", "python-sklearn-doc", "python-sqlalchemy-doc", "python3.11-doc", "qtbase5-doc-html",
    "r-doc-html", "rust-doc", "sbcl-doc", "scala-doc", "sqlite3-doc", "vim-doc", "xapian-doc", "zsh-doc",
)  # fmt: skip
PAGES = (".html", ".htm", ".xhtml")
RELEASE = "bookworm"
_NAMED = ("copyright",)
_LONGEST_WAIT = 120  # seconds without an answer


class PackageError(Exception):
    """A package could not be fetched or is not what the archive says it is."""


def fetch_packages(
    folder: Path, mirror: str | None, packages: Sequence[str] = PACKAGES
) -> Iterator[tuple[str, str]]:
    """Fetch each package and unpack its pages into ``folder/PACKAGE``; yields its name and what became of it.

    ``mirror`` is the address of a Debian archive (``https://…/debian``), whose checksums are compared; without one,
    ``apt-get download`` fetches from the sources of this computer. Packages unpacked already are left alone.
    """
    listing = _listing(mirror) if mirror else {}
    for name in packages:
        target = folder / name
        if target.is_dir():
            yield name, "there already"
            continue
        try:
            body = _from_mirror(mirror, listing, name) if mirror else _from_apt(name)
            yield name, f"{_unpack_pages(body, target)} pages"
        except (PackageError, OSError) as error:
            yield name, f"not fetched: {error}"


def _listing(mirror: str) -> dict[str, tuple[str, str]]:
    """Path and SHA-256 of every package that is the same on all architectures."""
    packed = _download(f"{mirror.rstrip('/')}/dists/{RELEASE}/main/binary-all/Packages.xz")
    found = {}
    for entry in lzma.decompress(packed).decode().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in entry.splitlines() if ": " in line[:40])
        if {"Package", "Filename", "SHA256"} <= fields.keys():
            found[fields["Package"]] = (fields["Filename"], fields["SHA256"])
    return found


def _from_mirror(mirror: str, listing: dict[str, tuple[str, str]], name: str) -> bytes:
    if name not in listing:
        raise PackageError(f"the mirror's {RELEASE} has no such package")
    path, checksum = listing[name]
    body = _download(f"{mirror.rstrip('/')}/{path}")
    if hashlib.sha256(body).hexdigest() != checksum:
        raise PackageError("its checksum is not the one the mirror lists")
    return body


def _download(address: str) -> bytes:
    if not address.startswith(("https://", "http://")):
        raise PackageError(f"{address} is no web address")
    with urllib.request.urlopen(address, timeout=_LONGEST_WAIT) as answer:
        body: bytes = answer.read()
    return body


def _from_apt(name: str) -> bytes:
    with tempfile.TemporaryDirectory(prefix="webrag-bench-") as folder:
        done = subprocess.run(
            ["apt-get", "download", name], cwd=folder, capture_output=True, text=True, check=False
        )
        files = list(Path(folder).glob("*.deb"))
        if done.returncode or not files:
            raise PackageError(
                done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "apt-get failed"
            )
        return files[0].read_bytes()


def _unpack_pages(body: bytes, target: Path) -> int:
    """Write pages and copyright files below ``target``; returns how many pages."""
    name, packed = next((item for item in _members(body) if item[0].startswith("data.tar")), ("", b""))
    if not name:
        raise PackageError("it is not a Debian package")
    plain = zstandard.ZstdDecompressor().stream_reader(packed).read() if name.endswith(".zst") else packed
    pages = 0
    with tarfile.open(fileobj=io.BytesIO(plain)) as archive:
        for member in archive:
            path = PurePosixPath(member.name)
            if not member.isfile() or not (path.suffix.lower() in PAGES or path.name in _NAMED):
                continue
            archive.extract(member, target, filter="data")
            pages += path.suffix.lower() in PAGES
    return pages


def _members(body: bytes) -> Iterator[tuple[str, bytes]]:
    """Names and contents of the members of an ``ar`` archive."""
    position = 8  # behind "!<arch>\n"
    while position + 60 <= len(body):
        header = body[position : position + 60]
        size = int(header[48:58])
        yield header[:16].decode("ascii").rstrip(" /"), body[position + 60 : position + 60 + size]
        position += 60 + size + size % 2
