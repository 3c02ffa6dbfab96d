"""Fetching the weights of an embedded model from its publisher, on request: by name, revision and sha256."""

import tempfile
from pathlib import Path

from webrag_desktop.embedding.catalog import EMBEDDED_MODELS, EmbeddedModel, PublishedWeights, embedded_model
from webrag_desktop.embedding.embedded import EmbeddedEmbedder, FusedEncoder, require_known_cosines
from webrag_desktop.embedding.fused.granite import granite_model, smoothing_factors
from webrag_desktop.embedding.fused.published import (
    WeightsNotFetchedError,
    published_file,
    published_name,
    published_weights,
)
from webrag_desktop.embedding.tokenizers.huggingface import is_offline, site
from webrag_desktop.errors import EmbeddingError, FetchError, InputError, resource_error
from webrag_desktop.errors.opening import why
from webrag_desktop.ingestion.fetching.download import KnownFile, download
from webrag_desktop.ingestion.fetching.options import FetchOptions
from webrag_desktop.models.spaces import FetchedWeights
from webrag_desktop.progress import CancelToken, ProgressCallback, Step


def fetch_published_weights(
    name: str, folder: Path, options: FetchOptions, progress: ProgressCallback, cancel: CancelToken
) -> FetchedWeights:
    """Have the publisher's weights of the embedded model ``name`` in ``folder``, as a form to build a library in.

    What was there of the file when an earlier attempt ended is not fetched again. Nothing is used before its sha256,
    and what is made of it, were checked.

    Raises:
        InputError: there is no such model, or its publisher's weights cannot be had.
        EmbeddingError: they could not be fetched, or are not the known ones.
        ResourceError: the disk is full.
        Cancelled: ``cancel`` was set.
    """
    one, wanted = _named(name)
    found = FetchedWeights(one.name, wanted.form.model, one.source_of(wanted.form), new=False)
    try:
        published_file(wanted.form, folder)
    except WeightsNotFetchedError:
        part = folder / f"{wanted.form.model}.download"  # no *.part: those are removed after an hour
        _download(one, wanted, part, options, progress, cancel)
        progress(Step("making the model"))
        _put_in_place(one, wanted, part, folder)
        return FetchedWeights(one.name, wanted.form.model, one.source_of(wanted.form), new=True)
    return found


def _named(name: str) -> tuple[EmbeddedModel, PublishedWeights]:
    one = embedded_model(name)
    if one is not None and one.published is not None:
        return one, one.published
    offered = ", ".join(each.name for each in EMBEDDED_MODELS if each.published is not None)
    raise InputError(
        f"No publisher's weights of {name} can be fetched.",
        f"They can be had of {offered}; see also `webrag status`.",
    )


def _download(
    one: EmbeddedModel,
    wanted: PublishedWeights,
    part: Path,
    options: FetchOptions,
    progress: ProgressCallback,
    cancel: CancelToken,
) -> None:
    if is_offline():
        raise _not_fetched(one, "the environment says HF_HUB_OFFLINE or TRANSFORMERS_OFFLINE", "Unset that.")
    address = f"{site()}/{wanted.repository}/resolve/{wanted.revision}/{wanted.file}"
    file = KnownFile(address, wanted.sha256, wanted.most_bytes)
    try:
        download(file, part, options, progress=progress, cancel=cancel)
    except FetchError as error:
        again = "Try again later; what came so far is kept." if error.transient else error.hint
        raise _not_fetched(one, error.message, again) from error


def _put_in_place(one: EmbeddedModel, wanted: PublishedWeights, part: Path, folder: Path) -> None:
    """Make the graph, see that it means what the model's should, and only then give it its name."""
    try:
        graph = granite_model(published_weights(part.read_bytes()), smoothing_factors())
        require_known_cosines(EmbeddedEmbedder(wanted.form, load=lambda: FusedEncoder(graph)))
        with tempfile.NamedTemporaryFile(dir=folder, suffix=".part", delete=False) as made:
            try:
                made.write(graph)
                made.close()
                Path(made.name).replace(folder / published_name(wanted.form, graph))
            finally:
                Path(made.name).unlink(missing_ok=True)
        part.unlink()
    except ValueError as error:
        part.unlink(missing_ok=True)
        raise _not_fetched(one, f"the file cannot be read: {error}".rstrip("."), "") from error
    except OSError as error:
        lacking = resource_error(error)
        if lacking is not None:
            raise lacking from error
        raise _not_fetched(one, f"the folder {folder} cannot be written: {why(error)}", "") from error


def _not_fetched(one: EmbeddedModel, reason: str, remedy: str) -> EmbeddingError:
    return EmbeddingError(
        f"The publisher's weights of {one.name} could not be fetched from {site()}: {reason}. Nothing is lost.",
        f"{remedy} The weights that come with the program work without them.".strip(),
    )
