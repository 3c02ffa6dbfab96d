"""Sites of documentation, made to be walked: trees of pages with words of their own, and traps."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from threading import Event

from tests.support.pages import Page, PageServer, RequestHandler, Served

TEXT = Page(headers=(("Content-Type", "text/plain"),))
# Words that say nothing of each other, so that a page's own are found by themselves.
NOUNS = (
    "anchor basalt cedar dolphin ember falcon glacier harbour iris juniper kelp lantern marble nectar orchid pebble "
    "quartz raven saffron thistle umber velvet walnut yarrow zephyr amber birch coral delta elm fjord granite"
).split()


@dataclass(frozen=True)
class Topic:
    """A page: its path, title, text, and the paths that it links to with the words of each link."""

    path: str
    title: str
    text: str
    links: tuple[tuple[str, str], ...] = ()

    @property
    def html(self) -> str:
        """The page as the site serves it."""
        items = "".join(f'<li><a href="{path}">{words}</a></li>' for path, words in self.links)
        return (
            f"<html><head><title>{self.title}</title></head><body><main><h1>{self.title}</h1>"
            f"<p>{self.text}</p><ul>{items}</ul></main></body></html>"
        )


def robots(text: str) -> Page:
    """A robots.txt."""
    return Page(text, headers=TEXT.headers)


def site(topics: Mapping[str, Topic] | list[Topic], **more: Served) -> dict[str, Served]:
    """The pages of a site for :class:`PageServer`; ``more`` by path without its slash, ``_`` for a dot."""
    pages = topics.values() if isinstance(topics, Mapping) else topics
    return {topic.path: topic.html for topic in pages} | {
        f"/{name.replace('_', '.')}": served for name, served in more.items()
    }


def manual() -> list[Topic]:
    """A manual of a ship's engine: what is asked for stands two links away from the start, beside much else."""
    about = "This part of the manual tells of it, step by step, with all that has to be watched on the way."
    start = Topic(
        "/",
        "The manual of the ship",
        "Welcome aboard. The manual has chapters on the engine, the galley, the rigging and the anchor.",
        (
            ("/engine/", "The engine and its pumps"),
            ("/galley/", "The galley and its stores"),
            ("/rigging/", "Masts, sails and rigging"),
            ("/anchor/", "Anchor, chain and windlass"),
            ("/crew/", "Watches of the crew"),
            ("/paint/", "Paint and varnish"),
        ),
    )
    chapters = [
        Topic(
            "/engine/",
            "The engine",
            f"The engine drives the ship. {about}",
            (
                ("/engine/cooling", "Cooling water pump"),
                ("/engine/fuel", "Fuel and filters"),
                ("/engine/oil", "Oil of the gearbox"),
            ),
        ),
        Topic(
            "/galley/",
            "The galley",
            f"Meals are cooked in the galley. {about}",
            (("/galley/bread", "Bread"),),
        ),
        Topic("/rigging/", "The rigging", f"Sails are set on masts. {about}", (("/rigging/knots", "Knots"),)),
        Topic("/anchor/", "The anchor", f"The chain runs over the windlass. {about}"),
        Topic("/crew/", "The crew", f"Every watch lasts four hours. {about}"),
        Topic("/paint/", "Paint", f"Paint the hull every spring. {about}"),
    ]
    leaves = [
        Topic(
            "/engine/cooling",
            "Cooling water pump",
            "The impeller of the cooling water pump is replaced after 412 hours. Close the seacock first.",
        ),
        Topic("/engine/fuel", "Fuel", f"Drain the water from the fuel filter every week. {about}"),
        Topic("/engine/oil", "Oil", f"Change the oil of the gearbox once a year. {about}"),
        Topic("/galley/bread", "Bread", f"Bread is baked on Sundays. {about}"),
        Topic("/rigging/knots", "Knots", f"A bowline holds and comes loose again. {about}"),
    ]
    return [start, *chapters, *leaves]


QUESTION = "After how many hours is the impeller of the cooling water pump replaced?"
ANSWER = "/engine/cooling"


def tree(width: int, levels: int) -> list[Topic]:
    """A tree of pages with names of words, ``width`` links on each, the last ``levels`` below the start."""

    def below(path: str, names: tuple[str, ...], left: int) -> Iterator[Topic]:
        children = [f"{path}{name}/" for name in NOUNS[:width]] if left else []
        title = " ".join(names) or "Garden of words"
        yield Topic(
            path,
            title,
            f"The page about {title} tells of {title}, and of nothing else that grows in the garden.",
            tuple((child, f"{child.rstrip('/').rpartition('/')[2]} of {title}") for child in children),
        )
        for child, name in zip(children, NOUNS, strict=False):
            yield from below(child, (*names, name), left - 1)

    return list(below("/", (), levels))


class EndlessSite(PageServer):
    """A site that answers any address with links to more: deeper, later, in other sessions and orders."""

    def __init__(self, links_of: Callable[[str], list[str]]) -> None:
        """``links_of`` gives the addresses that the page at a path, query included, links to."""
        super().__init__({"/robots.txt": robots("User-agent: *\nDisallow:\n")})
        self._links_of = links_of

    def find(self, path: str) -> Served:
        """A page about nothing in particular."""
        if path in self.pages:
            return self.pages[path]
        links = tuple((link, f"More at {link}") for link in self._links_of(path))
        return Topic(path, f"Day {path}", f"On the page {path} nothing is to be seen today.", links).html


def slowly(topic: Topic, seconds: float) -> Callable[[RequestHandler], None]:
    """A page that is sent after so long, or when its server is stopped."""

    def respond(handler: RequestHandler) -> None:
        handler.wait(seconds)
        handler.send_page(topic.html)

    return respond


def held(topic: Topic, until: Event) -> Callable[[RequestHandler], None]:
    """A page that is sent once ``until`` is set, or when its server is stopped."""

    def respond(handler: RequestHandler) -> None:
        while not (until.wait(0.05) or handler.wait(0)):
            pass
        handler.send_page(topic.html)

    return respond


def large(paths: list[str], text: str) -> list[Topic]:
    """A start page that links to pages of these paths, each with that much ``text``."""
    start = Topic("/", "Start", "This is the start.", tuple((path, path.strip("/")) for path in paths))
    return [start, *(Topic(path, path, text) for path in paths)]
