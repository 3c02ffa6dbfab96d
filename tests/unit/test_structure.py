"""How the modules of the program depend on each other, as far as the contracts of import-linter do not say it."""

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

import grimp
import pytest

import webrag_desktop

PACKAGE = "webrag_desktop"
ROOT = Path(__file__).parents[2]
MOST_MODULES = 25  # of one folder


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    """Who imports whom, also where only a type checker looks."""
    return grimp.build_graph(PACKAGE, cache_dir=None)


def cycles(graph: grimp.ImportGraph) -> Iterator[set[str]]:
    """The modules of each group in which every one leads to every other (Tarjan's algorithm, without recursion)."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    waiting: list[str] = []
    for start in sorted(graph.modules):
        if start in number:
            continue
        path = [(start, iter(sorted(graph.find_modules_directly_imported_by(start))))]
        number[start] = lowest[start] = len(number)
        waiting.append(start)
        while path:
            module, imported = path[-1]
            following = next(imported, None)
            if following is None:
                path.pop()
                if path:
                    lowest[path[-1][0]] = min(lowest[path[-1][0]], lowest[module])
                if lowest[module] == number[module]:
                    at = waiting.index(module)
                    group = set(waiting[at:])
                    del waiting[at:]
                    if len(group) > 1:
                        yield group
            elif following not in number:
                number[following] = lowest[following] = len(number)
                waiting.append(following)
                path.append((following, iter(sorted(graph.find_modules_directly_imported_by(following)))))
            elif following in waiting:
                lowest[module] = min(lowest[module], number[following])


def test_no_module_leads_back_to_itself(graph: grimp.ImportGraph) -> None:
    assert list(cycles(graph)) == []


def test_a_cycle_would_be_found() -> None:
    graph = grimp.ImportGraph()
    for importer, imported in (("a", "b"), ("b", "c"), ("c", "b"), ("c", "d")):
        graph.add_import(importer=importer, imported=imported)
    assert list(cycles(graph)) == [{"b", "c"}]


def test_no_folder_is_crowded() -> None:
    folders = [folder for folder in (ROOT / PACKAGE).rglob("*") if folder.is_dir()]
    counts = {folder: sum(file.name != "__init__.py" for file in folder.glob("*.py")) for folder in folders}
    crowded = {
        str(folder.relative_to(ROOT)): count for folder, count in counts.items() if count > MOST_MODULES
    }
    assert crowded == {}


def test_every_package_says_what_it_holds() -> None:
    for init in (ROOT / PACKAGE).rglob("__init__.py"):
        assert ast.get_docstring(ast.parse(init.read_text(encoding="utf-8"))), init


def test_whoever_shows_the_library_may_use_no_room_but_the_door_and_data() -> None:
    """Rooms that are to come are named among the layers already, and would else be open when they come."""
    rules = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    contracts = {one["name"]: one for one in rules["contracts"]}
    layers = contracts["Dependencies point down"]["layers"]
    rooms = {room.strip("() ") for layer in layers for room in layer.split("|")}
    shown = contracts["Whoever shows or serves the library uses its door and data alone"]
    closed = {room.removeprefix(f"{PACKAGE}.") for room in shown["forbidden_modules"]}
    fronts = {"__main__", "gui", "cli", "adapters", "mcp"}
    data = {"models", "progress", "errors", "version", "text", "bounds", "resources"}
    to_come = {"expansion", "servers"} - {folder.name for folder in (ROOT / PACKAGE).iterdir()}
    assert closed == rooms - fronts - data - to_come


def test_what_the_door_offers_is_found_where_a_type_checker_and_the_contracts_read_it() -> None:
    tree = ast.parse(Path(webrag_desktop.__file__).read_text(encoding="utf-8"))
    reported = {
        alias.name: statement.module
        for block in tree.body
        if isinstance(block, ast.If)
        for statement in block.body
        if isinstance(statement, ast.ImportFrom)
        for alias in statement.names
    }
    assert reported == {name: f"{PACKAGE}.{place}" for name, place in webrag_desktop._PLACES.items()}
    for name in webrag_desktop.__all__:
        assert getattr(webrag_desktop, name) is not None
    with pytest.raises(AttributeError, match="nothing"):
        _ = webrag_desktop.nothing
