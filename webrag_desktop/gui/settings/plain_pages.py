"""Pages on which nothing is typed: what leaves this computer, and what a browser can do."""

from collections.abc import Sequence

from webrag_desktop.gui.kit.theme.fonts import SEMIBOLD
from webrag_desktop.gui.kit.theme.tokens import SPACE_S
from webrag_desktop.gui.kit.widgets.labels import Label, SelectableText
from webrag_desktop.gui.settings.pages import Page


class FactsPage(Page):
    """Facts in sentences, each under a few words."""

    def __init__(self, title: str, about: str, icon_name: str, facts: Sequence[tuple[str, str]]) -> None:
        """Show ``facts``."""
        super().__init__(title, about, icon_name)
        add_facts(self, facts)


def add_facts(page: Page, facts: Sequence[tuple[str, str]]) -> None:
    """Add facts to a page, selectable."""
    for name, words in facts:
        page.facts.addWidget(Label(name, "body", "text", SEMIBOLD))
        text = SelectableText(name, "body", "text2")
        text.set_text(words)
        page.facts.addWidget(text)
        page.facts.addSpacing(SPACE_S)
