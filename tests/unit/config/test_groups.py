"""Every setting is where a person finds it."""

from collections import Counter

from webrag_desktop.config import GROUPS, setting_names


def test_every_setting_is_in_exactly_one_group() -> None:
    grouped = Counter(entry.name for group in GROUPS for entry in group.entries)
    assert grouped == Counter(setting_names())


def test_labels_tell_the_settings_of_a_group_apart() -> None:
    for group in GROUPS:
        labels = [entry.label for entry in group.entries]
        assert len(set(labels)) == len(labels)
        assert group.title
        assert not group.entries[0].advanced
