"""Ask one state of the program everything that two states are compared by: ``python -m tests.golden.ask FOLDER OUT``.

Run in the checkout that is asked, on a copy of what :mod:`tests.golden.make` made. ``OUT`` gets a JSON document a line:
``{"key": …, "value": …}``. Long texts are replaced by their hash; what differs at every run is left out.
"""

import argparse
import dataclasses
import hashlib
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO
from uuid import UUID

from pydantic import BaseModel

from tests.golden.make import SETTINGS, environment
from tests.support.fidelity import fidelity_document, page_names
from webrag_desktop import DataFolder, Library
from webrag_desktop.config import Settings
from webrag_desktop.retrieval.contracts.answers import Query

SHOWN = 160  # characters; longer texts of the library are compared by their hash, what commands print is not
_VOLATILE = frozenset(
    {
        "timing",
        "timings",
        "fetched_at",
        "made_at",
        "size",
        "pid",
        "connection",
        "at",
        "checked_at",
        "next_check",
    }
)
_UUID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")
_PLACE = re.compile(r"[Pp]rocess \d+|/run/\S+|/tmp/\S+|(?<=127\.0\.0\.1:)\d+")
_SHORT_ID = re.compile(r"\b[0-9a-f]{8}\b")
_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d| UTC)?|\d{8}T\d{6}\.\d+Z")


def plain(value: object) -> Any:
    """A value as JSON holds it, with a hash for each long text and without what differs at every run."""
    if isinstance(value, BaseModel):
        return plain(value.model_dump())
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return plain({one.name: getattr(value, one.name) for one in dataclasses.fields(value)})
    if isinstance(value, dict):
        return {str(name): plain(one) for name, one in value.items() if name not in _VOLATILE}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, set | frozenset):
        return sorted(map(str, value))
    if isinstance(value, str) and len(value) > SHOWN:
        return (
            f"{len(value)} characters, {hashlib.sha256(value.encode('utf-8', 'surrogatepass')).hexdigest()}"
        )
    if value is None or isinstance(value, str | int | float | bool):
        return value
    return str(value)


class Answers:
    """Writes answers, one a line."""

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def add(self, key: str, value: object) -> None:
        """Write one answer of the library."""
        self.add_printed(key, plain(value))

    def add_printed(self, key: str, value: object) -> None:
        """Write one answer that is JSON already."""
        self._out.write(json.dumps({"key": key, "value": value}, ensure_ascii=False, sort_keys=True) + "\n")


def ask_questions(services: Library, questions: dict[str, list[str]], every: int, answers: Answers) -> None:
    """Each way to search, and what is made of what was found, for every so many questions."""
    for name, asked in questions.items():
        for number, question in list(enumerate(asked))[::every]:
            key = f"{name}/{number}"
            result = services.search(question, mode="chunk")
            answers.add(f"retrieve/{key}", result)
            answers.add(f"pack/{key}", services.context_pack(result, question))
            answers.add(f"retriever/{key}", services.retriever.search(services.retrieval_prefs(question)))
            answers.add(f"grounding/{key}", services.answer_context(Query(question=question)))
    for mode in ("auto", "full_context"):
        answers.add(f"retrieve/{mode}", services.search("tides", mode=mode))


def ask_documents(services: Library, answers: Answers) -> None:
    """Every document, chunk and space as the database holds it, and the layout of the database."""
    with services.database.connection() as conn:
        for table, order in (
            ("sources", "id"),
            ("documents", "id"),
            ("document_versions", "id"),
            ("chunks", "id"),
        ):
            rows = conn.execute(f"SELECT to_jsonb(t) FROM {table} t ORDER BY {order}".encode()).fetchall()
            answers.add(
                f"table/{table}", hashlib.sha256(json.dumps(rows, sort_keys=True).encode()).hexdigest()
            )
            answers.add(f"rows/{table}", len(rows))
        answers.add(
            "spaces", conn.execute("SELECT to_jsonb(s) FROM embedding_spaces s ORDER BY id").fetchall()
        )
    schema = Path("webrag_desktop/storage/schema.sql").read_bytes()
    answers.add("schema.sql", hashlib.sha256(schema).hexdigest())


