"""How much a chat server reads at once, from what it lists of itself."""

from collections.abc import Mapping, Sequence
from typing import Any

# Ollama's own default since 0.6; a model that is not loaded yet may be given more, which the next look tells.
OLLAMA_CHAT_CONTEXT = 4_096


def is_ollama(listed: object) -> bool:
    """Whether ``/v1/models`` was answered by Ollama, which tells no sizes there."""
    return any(row.get("owned_by") == "library" for row in _rows(listed, "data"))


def listed_context(listed: object, model: str) -> int | None:
    """What ``/v1/models`` tells: llama.cpp as ``meta.n_ctx``, vLLM as ``max_model_len``."""
    rows = _rows(listed, "data")
    named = [row for row in rows if model == row.get("id") or model in _names(row)]
    row = next(iter(named or (rows if len(rows) == 1 else ())), {})
    meta = row.get("meta")
    return _size(meta.get("n_ctx") if isinstance(meta, dict) else row.get("max_model_len"))


def ollama_context(running: object, model: str) -> int:
    """What Ollama's ``/api/ps`` tells of a model that is loaded; a name without a tag means ``:latest``."""
    tagged = model if ":" in model.rsplit("/", 1)[-1] else f"{model}:latest"
    row = next((row for row in _rows(running, "models") if row.get("name") == tagged), {})
    return _size(row.get("context_length")) or OLLAMA_CHAT_CONTEXT


def _rows(answer: object, name: str) -> Sequence[Mapping[str, Any]]:
    rows = answer.get(name) if isinstance(answer, dict) else None
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _names(row: Mapping[str, Any]) -> Sequence[object]:
    aliases = row.get("aliases")
    return aliases if isinstance(aliases, list) else ()


def _size(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
