"""Filters and labels as views are given them."""

from tests.support.documents import document_id
from webrag_desktop.gui.data.filters import Choice, ChosenFilters, FilterChoices, Period
from webrag_desktop.gui.data.library import DocumentLabels, LabelUse

SITES = tuple(Choice(f"site{number}.example", 40 - number) for number in range(30))
CHOICES = FilterChoices(
    sites=(Choice("archive.org", 312), Choice("cablehistory.org", 148), *SITES),
    collections=(Choice("Atlantic cable 1858", 126), Choice("Insulation chemistry", 83)),
    tags=(Choice("gutta-percha", 57), Choice("primary-source", 131), Choice("telegraphy", 204)),
    authors=(Choice("Ángela Ruiz", 7), Choice("Jane Doe", 2)),
    doc_types=(Choice("html", 800), Choice("pdf", 420), Choice("epub", 3)),
    languages=(Choice("en", 900), Choice("de", 12), Choice("x", 1)),
    content_flags=tuple(
        Choice(f"has_{name}") for name in ("table", "code", "math", "definition_list", "admonition", "steps")
    ),
)
FOUR = ChosenFilters(
    sites=("archive.org", "cablehistory.org", "site0.example"),
    tags=("telegraphy",),
    doc_types=("pdf", "html"),
    published=Period("1990"),
)
LABELS = DocumentLabels(
    tuple(map(document_id, ("a", "b", "c"))),
    "",
    (LabelUse("gutta-percha", 1, 57), LabelUse("primary-source", 3, 131), LabelUse("telegraphy", 0, 204)),
    (LabelUse("Atlantic cable 1858", 2, 126), LabelUse("Insulation chemistry", 0, 83)),
)
