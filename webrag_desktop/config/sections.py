"""The settings of everything but searching; those are in ``search_sections.py``."""

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from platformdirs import user_data_path

from webrag_desktop.answering.options import AnswerOptions
from webrag_desktop.bounds import bounds_of
from webrag_desktop.config.declaration import Section, setting, staged
from webrag_desktop.config.values import Home, ServerAddress, Sites, TokenizerName, tokenizer_path
from webrag_desktop.embedding.options import (
    DEFAULT_ADDRESSES,
    DEFAULT_DIMENSIONS,
    DEFAULT_OLLAMA_MODEL,
    DEFAULT_OPENAI_MODEL,
    MOST_CORES,
    Backend,
    EmbeddingOptions,
)
from webrag_desktop.expansion.options import ExpansionLimits
from webrag_desktop.indexing.options import ChunkTargets
from webrag_desktop.ingestion.fetching.options import FetchOptions, SubresourceOptions
from webrag_desktop.ingestion.reading_process.options import MEGABYTE, ReadingOptions
from webrag_desktop.maintenance.options import BinOptions
from webrag_desktop.stack.base import StackChoice, StackOptions

if TYPE_CHECKING:
    from pydantic import SecretStr


def default_home() -> Path:
    """The data folder where ``WEBRAG_HOME`` names none: the platform's own place for it."""
    return user_data_path("webrag-desktop", appauthor=False)


class Places(Section):
    """Data folder and database."""

    title: ClassVar[str] = "Where things live"

    webrag_home: Home = setting(
        "The data folder: database, captures, logs, settings. Only the environment can move it.",
        default_home,
        otherwise="the platform's place, such as ~/.local/share/webrag-desktop",
    )
    webrag_stack: StackChoice = staged(
        StackOptions,
        "kind",
        "Which database: embedded runs the one that comes with the program, compose runs one by Docker Compose, "
        "external is the server that WEBRAG_DATABASE_URL names. auto is external where that is set, else embedded.",
    )
    webrag_database_url: "SecretStr | None" = setting(
        "Your own PostgreSQL (16 or newer, with pgvector 0.8.4 or newer), such as "
        "postgresql://user:password@host:5432/webrag."
    )
    webrag_bin_days: int = staged(
        BinOptions,
        "days",
        "How long removed documents rest in the bin before they are deleted for good. `webrag bin empty` deletes them "
        "at once, `webrag remove --for-good` leaves the bin out.",
        unit="days",
    )


class Fetching(Section):
    """How pages and files are fetched."""

    title: ClassVar[str] = "Fetching"

    fetch_timeout: float = staged(
        FetchOptions, "total_seconds", "How long one page may take in all.", unit="seconds"
    )
    fetch_max_bytes: int = staged(FetchOptions, "max_bytes", "How large a page or file may be.", unit="bytes")
    fetch_host_delay_seconds: float = staged(
        FetchOptions,
        "host_delay_seconds",
        "The shortest time between two requests to one site. Servers on this computer are exempt.",
        unit="seconds",
    )
    fetch_subresources: bool = staged(
        SubresourceOptions,
        "keep",
        "Whether stylesheets, images and fonts of fetched pages are kept, so that a page can be shown as it looked "
        "without the network. `webrag add --with-images` keeps them of what it adds, whatever this says.",
    )
    fetch_subresources_sites: Sites | None = staged(
        SubresourceOptions,
        "sites",
        "Sites for which it is otherwise: hosts, with all below them, such as example.org -news.example.org. Of one "
        "with a minus sign before it nothing is kept, of others everything within the limits.",
    )
    fetch_subresource_bytes: int = staged(
        SubresourceOptions,
        "file_bytes",
        "How large one stylesheet, image or font may be. What is larger is left out, and the page says so.",
        unit="bytes",
    )
    fetch_subresources_page_bytes: int = staged(
        SubresourceOptions,
        "page_bytes",
        "How large all stylesheets, images and fonts of one page may be together.",
        unit="bytes",
    )
    fetch_subresources_count: int = staged(
        SubresourceOptions,
        "files",
        "How many stylesheets, images and fonts of one page are kept.",
        unit="files",
    )