def ask_pages(answers: Answers) -> None:
    """What is read out of every fidelity page."""
    for name in page_names():
        answers.add(f"page/{name}", fidelity_document(name))


@dataclasses.dataclass
class CommandLine:
    """The program as a process, on one library; ids that come up while it runs are numbered."""

    home: Path
    answers: Answers
    frozen: frozenset[str]
    numbered: dict[str, str] = dataclasses.field(default_factory=dict)

    def run(self, *arguments: str, given: str = "", **settings: str) -> Any:
        """Run a command and note exit code, what it printed, and its words on standard error."""
        done = subprocess.run(
            [sys.executable, "-m", "webrag_desktop", *arguments],
            input=given.encode(),
            capture_output=True,
            env=environment(self.home, **settings),
            check=False,
        )
        out, err = done.stdout.decode(), done.stderr.decode()
        printed = json.loads(out) if "--json" in arguments and out else out
        reported = {"code": done.returncode, "out": self._steady(printed), "err": self._steady(err)}
        self.answers.add_printed("command/" + self._steady(" ".join(arguments)), reported)
        return printed

    def wait_for_rest(self, **settings: str) -> None:
        """Wait until the last move is tidied up and its worker gone, which is after the command that waited for it."""
        command = [sys.executable, "-m", "webrag_desktop", "space", "--json"]
        for _attempt in range(60):
            reported = json.loads(subprocess.check_output(command, env=environment(self.home, **settings)))
            if reported["move"]["state"] != "tidying" and not reported["worker"]:
                return
            time.sleep(1)

    def _steady(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {name: self._steady(one) for name, one in value.items() if name not in _VOLATILE}
        if isinstance(value, list):
            return [self._steady(one) for one in value]
        if not isinstance(value, str):
            return value
        for place, name in ((self.home, "HOME"), (self.home.parent, "FOLDER"), (Path.cwd(), "HERE")):
            value = value.replace(str(place), name)
        text = _SHORT_ID.sub("ID", _PLACE.sub("…", _UUID.sub(self._number, value)))
        return _TIME.sub("TIME", text)

    def _number(self, found: re.Match[str]) -> str:
        if found.group() in self.frozen:
            return found.group()
        return self.numbered.setdefault(found.group(), f"id-{len(self.numbered)}")


def ask_command_line(home: Path, frozen: frozenset[str], answers: Answers) -> None:
    """Every command, as text and as JSON, in an order in which each finds something to do."""
    webrag = CommandLine(home, answers, frozen)
    listed = [row["id"] for row in webrag.run("list", "--json")]
    first, second, third = listed[:3]
    for arguments in _reading(first):
        webrag.run(*arguments)
        webrag.run(*arguments, "--json")
    new = home.parent / "new.md"
    new.write_text("# Limpets\n\nLimpets clamp their shells to the rock at low tide.\n", encoding="utf-8")
    for arguments in _changing(first, second, third, new):
        webrag.run(*arguments, "--json")
    new.write_text("# Limpets\n\nLimpets fasten their shells to the rock at low tide.\n", encoding="utf-8")
    for arguments in _after_change(new, home.parent / "saved.webrag"):
        webrag.run(*arguments, "--json")
    webrag.run("uncite", webrag.run("citations", "--json")[0]["id"], "--json")
    for step in (("move", "--no-wait"), ("pause",), ("resume",), ("cancel",), ("move",)):
        webrag.run("space", *step, "--json", CHUNK_CHILD_TOKENS="128")
    webrag.wait_for_rest(CHUNK_CHILD_TOKENS="128")
    webrag.run("space", "--json", CHUNK_CHILD_TOKENS="128")
    webrag.run("restore", "--yes", "--replace", str(home.parent / "saved.webrag"), "--json")
    webrag.run("list", "--json")
    for arguments in _refused():
        webrag.run(*arguments)
        webrag.run(*arguments, "--json")
    webrag.run("stack", "stop", "--json")
    webrag.run("status", "--json")
    webrag.run("demo")


def _reading(document: str) -> Iterator[Sequence[str]]:
    question = "how are quotas set for a file system"
    yield ("--help",)
    yield ("status",)
    yield ("list",)
    yield from ((name, document) for name in ("show", "chunks", "history", "versions"))
    yield ("search", question)
    yield ("search", "--embedding", question)
    yield from (("search", "--mode", mode, question) for mode in ("auto", "full_context"))
    yield from (("search", "--syntax", how, '"file system"') for how in ("web", "plain", "phrase"))
    yield ("search", "--syntax", "strict", "file & system")
    yield ("search", "--has", "table", "--type", "html", "--max-depth", "0", question)
    yield from (("search", "--strategy", one, question) for one in ("precomputed", "late", "mixed"))
    yield from (
        ("search", "--strategy", "late", "--chunker", one, question) for one in ("recursive", "fixed_tokens")
    )
    yield ("context", question)
    yield ("context", "--budget", "800", "--explain", question)
    yield ("ground", question)
    yield ("ground", "--evidence", "--limit", "3", question)
    yield from ((name,) for name in ("citations", "tag", "collection", "space", "doctor"))
    yield ("stack", "status")


def _changing(first: str, second: str, third: str, new: Path) -> Iterator[Sequence[str]]:
    yield ("add", "--tag", "shore", "--collection", "Sea", str(new), "ftp://example.org/")
    yield ("add", str(new))
    yield ("tag", first, second, "+green", "+blue")
    yield ("tag", first, "-blue")
    yield ("collection", "add", "Plants", second, third)
    yield ("collection", "remove", "Plants", third)
    yield ("cite", str(new), "clamp their shells")
    yield ("pause",)
    yield ("refresh", first, "--no-wait")
    yield ("cancel", first)
    yield ("resume",)
    yield ("retry", first)
    yield ("reextract", "--dry-run", "--all")
    yield ("reextract", second)
    yield ("refresh", "--every", "7d", second)
    yield ("refresh", "--schedule")
    yield ("remove", "--yes", third)
    yield ("doctor", "--deep")


def _after_change(new: Path, saved: Path) -> Iterator[Sequence[str]]:
    yield ("refresh", str(new))
    yield ("versions", str(new))
    yield ("diff", str(new))
    yield ("citations",)
    yield ("work",)
    yield ("backup", str(saved))
    yield ("restore", "--check", str(saved))
    yield ("doctor", "--repair")


def _refused() -> Iterator[Sequence[str]]:
    yield ("show", "0000")
    yield ("search", "--site", "nowhere.example", "quotas")
    yield ("add", "ftp://example.org/")
    yield ("restore", "--check", "nowhere.webrag")
    yield ("diff", "0000")


def ask(folder: Path, out: TextIO, every: int) -> None:
    """Ask everything of the libraries in a folder."""
    answers = Answers(out)
    ask_pages(answers)
    questions = json.loads((folder / "texts" / "questions.json").read_text(encoding="utf-8"))
    with DataFolder(Settings.of(WEBRAG_HOME=folder / "library", **SETTINGS)).open() as services:
        ask_documents(services, answers)
        ask_questions(services, questions, every, answers)
    with DataFolder(Settings.of(WEBRAG_HOME=folder / "small", **SETTINGS)).open() as services:
        frozen = _ids(services)
    ask_command_line(folder / "small", frozen, answers)


def _ids(services: Library) -> frozenset[str]:
    with services.database.connection() as conn:
        rows: list[tuple[UUID]] = conn.execute(
            "SELECT id FROM sources UNION SELECT id FROM document_versions UNION SELECT id FROM chunks"
        ).fetchall()
    return frozenset(str(one) for (one,) in rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--every", type=int, default=1, metavar="N", help="ask every Nth question only")
    arguments = parser.parse_args()
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    with arguments.out.open("w", encoding="utf-8") as file:
        ask(arguments.folder.absolute(), file, arguments.every)
