"""What tells settings from others, without any secret in it."""

import hashlib
import re
from dataclasses import fields
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webrag_desktop.embedding.options import EmbeddingOptions


_UNTOLD = frozenset({"api_key", "base_url", "locks", "model_folder"})  # secret, or of no account
_CREDENTIALS = re.compile(r"//[^/]*@|\?.*")


def settings_fingerprint(options: "EmbeddingOptions", *others: str) -> str:
    """What tells these settings from others; no secret goes into it."""
    said = [f"{one.name}={getattr(options, one.name)}" for one in fields(options) if one.name not in _UNTOLD]
    address = _CREDENTIALS.sub("", options.base_url or "")
    told = [*said, address, f"key={options.key is not None}", *others]
    return hashlib.sha256("\n".join(told).encode()).hexdigest()
