"""What `webrag doctor` tells of a damaged library, and that the commands it names go on from there."""

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.support.command_line import Program, ProgramHere, program
from tests.support.pages import Page, PageServer
from tests.support.queue_work import article
from tests.support.tested_model import TESTED_MODEL
from webrag_desktop import DataFolder, Library
from webrag_desktop.config import Settings
from webrag_desktop.maintenance import checking

TAGGED = (("Content-Type", "text/html; charset=utf-8"), ("ETag", '"one"'))
Damage = Callable[[str], None]


@pytest.fixture(scope="module")
def site() -> Iterator[PageServer]:
    with PageServer({"/rhine": Page(article("Rhine"), headers=TAGGED)}) as server:
        yield server


@pytest.fixture(scope="module")
def webrag(site: PageServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    note = tmp_path_factory.mktemp("notes") / "kelp.md"
    note.write_text("# Kelp\n\nKelp grows in cold water.", encoding="utf-8")
    with program(ProgramHere) as started:
        started.answer("add", "--json", site.url("/rhine"), str(note))
        yield started


@pytest.fixture(scope="module")
def services(webrag: Program) -> Iterator[Library]:
    with DataFolder(
        Settings.of(WEBRAG_HOME=webrag.home, EMBEDDING_BACKEND="embedded", EMBEDDING_MODEL=TESTED_MODEL)
    ).open() as opened:
        yield opened


@pytest.fixture
def damage(services: Library) -> Damage:
    def run(statement: str) -> None:
        with services.database.connection() as conn:
            conn.execute(statement)

    return run


def ids(webrag: Program) -> dict[str, str]:
    return {one["title"]: one["id"] for one in webrag.answer("list", "--json")}


def broken(report: dict[str, Any]) -> dict[str, list[str]]:
    """The titles that each broken promise names."""
    return {
        check["check"]: [document["title"] for document in check["documents"]]
        for check in report["checks"]
        if not check["ok"]
    }


def go_on(webrag: Program, report: dict[str, Any]) -> list[str]:
    """Run the commands that a report names; returns them."""
    commands = [repair["command"] for repair in report["repairs"] if repair["command"]]
    for command in commands:
        name, *arguments = command.split()
        assert name == "webrag"
        assert webrag.run(*arguments).code == 0, command
    return commands


def test_a_damaged_text_is_reported_by_its_title_and_mended(webrag: Program, damage: Damage) -> None:
    damage("UPDATE document_versions SET markdown = replace(markdown, 'cold', 'warm') WHERE title = 'Kelp'")
    reported = webrag.run("doctor", "--json")
    assert (reported.code, broken(reported.json)["chunks-verbatim"]) == (5, ["Kelp"])
    said = webrag.run("doctor").out
    assert f"texts-unaltered: once, in Kelp ({ids(webrag)['Kelp'][:8]})" in said
    mended = webrag.answer("doctor", "--repair", "--json")["repairs"]
    assert {(repair["mended"], repair["document"]["title"]) for repair in mended} == {(True, "Kelp")}
    assert webrag.run("doctor").code == 0


def test_what_belongs_to_no_document_is_counted(webrag: Program, damage: Damage) -> None:
    damage("UPDATE corpus SET tokens = 0")
    assert "figures-true: once: corpus" in webrag.run("doctor").out
    assert "figures-true: 1 row\n" in webrag.run("doctor", "--repair").out
    damage("DELETE FROM lexical_postings")
    (repair,) = webrag.answer("doctor", "--repair", "--deep", "--json")["repairs"]
    assert (repair["check"], repair["mended"], repair["document"]) == ("word-index-true", True, None)


def test_a_damaged_copy_comes_back_by_the_command_that_is_named(
    webrag: Program, site: PageServer, damage: Damage
) -> None:
    damage("UPDATE captures SET body_zstd = '\\x00'")
    reported = webrag.run("doctor", "--repair", "--json")
    assert (reported.code, [*broken(reported.json)]) == (5, ["captures-unaltered"])
    assert {repair["document"]["title"] for repair in reported.json["repairs"]} == {"Rhine", "Kelp"}
    named = ids(webrag)
    commands = go_on(webrag, reported.json)
    assert sorted(commands) == sorted(f"webrag refresh {named[title][:8]}" for title in ("Rhine", "Kelp"))
    assert "if-none-match" not in site.requests[-1].headers, "the whole page is asked for"
    assert webrag.run("doctor", "--deep").code == 0
    assert webrag.answer("versions", "--json", named["Rhine"])[-1]["number"] == 1


def test_after_mending_doctor_names_what_helps_and_not_mending_again(webrag: Program, damage: Damage) -> None:
    damage("UPDATE captures SET body_zstd = '\\x00' WHERE url LIKE 'http:%'")
    rhine = f"webrag refresh {ids(webrag)['Rhine'][:8]}"
    first = webrag.run("doctor").out
    assert "`webrag doctor --repair` mends what it can." in first
    assert rhine not in first, "its site would say that nothing changed"
    mended = webrag.run("doctor", "--repair").out
    assert "checks failed. Nothing of it could be mended." in mended
    again = webrag.run("doctor").out
    assert f"`{rhine}` goes on from there." in again
    assert "--repair" not in again
    assert [one for check in webrag.run("doctor", "--json").json["checks"] for one in check["commands"]] == [
        rhine
    ]
    assert webrag.run(*rhine.split()[1:]).code == 0
    assert webrag.run("doctor").code == 0


def test_lost_copies_come_back_as_well(webrag: Program, damage: Damage) -> None:
    damage("DELETE FROM captures")
    said = webrag.run("doctor", "--repair")
    assert f"`webrag refresh {ids(webrag)['Rhine'][:8]}` goes on from there." in said.out
    assert len(go_on(webrag, webrag.run("doctor", "--repair", "--json").json)) == 2
    assert webrag.run("doctor", "--deep").code == 0


def test_an_older_copy_is_not_promised_back(webrag: Program, damage: Damage) -> None:
    damage(
        "INSERT INTO captures (id, source_id, number, url, final_url, body_zstd, body_sha256, body_bytes, fetched_at)"
        " OVERRIDING SYSTEM VALUE"
        " SELECT gen_random_uuid(), source_id, min(number) - 1, min(url), min(url), '', sha256('x'), 1, min(fetched_at)"
        " FROM captures GROUP BY source_id"
    )
    reported = webrag.run("doctor", "--repair", "--json").json
    assert {repair["command"] for repair in reported["repairs"]} == {None}
    assert {repair["told"].endswith("cannot be fetched again.") for repair in reported["repairs"]} == {True}
    damage("DELETE FROM captures WHERE body_zstd = ''")


def test_a_citation_whose_words_are_gone_can_be_taken_out(webrag: Program, damage: Damage) -> None:
    cited = webrag.answer("cite", "--json", ids(webrag)["Kelp"], "cold water")
    damage("UPDATE citations SET verbatim = 'nowhere'")
    reported = webrag.run("doctor", "--repair", "--json").json
    assert go_on(webrag, reported) == [f"webrag uncite {cited['id'][:8]}"]
    assert webrag.run("doctor").code == 0


def test_a_lost_text_is_queued_and_the_work_named(webrag: Program, damage: Damage) -> None:
    damage("DELETE FROM documents WHERE title = 'Kelp'")
    reported = webrag.answer("doctor", "--repair", "--json")
    assert go_on(webrag, reported) == ["webrag work"]
    assert ids(webrag).keys() == {"Rhine", "Kelp"}


def test_only_a_page_that_is_unsafe_is_damage(webrag: Program, damage: Damage, tmp_path: Path) -> None:
    page = tmp_path / "git.html"
    page.write_text(
        "<title>Git</title><main><h1>Git</h1><p>Clone <a href='http://&lt;servername&gt;/x.git'>it</a> by its name. "
        "A table follows.</p><table><tr><th>a<td>b</table></main>",
        encoding="utf-8",
    )
    assert webrag.run("add", str(page)).code == 0
    assert webrag.run("doctor", "--deep").code == 0
    link = '<p>Clone <a href="http://&lt;servername&gt;/x.git">it</a></p>'
    damage(f"UPDATE document_versions SET html = '{link}' WHERE title = 'Git'")  # as older versions stored it
    assert webrag.run("doctor", "--deep").code == 0
    damage("UPDATE document_versions SET html = '<p onclick=\"x()\">a</p>' WHERE title = 'Git'")
    assert broken(webrag.run("doctor", "--deep", "--json").json) == {"html-safe": ["Git"]}
    assert webrag.run("doctor", "--deep", "--repair").code == 0


def test_a_text_whose_copy_is_damaged_too_comes_back_by_the_command_that_is_named(
    webrag: Program, site: PageServer, damage: Damage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checking, "SAMPLE", 0)  # as in a large library: nobody happens to look at this copy
    rhine = ids(webrag)["Rhine"]
    damage(f"UPDATE captures SET body_zstd = '\\x00' WHERE source_id = '{rhine}'")
    damage(
        f"UPDATE document_versions SET markdown = replace(markdown, 'e', 'x') WHERE document_id = '{rhine}'"
    )
    damage(f"UPDATE chunks SET chunk_text = replace(chunk_text, 'e', 'x') WHERE document_id = '{rhine}'")
    reported = webrag.run("doctor", "--repair", "--json")
    assert "texts-unaltered" in broken(reported.json)
    assert f"webrag refresh {rhine[:8]}" in go_on(webrag, reported.json)
    assert "if-none-match" not in site.requests[-1].headers, "the whole page is asked for"
    assert webrag.run("doctor", "--repair").code == 0
    assert webrag.run("doctor", "--deep").code == 0


def test_a_missing_table_is_damage_and_the_rest_is_checked(webrag: Program, damage: Damage) -> None:
    damage("ALTER TABLE lexical_postings RENAME TO hidden")
    try:
        plain, mending = webrag.run("doctor"), webrag.run("doctor", "--repair")
        reported = webrag.run("doctor", "--deep", "--json")
    finally:
        damage("ALTER TABLE hidden RENAME TO lexical_postings")
    for said in (plain, mending):
        assert said.code == 5
        assert "tables-there: once: lexical_postings" in said.out
        assert "`webrag restore`" in said.out
        assert "webrag doctor" not in said.out + said.err
    assert {check["check"] for check in reported.json["checks"] if not check["ok"]} == {"tables-there"}
    assert {check["check"] for check in reported.json["checks"]} >= {
        "chunks-verbatim", "captures-unaltered", "html-safe", "space-known", "vectors-complete"
    }  # fmt: skip
    assert webrag.run("doctor").code == 0


@pytest.mark.parametrize("table", ["corpus", "sources", "schema_migrations"])
def test_doctor_sends_nobody_to_doctor(webrag: Program, damage: Damage, table: str) -> None:
    damage(f"ALTER TABLE {table} RENAME TO hidden")
    try:
        said = webrag.run("doctor")
    finally:
        damage(f"ALTER TABLE hidden RENAME TO {table}")
    assert said.code in (3, 5)
    assert "`webrag restore`" in said.out + said.err
    assert "webrag doctor" not in said.out + said.err


def test_psql_connects_as_the_manual_says(webrag: Program, services: Library) -> None:
    report = webrag.answer("stack", "status", "--json")
    connection = report["parts"][0]["connection"]
    password = (webrag.home / "database" / "password").read_text("ascii").strip()
    assert password not in json.dumps(report)
    with psycopg.connect(connection, password=password) as conn:
        assert conn.execute("SELECT current_database()::text, count(*) FROM sources").fetchone() == (
            "webrag",
            3,
        )


def test_a_file_that_is_gone_leaves_a_note_and_an_event(webrag: Program, tmp_path: Path) -> None:
    note = tmp_path / "new\nline.md"
    note.write_text("Waders walk in mud.", encoding="utf-8")
    (added,) = webrag.answer("add", "--json", str(note))["items"]
    assert (added["outcome"], added["title"]) == ("added", "new line")
    note.unlink()
    (item,) = webrag.run("refresh", "--json", added["id"]).json["items"]
    last = webrag.answer("history", "--json", added["id"])["events"][-1]
    shown = next(one for one in webrag.answer("list", "--json") if one["id"] == added["id"])
    assert item["outcome"] == last["kind"] == "failed"
    assert item["reason"] == last["reason"] == shown["reason"]
    assert item["reason"].startswith("There is no file")
    assert item["reason"].endswith(".")
    assert shown["state"] == "ready"


def test_a_folder_adds_what_its_preview_counts(webrag: Program, tmp_path: Path) -> None:
    (tmp_path / "tide\ntable.md").write_text("The tide comes in twice a day.", encoding="utf-8")
    done = webrag.run("add", "--yes", "--json", str(tmp_path))
    assert (done.code, [item["title"] for item in done.json["items"]]) == (0, ["tide table"])


@pytest.mark.skipif(sys.platform == "win32", reason="there, folders have no mode")
def test_a_data_folder_that_others_may_look_into_is_reported_and_closed(webrag: Program) -> None:
    webrag.home.chmod(0o755)
    reported = webrag.run("status")
    assert "warning    Other users of this computer may look into the data folder" in reported.out
    assert webrag.answer("stack", "status", "--json")["warning"] is not None
    mended = webrag.run("doctor", "--repair")
    assert "closed to other users now (mode 0700)" in mended.err
    assert webrag.home.stat().st_mode & 0o777 == 0o700
    assert "warning" not in webrag.run("status").out
