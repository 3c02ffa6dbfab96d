"""What model servers report of themselves: which kind they are, which models they list, how much a model reads."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

Sight = Literal["sees", "blind", "unknown"]

# Ollama's own default since 0.6; a model that is not loaded yet may be given more, as the next request shows.
OLLAMA_CHAT_CONTEXT = 4_096


def is_ollama(listed: object) -> bool:
    """Whether ``/v1/models`` was answered by Ollama, which reports no sizes there."""
    return any(row.get("owned_by") == "library" for row in rows_of(listed, "data"))


def lists_nothing(listed: object) -> bool:
    """Whether ``/v1/models`` was answered by a server that holds no model, as Ollama is at first."""
    return isinstance(listed, dict) and listed.get("object") == "list" and not listed.get("data")


def listed_context(listed: object, model: str) -> int | None:
    """The context in ``/v1/models``: llama.cpp ``meta.n_ctx``, vLLM ``max_model_len``, OpenRouter its own name."""
    row = listed_row(listed, model)
    meta = row.get("meta")
    if isinstance(meta, dict):
        return positive_count(meta.get("n_ctx"))
    return positive_count(row.get("max_model_len")) or positive_count(row.get("context_length"))


def listed_row(listed: object, model: str) -> Mapping[str, Any]:
    """The row of the model in ``/v1/models``, or of the only one that there is; nothing where it is not there."""
    rows = rows_of(listed, "data")
    named = [row for row in rows if model == row.get("id") or model in aliases_of(row)]
    return next(iter(named or (rows if len(rows) == 1 else ())), {})


def loaded_context(running: object, model: str) -> int | None:
    """How much a model that is loaded reads, as Ollama's ``/api/ps`` reports; None where it is not loaded."""
    row = next((row for row in rows_of(running, "models") if row.get("name") == tagged(model)), {})
    return positive_count(row.get("context_length"))


def tagged(model: str) -> str:
    """The name with its tag: one without a tag means ``:latest``."""
    return model if ":" in model.rsplit("/", 1)[-1] else f"{model}:latest"


def sight_of_props(props: object) -> Sight:
    """Whether the model takes pictures, as llama.cpp's ``/props`` report."""
    modalities = props.get("modalities") if isinstance(props, dict) else None
    vision = modalities.get("vision") if isinstance(modalities, dict) else None
    return ("sees" if vision else "blind") if isinstance(vision, bool) else "unknown"


def rows_of(answer: object, name: str) -> Sequence[Mapping[str, Any]]:
    """The rows of a list that a server gave under that name; none where it is no such list."""
    rows = answer.get(name) if isinstance(answer, dict) else None
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def aliases_of(row: Mapping[str, Any]) -> Sequence[object]:
    """The other names of a listed model."""
    aliases = row.get("aliases")
    return aliases if isinstance(aliases, list) else ()


def positive_count(value: object) -> int | None:
    """The value where it is a whole number above zero, else None."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
