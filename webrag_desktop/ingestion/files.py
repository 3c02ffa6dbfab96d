"""Capturing a file from this computer."""

from datetime import UTC, datetime
from pathlib import Path

from webrag_desktop.errors import FetchError, resource_error
from webrag_desktop.errors.opening import FileTooLargeError, NotAFileError, file_content, why
from webrag_desktop.ingestion.content_types import detect_format
from webrag_desktop.ingestion.fetching import errors as fetch_errors
from webrag_desktop.ingestion.fetching.options import FetchOptions
from webrag_desktop.models.documents import Capture
from webrag_desktop.models.formats import media_type_of


def read_file(path: Path | str, options: FetchOptions) -> Capture:
    """The bytes of a file of a kind that can be read; ``url`` is its ``file://`` URI.

    The kind goes by the content and, for text, by the name; it is noted as Content-Type. Raises
    :class:`~webrag_desktop.errors.FetchError` for what cannot be opened, is empty or above
    ``options.max_bytes``, :class:`~webrag_desktop.errors.ResourceError` where this computer lacks what opening it
    takes, and :class:`~webrag_desktop.errors.ExtractionError`, saying what it is, for kinds
    without a reader.
    """
    file = Path(path).expanduser().absolute()
    body = _read(file, options.max_bytes)
    if not body.strip():
        raise FetchError(f"The file {file.name} is empty", "Choose a file with text in it.")
    found = detect_format(body, name=file.name)
    uri = file.as_uri()
    return Capture(
        url=uri,
        final_url=uri,
        headers=(("Content-Type", media_type_of(found)),),
        body=body,
        fetched_at=datetime.now(UTC),
        filename=file.name,
    )


def _read(file: Path, limit: int) -> bytes:
    try:
        return file_content(file, limit)
    except FileTooLargeError as error:
        raise fetch_errors.too_large(limit, "file") from error
    except NotAFileError as error:
        if file.is_dir():
            hint = "Add it as a folder: what is in it is shown first."
            raise FetchError(f"{file.name} is a folder", hint) from error
        raise FetchError(
            f"{file.name} is not a file that can be read: {why(error)}", "Choose an ordinary file."
        ) from error
    except (FileNotFoundError, NotADirectoryError) as error:
        raise FetchError(f"There is no file {file}", "It may have been moved or renamed.") from error
    except PermissionError as error:
        raise FetchError(f"The file {file.name} may not be read", "Check its permissions.") from error
    except (OSError, ValueError, MemoryError) as error:
        if (lacking := resource_error(error)) is not None:
            raise lacking from error
        reason = why(error) if isinstance(error, OSError) else "its name is not valid"
        raise FetchError(
            f"The file {file.name} could not be read: {reason}", "Copy it and add the copy."
        ) from error
