"""Shows how 2,000 pages link, in the window, while a timer measures how late the event loop comes to it.

Each figure is the latest beat of a step, in milliseconds; the pages are laid out in a thread, as the window does it.
"""

import sys
from uuid import UUID

from PySide6.QtWidgets import QApplication

from benchmarks.gui_parts.heartbeat import Heart
from benchmarks.gui_parts.window_at_work import wait
from webrag_desktop.gui.data.map import LinkedPage, LinkMap
from webrag_desktop.gui.kit.theme.colours import prepare
from webrag_desktop.gui.map.operations.link_map import lay_out
from webrag_desktop.gui.session.background import Background
from webrag_desktop.gui.shell.application import SWITCH_SECONDS
from webrag_desktop.gui.shell.main_window import MAP, MainWindow

SITES = 40
STEP_SECONDS = 1.0


def library(count: int, *, navigation: bool) -> LinkMap:
    """Pages that link to some nearby and to a few that all know; by menus every page links to fifty of its site."""
    pages = [
        LinkedPage(
            UUID(int=at + 1),
            f"Page {at} of the manual",
            f"site{at % SITES}.example",
            f"https://{at}.example/",
        )
        for at in range(count)
    ]
    edges = [(at, to) for at in range(count) for to in ((at + SITES) % count, at // 9, (at * 7 + 3) % count)]
    if navigation:
        edges += [(at, (at + SITES * step) % count) for at in range(count) for step in range(50)]
    return lay_out(pages, edges, navigation=navigation)


def main(count: int) -> None:
    sys.setswitchinterval(SWITCH_SECONDS)
    application = QApplication([])
    prepare(application)
    window, background, heart = MainWindow(), Background(), Heart()
    window.resize(1440, 900)
    window.show()
    window.show_view(MAP)
    view = window.map
    view.show_mode("links")
    view.show_reading_links()
    wait(lambda: False, STEP_SECONDS)

    def step(name: str) -> None:
        wait(lambda: False, STEP_SECONDS)
        print(f"{name}\t{max(heart.late):.1f}")

    def show(name: str, *, navigation: bool) -> None:
        reported: list[LinkMap] = []
        heart.fresh()
        background.run(lambda _task: library(count, navigation=navigation), on_success=reported.append)
        wait(lambda: bool(reported), 60)
        print(f"laid out beside it: {name}\t{max(heart.late):.1f}")
        heart.fresh()
        view.show_links(reported[0])
        step(name)

    show("first showing", navigation=False)
    heart.fresh()
    view.canvas.zoom_in()
    step("larger")
    heart.fresh()
    view.show_mode("question")
    view.show_mode("links")
    step("shown again")
    show("menus and footers with them", navigation=True)
    heart.fresh()
    view.linking.list.choose(str(view._links.pages[0].document_id))
    step("the most linked page chosen")
    background.stop(5)


if __name__ == "__main__":
    main(int(sys.argv[1]))
