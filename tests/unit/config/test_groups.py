"""Every setting is where a person finds it."""

from collections import Counter

from webrag_desktop.config import GROUPS, setting_names
from webrag_desktop.config.groups import in_words


def test_every_setting_is_in_exactly_one_group() -> None:
    grouped = Counter(entry.name for group in GROUPS for entry in group.entries)
    assert grouped == Counter(setting_names())


def test_labels_tell_the_settings_of_a_group_apart() -> None:
    for group in GROUPS:
        labels = [entry.label for entry in group.entries]
        assert len(set(labels)) == len(labels)
        assert group.title
        assert not group.entries[0].advanced


def test_settings_are_called_by_their_labels_and_by_their_section_where_that_is_another() -> None:
    said = in_words("Set EMBEDDING_BACKEND=openai and EMBEDDING_MODEL.", "embedding")
    assert said == "Set “Runs in” to openai and “Model”."
    assert in_words("See EMBEDDING_MODEL.") == "See “Model” (settings, Embedding model)."