class Reading(Section):
    """How documents are read."""

    title: ClassVar[str] = "Reading"
    about: ClassVar[str] = (
        "Documents are read in a process of their own, so that one made to do harm ends only itself."
    )

    extract_memory_mb: int = staged(
        ReadingOptions,
        "memory_bytes",
        "How much memory that process may take in all.",
        each=MEGABYTE,
        unit="megabytes",
    )
    extract_seconds: float = staged(
        ReadingOptions, "seconds", "How long it may work on one document.", unit="seconds of the processor"
    )


class Chunking(Section):
    """How large chunks are."""

    title: ClassVar[str] = "Chunking"
    about: ClassVar[str] = (
        "Small chunks are what is searched; large ones are what is shown around a hit. A library keeps the sizes it "
        "was made with until `webrag space move` brings it to what is set here, in the background."
    )

    chunk_child_tokens: int = staged(
        ChunkTargets,
        "child_tokens",
        "The size of small chunks. Where it is not set, it is what the model takes, if that is less.",
        unit="tokens of the embedding model",
    )
    chunk_parent_tokens: int = staged(
        ChunkTargets, "parent_tokens", "The size of large chunks.", unit="tokens of the embedding model"
    )


class Embedding(Section):
    """Which model embeds, and where."""

    title: ClassVar[str] = "Embedding"
    about: ClassVar[str] = (
        "A library keeps the model it was made with until `webrag space move` brings it to what is set here, in the "
        "background. The settings from EMBEDDING_TOKENIZER to EMBEDDING_QUERY_PREFIX, and EMBEDDING_DIMENSIONS, are "
        "needed only for a model that the program does not know."
    )

    embedding_backend: Backend = staged(
        EmbeddingOptions,
        "backend",
        "auto is Ollama with EMBEDDING_MODEL if it answers when the library is made, else the model inside the "
        "program. embedded is that model. ollama and openai are the server at EMBEDDING_BASE_URL; for openai any "
        "server that speaks OpenAI's /v1/embeddings will do.",
    )
    embedding_base_url: str | None = staged(
        EmbeddingOptions,
        "base_url",
        "The address of the embedding server. OpenAI itself is sent texts only where EMBEDDING_BACKEND is openai, "
        "also those of a library that came here in a backup.",
        otherwise=f"{DEFAULT_ADDRESSES['ollama']} for Ollama, {DEFAULT_ADDRESSES['openai']} for openai",
    )
    embedding_model: str | None = staged(
        EmbeddingOptions,
        "model",
        "The name that the server has for the model; of those inside the program all-MiniLM-L6-v2, "
        "granite-embedding-30m-english or, an extra for 15 languages, universal-sentence-encoder-multilingual-3, which "
        "embed without a server.",
        otherwise=f"{DEFAULT_OLLAMA_MODEL} for Ollama, {DEFAULT_OPENAI_MODEL} for openai, "
        "granite-embedding-30m-english inside the program",
    )
    embedding_api_key: "SecretStr | None" = staged(
        EmbeddingOptions, "api_key", "The key that the server asks for."
    )
    embedding_dimensions: int = setting(
        "How long a vector is. Where it is not set, it is as long as the vectors of the model in use.",
        DEFAULT_DIMENSIONS,
        bounds=bounds_of(EmbeddingOptions, "dimensions"),
        unit="components",
    )
    embedding_tokenizer: TokenizerName | None = staged(
        EmbeddingOptions,
        "tokenizer",
        "The model's tokenizer: the path of a tokenizer.json or of a folder as HuggingFace's, or a name there, such as "
        "BAAI/bge-m3. A name is read from HuggingFace's cache on this computer and, since you named it, downloaded "
        "into that once if it is not there. What exists as a path is a path; hf:BAAI/bge-m3 is always a name. A "
        "relative path counts from the folder of the settings file (in the environment: from the current folder), ~ is "
        "your home folder. The library knows a tokenizer by its content: where it moves, name its new place here.",
        beside=tokenizer_path,
        otherwise="the model's own, where we know it and it is on this computer",
    )
    embedding_max_tokens: int | None = staged(
        EmbeddingOptions,
        "max_tokens",
        "The longest input that the model takes.",
        unit="tokens",
        otherwise="the model's own, where we know it",
    )
    embedding_document_prefix: str | None = staged(
        EmbeddingOptions,
        "document_prefix",
        "The prefix that the model's card asks for before texts.",
        otherwise="the model's own, where we know it",
    )
    embedding_query_prefix: str | None = staged(
        EmbeddingOptions,
        "query_prefix",
        "The prefix that the model's card asks for before questions.",
        otherwise="the model's own, where we know it",
    )
    embedding_batch_size: int = staged(
        EmbeddingOptions,
        "batch_size",
        "How many texts one request holds at most. A request is sized to take about two seconds.",
        unit="texts",
    )
    embedding_max_workers: int = staged(
        EmbeddingOptions,
        "max_workers",
        "How many requests are under way at a time. Ollama gets one.",
        unit="requests",
    )
    embedding_cores: int | None = staged(
        EmbeddingOptions,
        "cores",
        "On how many cores of the processor the model inside the program embeds documents at once, always at the "
        "lowest priority. Fewer keep a computer cooler and its battery full for longer. Each core "
        "takes up to 30 MB of memory, for long texts.",
        unit="cores",
        otherwise=f"all that there are, at most {MOST_CORES}",
    )


