import json
import os
from pathlib import Path

import pytest

from tests.support.tokenizer_file import unigram_file
from webrag_desktop.embedding.factory import open_tokenizer
from webrag_desktop.embedding.tokenizers.tokenizer_file import (
    FileTokenizer,
    is_tokenizer_file,
    same_tokenizer,
    tokenizer_file_name,
)
from webrag_desktop.errors import ConfigurationError


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return unigram_file(tmp_path / "tokenizer.json")


def test_file_is_read_without_its_truncation_and_padding(file: Path) -> None:
    tokenizer = FileTokenizer(str(file))
    text = "deep trees deep trees deep 日本語"
    assert tokenizer.special_tokens == 2
    assert tokenizer.count(text) == len(tokenizer.token_starts(text)) > 6


def test_starts_are_code_points_of_the_original_text(file: Path) -> None:
    tokenizer = FileTokenizer(str(file))
    text = "deep 日本語 trees"
    starts = list(tokenizer.token_starts(text))
    assert starts == sorted(starts)
    assert {text.index("語"), text.index("s", 8)} <= set(starts)


def test_markers_in_a_text_are_text(file: Path) -> None:
    assert FileTokenizer(str(file)).count("<s>") > 1


def test_name_holds_path_and_content_and_opens_again(file: Path) -> None:
    name = tokenizer_file_name(str(file))
    assert name.startswith(f"file:{file}#")
    assert open_tokenizer(name).name == name
    assert tokenizer_file_name(f"file:{file}") == name


def test_changed_file_is_refused(file: Path) -> None:
    name = tokenizer_file_name(str(file))
    changed = json.loads(file.read_text("utf-8"))
    changed["model"]["vocab"][3][0] = "▁bush"
    file.write_text(json.dumps(changed), "utf-8")
    with pytest.raises(ConfigurationError, match="has changed"):
        FileTokenizer(name)


def test_a_file_elsewhere_goes_by_its_first_name(file: Path, tmp_path: Path) -> None:
    name = tokenizer_file_name(str(file))
    moved = file.rename(tmp_path / "moved #1.dat")
    opened = open_tokenizer(name, str(moved))
    assert opened.name == name
    assert opened.count("deep trees") > 0
    assert same_tokenizer(name, tokenizer_file_name(str(moved)))
    assert not same_tokenizer(name, name[:-1] + ("0" if name[-1] != "0" else "1"))


def test_what_lies_elsewhere_is_passed_over_unless_it_is_that_file(file: Path, tmp_path: Path) -> None:
    name = tokenizer_file_name(str(file))
    other = tmp_path / "other.json"
    other.write_bytes(file.read_bytes() + b" ")
    assert FileTokenizer(name, str(other)).name == name
    assert FileTokenizer(name, str(tmp_path / "nowhere.json")).name == name
    file.unlink()
    with pytest.raises(ConfigurationError, match=r"tokenizer\.json cannot be read: No such file") as caught:
        FileTokenizer(name, str(other))
    assert "built with it" in caught.value.message
    assert "set EMBEDDING_TOKENIZER" in caught.value.hint


@pytest.mark.parametrize("content", ["", "no json", "[]", "3", '{"vocab": {}}'])
def test_other_files_are_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(content, "utf-8")
    with pytest.raises(ConfigurationError, match=r"not a tokenizer\.json") as caught:
        FileTokenizer(str(path))
    assert "EMBEDDING_TOKENIZER" in caught.value.hint


@pytest.mark.parametrize(
    "content",
    [
        '{"model": 3}',
        '{"model": {"type": "BPE"}}',
        '{"model": {"type": "WordPiece", "vocab": {}, "unk_token": "[UNK]", "continuing_subword_prefix": "##", '
        '"max_input_chars_per_word": 100}}',
    ],
)
def test_files_without_a_usable_model_are_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(content, "utf-8")
    with pytest.raises(ConfigurationError, match="can be used") as caught:
        FileTokenizer(str(path))
    assert "EMBEDDING_TOKENIZER" in caught.value.hint


def test_what_is_wrong_with_a_file_is_reported(tmp_path: Path) -> None:
    for content, reported in (
        ("no json", "JSON object"),
        ('{"vocab": {}}', "named model"),
        ('{"model": 3}', "used: "),
    ):
        path = tmp_path / "tok.dat"
        path.write_text(content, "utf-8")
        with pytest.raises(ConfigurationError, match=reported):
            FileTokenizer(str(path))


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"nowhere\.json cannot be read"):
        tokenizer_file_name(str(tmp_path / "nowhere.json"))


@pytest.mark.parametrize(
    ("name", "expected"),
    [("file:/a/b", True), ("tokenizer.json", True), ("C:/x/T.JSON#12", True), ("cl100k_base", False)],
)
def test_files_are_distinguished_from_names(name: str, expected: bool) -> None:
    assert is_tokenizer_file(name) is expected


def test_a_file_of_any_name_is_a_file(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert not is_tokenizer_file("tok.dat")
    file.rename("tok.dat")
    assert is_tokenizer_file("tok.dat")
    assert is_tokenizer_file(str(tmp_path / "tok.dat"))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "tokenizer.json"
    os.mkfifo(pipe)
    with pytest.raises(ConfigurationError, match="it is a pipe, not a file"):
        open_tokenizer(str(pipe))
