"""The settings of searching: what is found, what goes into context packs, and what judges passages once more."""

from typing import TYPE_CHECKING, ClassVar

from webrag_desktop.bounds import bounds_of
from webrag_desktop.config.declaration import Section, setting, staged
from webrag_desktop.config.values import ConfigurationName, File, ServerAddress, file_path
from webrag_desktop.models.questions import LexicalScore, TsqueryMode
from webrag_desktop.retrieval.contracts.options import (
    DEFAULT_SIMILARITY_FLOOR,
    LARGEST_EF_SEARCH,
    ContextOptions,
    RetrievalOptions,
)
from webrag_desktop.retrieval.contracts.rerank_options import Judging, RerankConfig
from webrag_desktop.retrieval.fusion import DEFAULT_FUSION, Blend, Normalization

if TYPE_CHECKING:
    from pydantic import SecretStr


class Retrieval(Section):
    """What is found."""

    title: ClassVar[str] = "Retrieval"

    retrieval_full_context_threshold: int = staged(
        RetrievalOptions,
        "full_context_threshold",
        "Up to so much text in the library, answers are given all of it; above, it is searched. A value above "
        "RETRIEVAL_CONTEXT_BUDGET counts as that budget.",
        unit="tokens",
    )
    retrieval_context_budget: int = staged(
        RetrievalOptions, "context_budget", "How much text of passages is returned at most.", unit="tokens"
    )
    retrieval_top_k_children_limit: int = staged(
        RetrievalOptions,
        "top_k_children_limit",
        "How many small chunks are looked at before they are gathered into their large ones.",
        most=LARGEST_EF_SEARCH,  # the index of vectors returns no more
        unit="chunks",
    )
    retrieval_similarity_floor: float = setting(
        "The cosine similarity below which a small chunk is noise. Where it is not set, a floor of the model's own "
        "goes first where we know one.",
        DEFAULT_SIMILARITY_FLOOR,
        bounds=bounds_of(RetrievalOptions, "similarity_floor"),
    )
    retrieval_depth_decay_rate: float = staged(
        RetrievalOptions,
        "depth_decay_rate",
        "Pages reached by following links count a little less: how much for each step.",
    )
    retrieval_depth_floor: float = staged(
        RetrievalOptions, "depth_floor", "What a page reached by following links counts at least."
    )
    retrieval_hnsw_ef_search: int = staged(
        RetrievalOptions,
        "hnsw_ef_search",
        "How far the index of vectors looks around: more finds more and takes longer.",
        unit="chunks",
    )
    retrieval_lexical_score: LexicalScore = staged(
        RetrievalOptions,
        "lexical_score",
        "How words are scored: bm25, or the database's own ts_rank or ts_rank_cd.",
    )
    retrieval_tsquery_mode: TsqueryMode = staged(
        RetrievalOptions,
        "tsquery_mode",
        "How the words of a question are read: web (quotation marks and minus count; all words first, then any), plain "
        "(the same, and every sign is only a sign), phrase (the words side by side), strict (the syntax of "
        "PostgreSQL's to_tsquery; an error in it is reported).",
    )
    retrieval_text_search_config: ConfigurationName | None = staged(
        RetrievalOptions,
        "text_search_config",
        "A text search configuration of the database's to read the words with, such as english or simple.",
        otherwise="each document's own language",
    )
    retrieval_corrections: bool = staged(
        RetrievalOptions,
        "corrections",
        "Whether a word that no text holds is read as one that differs by a slip of a letter.",
    )
    retrieval_blend: Blend = staged(
        RetrievalOptions,
        "blend",
        "How the scores of meaning and words become one: linear, or rrf (from the ranks alone).",
    )
    retrieval_normalize: Normalization = staged(
        RetrievalOptions, "normalize", "How linear brings both scores to one scale."
    )
    retrieval_vector_weight: float = setting(
        "What the meaning counts; the words count the rest. Where it is not set, a weight of the model's own "
        "goes first where we know one.",
        DEFAULT_FUSION.vector_weight,
        bounds=bounds_of(RetrievalOptions, "vector_weight"),
    )