class Answers(Section):
    """The chat server."""

    title: ClassVar[str] = "Answers"
    about: ClassVar[str] = (
        "Question and evidence are sent to the chat server, to no other, and only when an answer is asked for. Without "
        "CHAT_MODEL the program answers with the sentences it found. Reranking uses server and key, too, unless it has "
        "its own."
    )

    chat_base_url: ServerAddress = setting(
        "The chat server: Ollama, or any that speaks OpenAI's /v1/chat/completions (llama.cpp, vLLM, LM Studio, "
        "OpenAI, OpenRouter).",
        DEFAULT_ADDRESSES["ollama"],
    )
    chat_model: str | None = setting(
        "The model that answers, by the name that its server has for it, such as llama3.1 after `ollama pull llama3.1`."
    )
    chat_api_key: "SecretStr | None" = setting("The key that the server asks for.")
    chat_context_tokens: int | None = staged(
        AnswerOptions,
        "context_tokens",
        "The model's context window: how much it reads and writes for one answer. It is also the most that "
        "Ollama is asked to make room for.",
        unit="tokens of the chat model",
        otherwise="what the server tells, of Ollama at most 32768 unless the model is loaded with more",
    )
    chat_reply_tokens: int = staged(
        AnswerOptions, "reply_tokens", "How much the model may write.", unit="tokens of the chat model"
    )
    chat_temperature: float = staged(
        AnswerOptions,
        "temperature",
        "How freely the model chooses its words: at 0 it takes the likeliest ones.",
    )
    chat_timeout: float = staged(
        AnswerOptions,
        "seconds",
        "The longest silence of the server, before the first word and between two; a whole answer may take longer.",
        unit="seconds",
    )
    chat_check_again: bool = staged(
        AnswerOptions,
        "check_again",
        "Whether the model is asked again with the sentences in another order where the context allows, so that only "
        "pointing that holds counts.",
    )
    chat_images: bool = staged(
        AnswerOptions,
        "images",
        "Whether images of the evidence are fetched from their sites and sent to a model that sees.",
    )
    chat_sentences: int = staged(
        AnswerOptions,
        "sentences",
        "How many sentences of the evidence the model can point at.",
        unit="sentences",
    )


class Expanding(Section):
    """How far links are followed."""

    title: ClassVar[str] = "Expansion"
    about: ClassVar[str] = (
        "Where the library does not answer a question, links of its pages can be followed: only when you ask for it, "
        "and within these limits, of which each ends it."
    )

    expand_pages: int = staged(ExpansionLimits, "pages", "How many pages are fetched at most.", unit="pages")
    expand_depth: int = staged(
        ExpansionLimits,
        "depth",
        "How many links in a row are followed from a page that is in the library already.",
        unit="links",
    )
    expand_seconds: float = staged(
        ExpansionLimits, "seconds", "After how long no further page is fetched.", unit="seconds"
    )
    expand_bytes: int = staged(
        ExpansionLimits, "bytes", "How much is fetched at most, all pages together.", unit="bytes"
    )
    expand_same_site: bool = staged(
        ExpansionLimits, "same_site", "Whether links that lead to another site are left alone."
    )


class OtherPrograms(Section):
    """What other programs may do."""

    title: ClassVar[str] = "Other programs"
    about: ClassVar[str] = (
        "`webrag mcp` serves the library to AI clients that you set up; docs/mcp.md tells how."
    )

    mcp_allow_writes: bool = setting(
        "Whether an AI client may add web pages to the library, and have links of its pages followed for a question. "
        "Without it, it can only search and read.",
        False,
    )
