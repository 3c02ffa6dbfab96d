"""The settings as a person looks for them: in sections by what one wants to change, each with a short label.

The sections of ``sections.py`` follow the stages of the program. Every setting is in exactly one group.
"""

import re
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple


class Entry(NamedTuple):
    """A setting of a group: its name, what it is called there, and whether most people never need it."""

    name: str
    label: str
    advanced: bool = False


@dataclass(frozen=True, slots=True)
class SettingGroup:
    """Settings that belong together for who uses the program. ``about`` is a sentence that holds for all of them."""

    id: str
    title: str
    about: str
    entries: tuple[Entry, ...]


def _advanced(name: str, label: str) -> Entry:
    return Entry(name, label, advanced=True)


GROUPS: Final = (
    SettingGroup(
        "library",
        "Library and database",
        "Where the library lies, and which database holds it.",
        (
            Entry("WEBRAG_HOME", "Data folder"),
            Entry("WEBRAG_STACK", "Database"),
            Entry("WEBRAG_DATABASE_URL", "Address of your own database"),
            Entry("WEBRAG_BIN_DAYS", "Removed documents rest for"),
        ),
    ),
    SettingGroup(
        "embedding",
        "Embedding model",
        "It turns texts into vectors, for the search by meaning. A library keeps its model until it is moved.",
        (
            Entry("EMBEDDING_BACKEND", "Runs in"),
            Entry("EMBEDDING_BASE_URL", "Address"),
            Entry("EMBEDDING_API_KEY", "Key"),
            Entry("EMBEDDING_MODEL", "Model"),
            _advanced("EMBEDDING_DIMENSIONS", "Dimensions"),
            _advanced("EMBEDDING_TOKENIZER", "Tokenizer"),
            _advanced("EMBEDDING_MAX_TOKENS", "Longest input"),
            _advanced("EMBEDDING_DOCUMENT_PREFIX", "Prefix of texts"),
            _advanced("EMBEDDING_QUERY_PREFIX", "Prefix of questions"),
            _advanced("EMBEDDING_BATCH_SIZE", "Texts in a request"),
            _advanced("EMBEDDING_MAX_WORKERS", "Requests at a time"),
            _advanced("EMBEDDING_CORES", "Cores at a time"),
            _advanced("CHUNK_CHILD_TOKENS", "Size of small chunks"),
            _advanced("CHUNK_PARENT_TOKENS", "Size of large chunks"),
        ),
    ),
    SettingGroup(
        "answers",
        "Answers",
        "The chat model that writes answers from your documents. Without one, an answer is the sentences found.",
        (
            Entry("CHAT_BASE_URL", "Address"),
            Entry("CHAT_API_KEY", "Key"),
            Entry("CHAT_MODEL", "Model"),
            Entry("RETRIEVAL_FULL_CONTEXT_THRESHOLD", "Reading whole documents, up to"),
            Entry("CHAT_CHECK_AGAIN", "Ask the model twice"),
            _advanced("CHAT_CONTEXT_TOKENS", "Context window"),
            _advanced("CHAT_REPLY_TOKENS", "Longest answer"),
            _advanced("CHAT_TEMPERATURE", "Temperature"),
            _advanced("CHAT_TIMEOUT", "Longest silence"),
            _advanced("CHAT_IMAGES", "Send images"),
            _advanced("CHAT_SENTENCES", "Sentences to point at"),
            _advanced("RETRIEVAL_CONTEXT_BUDGET", "Text of passages"),
            _advanced("RETRIEVAL_FINAL_MAX_TOKENS", "Size of a context pack"),
            _advanced("RETRIEVAL_NEIGHBOR_SAME_PAGE", "Neighbours on the same page"),
            _advanced("RETRIEVAL_NEIGHBOR_CROSS_PAGE", "Neighbours on other pages"),
            _advanced("RETRIEVAL_INCLUDE_PARENTS", "The rest of a passage"),
            _advanced("RETRIEVAL_MIN_PRIMARY_HITS_TO_KEEP", "Best passages, always kept"),
            _advanced("RETRIEVAL_TOP_K_DENSE", "Chunks by meaning for a pack"),
        ),
    ),
    SettingGroup(
        "search",
        "Searching",
        "What a search finds, and in which order.",
        (
            Entry("RETRIEVAL_CORRECTIONS", "Correct typing errors"),
            Entry("RETRIEVAL_SIMILARITY_FLOOR", "Least similarity"),
            Entry("RETRIEVAL_VECTOR_WEIGHT", "Weight of meaning"),
            Entry("RETRIEVAL_RERANK_ENABLED", "Judge passages once more"),
            Entry("RETRIEVAL_RERANK_MODEL", "Model that judges"),
            _advanced("RETRIEVAL_RERANK_BASE_URL", "Address of that model"),
            _advanced("RETRIEVAL_RERANK_API_KEY", "Key of that model"),
            _advanced("RETRIEVAL_RERANK_MODEL_FILE", "Cross-encoder file"),
            _advanced("RETRIEVAL_RERANK_MAX_CANDIDATES_TO_RERANK", "Passages judged"),
            _advanced("RETRIEVAL_RERANK_RETURN_TOP_N", "Passages returned"),
            _advanced("RETRIEVAL_RERANK_MAX_TEXT_CHARS_PER_CANDIDATE", "Text of each passage"),
            _advanced("RETRIEVAL_RERANK_STRICT_JSON_OUTPUT", "Strict replies"),
            _advanced("RETRIEVAL_RERANK_JUDGING", "How it judges"),
            _advanced("RETRIEVAL_RERANK_TIMEOUT", "Longest wait for it"),
            _advanced("RETRIEVAL_TOP_K_CHILDREN_LIMIT", "Small chunks looked at"),
            _advanced("RETRIEVAL_HNSW_EF_SEARCH", "Reach of the vector index"),
            _advanced("RETRIEVAL_LEXICAL_SCORE", "Score of words"),
            _advanced("RETRIEVAL_TSQUERY_MODE", "Reading of questions"),
            _advanced("RETRIEVAL_TEXT_SEARCH_CONFIG", "Language of words"),
            _advanced("RETRIEVAL_BLEND", "Blend of the scores"),
            _advanced("RETRIEVAL_NORMALIZE", "Scale of the scores"),
            _advanced("RETRIEVAL_DEPTH_DECAY_RATE", "Less for each link followed"),
            _advanced("RETRIEVAL_DEPTH_FLOOR", "Least for pages behind links"),
        ),
    ),
    SettingGroup(
        "fetching",
        "Fetching",
        "How pages are fetched, and how far links are followed when you ask for it.",
        (
            Entry("FETCH_TIMEOUT", "Longest wait for a page"),
            Entry("FETCH_MAX_BYTES", "Largest page or file"),
            Entry("FETCH_HOST_DELAY_SECONDS", "Pause between requests to a site"),
            Entry("FETCH_SUBRESOURCES", "Keep images and styles of pages"),
            Entry("FETCH_SUBRESOURCES_SITES", "Otherwise for these sites"),
            Entry("FETCH_SUBRESOURCE_BYTES", "Largest image or stylesheet"),
            Entry("FETCH_SUBRESOURCES_PAGE_BYTES", "All images and styles of a page"),
            Entry("FETCH_SUBRESOURCES_COUNT", "Images and styles of a page"),
            Entry("EXPAND_PAGES", "Following links: pages"),
            Entry("EXPAND_DEPTH", "Following links: links in a row"),
            Entry("EXPAND_SECONDS", "Following links: time"),
            Entry("EXPAND_BYTES", "Following links: amount"),
            Entry("EXPAND_SAME_SITE", "Stay on the site"),
        ),
    ),
    SettingGroup(
        "reading",
        "Reading",
        "Documents are read in a process of their own, so that one made to do harm ends only itself.",
        (
            Entry("EXTRACT_MEMORY_MB", "Memory for reading"),
            Entry("EXTRACT_SECONDS", "Time for one document"),
        ),
    ),
    SettingGroup(
        "privacy",
        "Privacy",
        "What leaves this computer, and what other programs may do with your library.",
        (Entry("MCP_ALLOW_WRITES", "AI clients may add pages"),),
    ),
)


def in_words(text: str, section: str = "") -> str:
    """A text in which settings are called as their form calls them, and not by their names in the environment.

    Those outside the ``section`` whose form the text stands in are named with theirs.
    """
    pattern, called = _names()

    def label(found: re.Match[str]) -> str:
        name, group = called[found["name"]]
        where = "" if group.id == section else f" (settings, {group.title})"
        return f"“{name}”{where}" + (f" to {found['value']}" if found["value"] else "")

    return pattern.sub(label, text)


@cache
def _names() -> tuple[re.Pattern[str], dict[str, tuple[str, SettingGroup]]]:
    called = {entry.name: (entry.label, group) for group in GROUPS for entry in group.entries}
    names = "|".join(sorted(called, key=len, reverse=True))
    return re.compile(rf"\b(?P<name>{names})\b(?:=(?P<value>[\w./:-]*\w))?"), called
