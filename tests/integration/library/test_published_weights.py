"""Weights fetched from their publisher on request: checked, made into a form of the model, and named where used."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from tests.support.embedding_server import Reply
from tests.support.huggingface import HuggingFaceHere
from tests.support.moving import MovingLibrary
from tests.support.weights_hub import WeightsHub, granite_safetensors, hub_error, safetensors
from webrag_desktop import DataFolder
from webrag_desktop.cli.exit_codes import ExitCode
from webrag_desktop.cli.main import run
from webrag_desktop.cli.shapes.reports import FetchedWeightsReport
from webrag_desktop.config import Settings
from webrag_desktop.embedding.catalog import GRANITE, GRANITE_FUSED, GRANITE_NAME, GRANITE_PUBLISHED
from webrag_desktop.embedding.factory import open_embedder, resolve
from webrag_desktop.embedding.fused.published import WeightsNotFetchedError, published_file
from webrag_desktop.embedding.options import EmbeddingOptions
from webrag_desktop.embedding.server_check import check_backend
from webrag_desktop.errors import Cancelled, EmbeddingError, InputError
from webrag_desktop.indexing.options import ChunkTargets
from webrag_desktop.maintenance import published_weights
from webrag_desktop.progress import CancelToken, Step
from webrag_desktop.servers import retries
from webrag_desktop.storage.database import Database

assert GRANITE.published is not None
PUBLISHED = GRANITE.published
PLACE = f"/{PUBLISHED.repository}/resolve/{PUBLISHED.revision}/{PUBLISHED.file}"
TEXTS = ["The keeper opens the lock at dawn.", "Wie hoch ist der Turm?", "def f(x): return x + 1", "!"]


@cache
def content() -> bytes:
    return granite_safetensors()


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Attempts do not wait for each other."""
    monkeypatch.setattr(retries, "WEB_SITES", replace(retries.WEB_SITES, first_wait=0.01, jitter=0.0))


@pytest.fixture
def folder(tmp_path: Path) -> DataFolder:
    settings = Settings.of(WEBRAG_HOME=str(tmp_path), EMBEDDING_BACKEND="embedded")
    return DataFolder(settings)


@pytest.fixture
def models(folder: DataFolder) -> Path:
    found = folder.settings.embedding_options().model_folder
    assert found is not None
    return found


@pytest.fixture
def hub(huggingface: HuggingFaceHere, monkeypatch: pytest.MonkeyPatch) -> Iterator[WeightsHub]:
    """The publisher's, where the file has the sum that the program knows."""
    with WeightsHub(PLACE, content()) as running:
        huggingface.look_at(running.hub.url)
        know(content(), monkeypatch)
        yield running


def know(file: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    known = replace(PUBLISHED, sha256=hashlib.sha256(file).hexdigest())
    one = replace(GRANITE, published=known)
    monkeypatch.setattr(
        published_weights, "embedded_model", lambda name: one if name == GRANITE_NAME else None
    )


def named(models: Path) -> EmbeddingOptions:
    return EmbeddingOptions(backend="embedded", model=GRANITE_PUBLISHED.model, model_folder=models)


@pytest.mark.usefixtures("hub")
def test_the_model_made_of_them_means_what_the_shipped_one_does(folder: DataFolder, models: Path) -> None:
    steps: list[Step] = []
    fetched = folder.fetch_weights(GRANITE_NAME, steps.append)
    assert (fetched.model, fetched.form, fetched.new) == (GRANITE_NAME, GRANITE_PUBLISHED.model, True)
    assert [step.done for step in steps if step.name == "fetching"][-1] == len(content())
    assert steps[-1].name == "making the model"
    (kept,) = models.iterdir()
    assert kept.name == f"{GRANITE_PUBLISHED.model}.{hashlib.sha256(kept.read_bytes()).hexdigest()}.onnx"
    ours = np.array(open_embedder(resolve(named(models)), named(models)).embed_texts(TEXTS))
    shipped = np.array(open_embedder(GRANITE_FUSED, named(models)).embed_texts(TEXTS))
    assert (ours * shipped).sum(axis=1).min() > 0.998


def test_what_is_there_is_not_fetched_again_and_what_is_altered_is(
    hub: WeightsHub, folder: DataFolder, models: Path
) -> None:
    folder.fetch_weights(GRANITE_NAME)
    assert folder.fetch_weights(GRANITE_NAME).new is False
    assert len(hub.store.received) == 1
    (kept,) = models.iterdir()
    altered = bytearray(kept.read_bytes())
    altered[1000] ^= 1
    kept.write_bytes(altered)
    with pytest.raises(WeightsNotFetchedError, match="altered, so they are not used") as caught:
        published_file(GRANITE_PUBLISHED, models)
    assert f"`webrag space fetch {GRANITE_NAME}`" in caught.value.hint
    assert folder.fetch_weights(GRANITE_NAME).new is True
    assert published_file(GRANITE_PUBLISHED, models) == kept


def test_a_stopped_attempt_is_gone_on_with(hub: WeightsHub, folder: DataFolder, models: Path) -> None:
    cancel = CancelToken()

    def stop(step: Step) -> None:
        if step.done > 1_000_000:
            cancel.cancel()

    with pytest.raises(Cancelled):
        folder.fetch_weights(GRANITE_NAME, stop, cancel)
    (kept,) = models.iterdir()
    came = kept.stat().st_size
    assert folder.fetch_weights(GRANITE_NAME).new is True
    assert hub.store.begins == [0, came]
    assert len(list(models.iterdir())) == 1


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (hub_error(404, "EntryNotFound"), "404"),
        (hub_error(401, "GatedRepo"), "401"),
        (hub_error(503, ""), "503"),
    ],
    ids=["gone", "gated", "fault"],
)
def test_a_hub_that_does_not_give_them_is_reported_and_nothing_is_kept(
    hub: WeightsHub, folder: DataFolder, models: Path, reply: Reply, words: str
) -> None:
    hub.hub.replies.extend([lambda _good: reply] * 9)
    with pytest.raises(EmbeddingError, match=words) as caught:
        folder.fetch_weights(GRANITE_NAME)
    assert hub.hub.url in caught.value.message
    assert "The weights that come with the program work without them." in caught.value.hint
    assert not models.exists() or not list(models.iterdir())


