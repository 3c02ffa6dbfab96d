"""Promises about the repository itself."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
LOCKS = ("requirements.txt", "requirements-dev.txt")


def pinned(lock: str) -> dict[str, str]:
    text = (ROOT / lock).read_text(encoding="utf-8")
    return dict(re.findall(r"^([a-z0-9._-]+)==([^\s;\\]+)", text, re.MULTILINE))


@pytest.mark.parametrize("lock", LOCKS)
def test_locks_pin_with_hashes_and_name_no_index(lock: str) -> None:
    text = (ROOT / lock).read_text(encoding="utf-8")
    assert not re.search(r"https?://|--index|--extra-index|--find-links", text)
    entries = re.split(r"^(?=[a-z0-9])", text, flags=re.MULTILINE)[1:]
    assert len(entries) > 20
    assert [
        entry.splitlines()[0] for entry in entries if "==" not in entry or "--hash=sha256:" not in entry
    ] == []


def test_the_pyside_release_that_aborts_is_excluded() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (pyside,) = (name for name in project["dependencies"] if name.startswith("pyside6"))
    assert "!=6.12.0" in pyside
    assert "6.12.0" not in pinned("requirements.txt")["pyside6-essentials"]


def test_both_entry_points_are_there() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(project["scripts"]) == {"webrag"}
    assert set(project["gui-scripts"]) == {"webrag-desktop"}


def test_every_dependency_is_locked_alike_for_users_and_developers() -> None:
    users, developers = pinned("requirements.txt"), pinned("requirements-dev.txt")
    shared = users.keys() & developers.keys()
    assert {name: users[name] for name in shared} == {name: developers[name] for name in shared}
    assert users.keys() <= developers.keys()


def test_packaging_does_not_shadow_the_package_of_that_name() -> None:
    assert not (ROOT / "packaging" / "__init__.py").exists()


def test_ci_calls_the_test_command_of_the_readme() -> None:
    assert (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()[-1] == "make test"
    assert re.search(r"^make test\b", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)


def test_each_command_for_a_newcomer_is_complete_by_itself() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    block = readme.partition("## Set up")[2].partition("```sh\n")[2].partition("```")[0]
    commands = [line.partition("#")[0].split() for line in block.splitlines()]
    assert commands == [["make", "run"], ["make", "test"]]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert re.findall(r"^(run|test):.*\binstall\b", makefile, re.MULTILINE) == ["test", "run"]


def test_the_pictures_of_the_readme_are_there() -> None:
    shown = re.findall(r"docs/screenshots/[^)\"]+", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert len(shown) > 10
    assert [picture for picture in shown if not (ROOT / picture).is_file()] == []


def test_no_module_is_longer_than_400_lines() -> None:
    lengths = {
        path: len(path.read_text(encoding="utf-8").splitlines())
        for folder in ("webrag_desktop", "benchmarks")
        for path in (ROOT / folder).rglob("*.py")
    }
    assert {str(path): lines for path, lines in lengths.items() if lines > 400} == {}


def test_each_commit_is_checked_as_the_test_command_does() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"][0][
        "hooks"
    ]
    tools = {hook["entry"].split()[0].rpartition("/")[2] for hook in hooks}
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    linted = set(
        re.findall(
            r"^\t\$\(BIN\)/([a-z-]+)", makefile.partition("\nlint:")[2].partition("\n\n")[0], re.MULTILINE
        )
    )
    assert tools == linted == {"ruff", "mypy", "lint-imports"}


@pytest.mark.parametrize(
    ("module", "contract"),
    [
        ("gui", "Views show data, they never ask the library"),
        ("retrieval/answer_context.py", "Selected text never touches a store"),
    ],
)
def test_a_module_with_a_contract_of_its_own_does_not_come_without_it(module: str, contract: str) -> None:
    rules = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    assert not (ROOT / "webrag_desktop" / module).exists() or contract in {rule["name"] for rule in rules}


@pytest.mark.parametrize(
    "page",
    [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "docs/cli.md",
        "docs/integrations.md",
        "docs/settings.md",
        "docs/decisions/README.md",
    ],
)
def test_documents_have_no_dead_links_and_no_gaps(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#:]+)\)", text)
    assert [link for link in links if not (ROOT / page).parent.joinpath(link).exists()] == []
    assert not re.search(r"@[A-Z]+@", text)