class ContextPacks(Section):
    """What a context pack holds."""

    title: ClassVar[str] = "Context packs"
    about: ClassVar[str] = (
        "What is put together around the passages found: for `webrag context`, and for answers where the library is "
        "too large to be read whole."
    )

    retrieval_neighbor_same_page: int = staged(
        ContextOptions,
        "neighbor_same_page",
        "How many small chunks beside what matched are taken on either side, of the same page (of a PDF; else "
        "section).",
        unit="chunks",
    )
    retrieval_neighbor_cross_page: int = staged(
        ContextOptions,
        "neighbor_cross_page",
        "The same, from the pages before and after.",
        unit="chunks",
    )
    retrieval_include_parents: bool = staged(
        ContextOptions, "include_parents", "Whether the rest of a passage comes along."
    )
    retrieval_final_max_tokens: int = staged(
        ContextOptions,
        "final_max_tokens",
        "How much text a pack holds at most. Where it is not set, an answer is given two fifths of the model's context "
        "window instead, if that is known.",
        unit="tokens",
    )
    retrieval_min_primary_hits_to_keep: int = staged(
        ContextOptions,
        "min_primary_hits_to_keep",
        "How many of the best passages are kept whatever they take. Where it is not set, `webrag context` keeps fewer "
        "if the budget is small.",
        unit="passages",
    )
    retrieval_top_k_dense: int | None = staged(
        ContextOptions,
        "top_k_dense",
        "How many small chunks are looked for by meaning for a pack.",
        unit="chunks",
        otherwise="RETRIEVAL_TOP_K_CHILDREN_LIMIT",
    )


class Reranking(Section):
    """Whether and how passages are judged once more."""

    title: ClassVar[str] = "Reranking"
    about: ClassVar[str] = (
        "The best passages can be judged once more by a model. With a chat model, the question and parts of passages "
        "are sent to its server; where it fails or is late, the order stays as it was."
    )

    retrieval_rerank_enabled: bool = setting("Whether the best passages are judged once more.", default=False)
    retrieval_rerank_model: str | None = staged(
        RerankConfig, "model", "The chat model that judges, by the name that its server has for it."
    )
    retrieval_rerank_model_file: File | None = setting(
        "Instead, a cross-encoder on this computer: an ONNX file with its tokenizer.json beside it. It goes before "
        "RETRIEVAL_RERANK_MODEL where both are set. A relative path counts as that of EMBEDDING_TOKENIZER does.",
        beside=file_path,
    )
    retrieval_rerank_base_url: ServerAddress | None = setting(
        "An OpenAI-compatible server of the chat model.",
        otherwise="CHAT_BASE_URL, then with CHAT_API_KEY unless another key is given",
    )
    retrieval_rerank_api_key: "SecretStr | None" = setting("The key that this server asks for.")
    retrieval_rerank_max_candidates_to_rerank: int = staged(
        RerankConfig, "max_candidates_to_rerank", "How many passages are judged.", unit="passages"
    )
    retrieval_rerank_return_top_n: int = staged(
        RerankConfig,
        "return_top_n",
        "How many of the judged passages are returned, and how many passages make a context pack at most.",
        also=((ContextOptions, "return_top_n"),),
        unit="passages",
    )
    retrieval_rerank_max_text_chars_per_candidate: int = staged(
        RerankConfig,
        "max_text_chars_per_candidate",
        "How much of each passage is shown to the model.",
        unit="characters",
    )
    retrieval_rerank_strict_json_output: bool = staged(
        RerankConfig,
        "strict_json_output",
        "Whether the model has to answer in JSON and nothing else; false looks for it in what else it says.",
    )
    retrieval_rerank_judging: Judging = staged(
        RerankConfig,
        "judging",
        "How a chat model judges: rubric (a score for every passage, with the sentence that speaks for it), listwise "
        "(the best three of the list) or pairwise (the best four by twos). The latter two read excerpts and reply in a "
        "few words, which takes a fraction of the time.",
    )
    retrieval_rerank_timeout: float = staged(
        RerankConfig,
        "seconds",
        "How long until the order stays as it was, attempts and waits included. A reply that comes too "
        "late is not requested again. A server that refuses the connection is tried once.",
        unit="seconds",
    )