def test_another_file_at_that_place_is_never_used(
    hub: WeightsHub, folder: DataFolder, models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    know(b"as it was when the program was made", monkeypatch)
    with pytest.raises(EmbeddingError, match="another one than the program knows"):
        folder.fetch_weights(GRANITE_NAME)
    hub.stated = hashlib.sha256(
        b"as it was when the program was made"
    ).hexdigest()  # and the hub says nothing of it
    with pytest.raises(EmbeddingError, match="another one than the program knows"):
        folder.fetch_weights(GRANITE_NAME)
    assert not list(models.iterdir())


@pytest.mark.parametrize("kind", ["no file of that kind", "another model"])
def test_what_is_no_such_model_is_never_put_in_place(
    hub: WeightsHub, folder: DataFolder, models: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    if kind == "another model":
        other = bytearray(content())
        other[-8_000_000:-4_000_000] = bytes(4_000_000)  # some of the last layer is nothing
        hub.content = bytes(other)
    else:
        hub.content = safetensors({"another.weight": np.ones((2, 2))})
    hub.stated = hashlib.sha256(hub.content).hexdigest()
    know(hub.content, monkeypatch)
    with pytest.raises(EmbeddingError):
        folder.fetch_weights(GRANITE_NAME)
    assert not list(models.glob("*.onnx"))


def test_nobody_is_asked_where_the_environment_forbids_it(
    hub: WeightsHub, folder: DataFolder, huggingface: HuggingFaceHere
) -> None:
    huggingface.forbid()
    with pytest.raises(EmbeddingError, match="HF_HUB_OFFLINE"):
        folder.fetch_weights(GRANITE_NAME)
    assert hub.hub.received == []


@pytest.mark.usefixtures("huggingface")
def test_without_a_network_the_error_says_what_still_works(folder: DataFolder) -> None:
    with pytest.raises(EmbeddingError, match="could not be fetched from http://127") as caught:
        folder.fetch_weights(GRANITE_NAME)
    assert caught.value.hint.startswith("Try again later; what came so far is kept.")


@pytest.mark.parametrize("name", ["all-MiniLM-L6-v2", "no-such-model"])
def test_other_models_are_refused_with_those_that_can_be_had(folder: DataFolder, name: str) -> None:
    with pytest.raises(InputError, match=name) as caught:
        folder.fetch_weights(name)
    assert GRANITE_NAME in caught.value.hint


@pytest.mark.usefixtures("hub")
def test_a_library_is_built_with_them_once_they_are_here_and_its_status_says_whose_they_are(
    database: Database, folder: DataFolder, models: Path
) -> None:
    library = MovingLibrary(database, named(models), ChunkTargets())
    with pytest.raises(WeightsNotFetchedError, match="not on this computer"):
        library.spaces.settle()
    assert library.count("SELECT count(*) FROM embedding_spaces") == 0
    folder.fetch_weights(GRANITE_NAME)
    library.add("Rhine", "The Rhine carries cold water from the Alps to the North Sea.")
    library.work()
    space = library.spaces.settle().space
    assert space.model == GRANITE_PUBLISHED
    assert library.search("Which river brings cold water?").degraded is None
    short = MovingLibrary(database, replace(named(models), model=GRANITE_NAME), ChunkTargets())
    assert short.spaces.settle().space == space  # the model's own name means any of its forms
    found = check_backend(space.model, named(models))
    assert found.ok
    for fact in ("model.safetensors of ibm-granite/", PUBLISHED.revision[:12], PUBLISHED.sha256):
        assert fact in (found.weights or "")
    next(models.iterdir()).unlink()
    gone = check_backend(space.model, named(models))
    assert (gone.ok, "`webrag space fetch" in (gone.remedy or "")) == (False, True)
    words = MovingLibrary(database, named(models), ChunkTargets()).search("cold water")
    assert [chunk.title for chunk in words.chunks] == ["Rhine"]
    assert "`webrag space fetch" in (words.degraded or "")


@pytest.mark.usefixtures("hub")
def test_the_command_says_where_they_are_from_and_how_they_are_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WEBRAG_HOME", str(tmp_path))
    assert run(["space", "fetch", GRANITE_NAME]) == ExitCode.OK
    shown = capsys.readouterr().out
    assert f"The weights of {GRANITE_NAME} are here: model.safetensors of ibm-granite/" in shown
    assert f"EMBEDDING_MODEL={GRANITE_PUBLISHED.model}" in shown
    assert run(["space", "fetch", GRANITE_NAME, "--json"]) == ExitCode.OK
    report = FetchedWeightsReport.model_validate(json.loads(capsys.readouterr().out))
    assert report == FetchedWeightsReport.of(DataFolder.at(tmp_path).fetch_weights(GRANITE_NAME))
    assert run(["space", "fetch", "another"]) == ExitCode.USAGE
