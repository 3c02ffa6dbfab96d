"""The tags of containers around a block: as the page has them for the flags, sanitised for what is kept."""

from turbohtml import Element

from webrag_desktop.ingestion.html.document import Surroundings


def test_the_outermost_container_stands_first() -> None:
    quote, note = Element("blockquote"), Element("div", {"class": "note", "id": "n", "onclick": "x()"})
    around = Surroundings(local=False)
    assert around.written((quote, note), "a") == '<blockquote><div class="note">a</div></blockquote>'
    assert around.safe((quote, note), "a") == '<blockquote><div class="note">a</div></blockquote>'
    assert around.safe((note, quote), "a") == '<div class="note"><blockquote>a</blockquote></div>'
    assert around.written((), "a") == around.safe((), "a") == "a"


def test_blocks_in_turn_get_each_their_own_containers() -> None:
    first, second = Element("dl"), Element("blockquote")
    around = Surroundings(local=False)
    written = [around.written(each, "a") for each in ((first,), (second,), (first,), (), (first, second))]
    assert written == [
        "<dl>a</dl>",
        "<blockquote>a</blockquote>",
        "<dl>a</dl>",
        "a",
        "<dl><blockquote>a</blockquote></dl>",
    ]


def test_what_may_not_stay_goes() -> None:
    script = Element("a", {"href": "javascript:x()"})
    file = Element("a", {"href": "file:///home/a.html"})
    unknown = Element("x-box", {"class": "note"})
    assert Surroundings(local=False).safe((script,), "a") == "<a>a</a>"
    assert Surroundings(local=False).safe((unknown,), "a") == "a"
    assert Surroundings(local=False).safe((file,), "a") == "<a>a</a>"
    assert Surroundings(local=True).safe((file,), "a") == '<a href="file:///home/a.html">a</a>'
