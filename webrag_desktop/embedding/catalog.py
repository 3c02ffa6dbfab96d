"""The embedding models the program knows by name, with what must be known to use them correctly."""

from dataclasses import dataclass
from typing import Final

from webrag_desktop.embedding.options import DEFAULT_DIMENSIONS, DEFAULT_OLLAMA_MODEL, DEFAULT_OPENAI_MODEL
from webrag_desktop.models.spaces import EmbeddingModel

BERT_UNCASED: Final = "bert-base-uncased"
CL100K: Final = "cl100k_base"
SHIPPED_TOKENIZERS: Final = (BERT_UNCASED, CL100K)
# Models on HuggingFace's hub, in lower case, whose tokenizer is one that comes with the program.
SHIPPED_REPOSITORIES: Final = {
    "google-bert/bert-base-uncased": BERT_UNCASED,
    "nomic-ai/nomic-embed-text-v1": BERT_UNCASED,
    "nomic-ai/nomic-embed-text-v1.5": BERT_UNCASED,
    "sentence-transformers/all-minilm-l6-v2": BERT_UNCASED,
}

BERT_VOCABULARY_SHA256: Final = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
CL100K_RANKS_SHA256: Final = "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"
SMOOTHING_SHA256: Final = "b8b36f22d614b64c2915786a3d4a4846de0c499031e4bba4d64714c8f3f0977b"
# Of the file that the shipped model is rewritten into (embedding/fused): any change of it is another form.
FUSED_SHA256: Final = "390469aea1612a161ba2d151c979b931baabf10914b597296d105488d862f0f9"
MINILM_SHA256: Final = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"

# Ollama loads a model with a context of its own choosing and cuts longer inputs without a word; this is the
# smallest context it has shipped with.
OLLAMA_CONTEXT: Final = 2048

# The window assumed for an unknown model: what BERT-like models take.
UNKNOWN_WINDOW: Final = 512

# The name holds the form and the hash of its file: another form gives other vectors. New libraries get this one.
EMBEDDED_MODEL: Final = EmbeddingModel(
    backend="embedded",
    model=f"all-MiniLM-L6-v2-fused-{FUSED_SHA256[:12]}",
    dimensions=384,
    tokenizer=BERT_UNCASED,
    max_tokens=512,
    similarity_floor=0.3,
)

# The graph as it comes, slower and in full precision: of older libraries, and of computers that lack an operation.
SHIPPED_FORM: Final = EMBEDDED_MODEL.model_copy(
    update={"model": f"all-MiniLM-L6-v2-int8-{MINILM_SHA256[:12]}"}
)


@dataclass(frozen=True, slots=True)
class KnownModel:
    """A model served by others: its native ``dimensions``, its window in tokens, its training prefixes.

    ``tokenizer`` is None where it does not come with the program; ``repository`` names the model on HuggingFace's hub
    whose tokenizer it is. ``reducible`` models give shorter vectors on request. Windows and prefixes are those of the
    models' cards.
    """

    names: tuple[str, ...]
    dimensions: int
    max_tokens: int
    tokenizer: str | None
    document_prefix: str = ""
    query_prefix: str = ""
    reducible: bool = False
    repository: str | None = None


def _multilingual_e5(size: str, dimensions: int) -> KnownModel:
    name = f"multilingual-e5-{size}"
    return KnownModel(
        names=(name, f"intfloat-{name}", f"text-embedding-{name}"),
        dimensions=dimensions,
        max_tokens=512,
        tokenizer=None,
        document_prefix="passage: ",
        query_prefix="query: ",
        repository=f"intfloat/{name}",
    )


KNOWN_MODELS: Final = (
    KnownModel(
        names=(
            DEFAULT_OLLAMA_MODEL,
            "nomic-embed-text-v1",
            "nomic-embed-text-v1.5",
            "text-embedding-nomic-embed-text-v1.5",
        ),
        dimensions=DEFAULT_DIMENSIONS,
        max_tokens=2048,
        tokenizer=BERT_UNCASED,
        document_prefix="search_document: ",
        query_prefix="search_query: ",
    ),
    KnownModel((DEFAULT_OPENAI_MODEL,), 1536, 8191, CL100K, reducible=True),
    KnownModel(("text-embedding-3-large",), 3072, 8191, CL100K, reducible=True),
    KnownModel(("text-embedding-ada-002",), 1536, 8191, CL100K),
    KnownModel(("bge-m3", "text-embedding-bge-m3"), 1024, 8192, None, repository="BAAI/bge-m3"),
    _multilingual_e5("small", 384),
    _multilingual_e5("base", 768),
    _multilingual_e5("large", 1024),
    # Servers run it with the 256 tokens it was trained on.
    KnownModel(
        ("all-minilm", "all-minilm-l6-v2", "text-embedding-all-minilm-l6-v2-embedding"),
        384,
        256,
        BERT_UNCASED,
    ),
)

# The model without its form means the library's own, or the one that a new library gets.
EMBEDDED_NAME: Final = "all-minilm-l6-v2"
EMBEDDED_FORMS: Final = {form.model.lower(): form for form in (EMBEDDED_MODEL, SHIPPED_FORM)}
EMBEDDED_NAMES: Final = frozenset({EMBEDDED_NAME, *EMBEDDED_FORMS})


def known_model(name: str) -> KnownModel | None:
    """The model behind a server's name for it; owner, tag and quantisation in the name do not matter."""
    bare = name.lower().rsplit("/", 1)[-1].split(":", 1)[0].split("@", 1)[0]
    return next((model for model in KNOWN_MODELS if bare in model.names), None)
