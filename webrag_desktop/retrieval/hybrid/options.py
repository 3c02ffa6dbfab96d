"""Preferences in terms of the options of every search, and back."""

from dataclasses import replace

from webrag_desktop.retrieval.contracts.options import MOST_CANDIDATES, RetrievalOptions
from webrag_desktop.retrieval.contracts.preferences import FtsPrefs, RetrievalPrefs, ScoringPrefs, VectorPrefs
from webrag_desktop.retrieval.fusion import FusionOptions


def options_for(prefs: RetrievalPrefs, base: RetrievalOptions) -> RetrievalOptions:
    """What the preferences say, and for the rest the ``base``, which holds the user's settings.

    Reciprocal ranks count alike, as the formula has no weights.
    """
    fts, vector, scoring = prefs.fts, prefs.vector, prefs.scoring
    by_rank = scoring.blend == "rrf"
    return replace(
        base,
        blend=scoring.blend,
        normalize=scoring.normalize,
        vector_weight=0.5 if by_rank else scoring.w_vec,
        text_weight=0.5 if by_rank else scoring.w_text,
        lexical_score=fts.rank_func,
        tsquery_mode=fts.mode,
        text_search_config=fts.config or base.text_search_config,
        min_rank=fts.min_rank,
        min_score=vector.min_score,
        distance=vector.distance,
    )


def widened(options: RetrievalOptions, children: int) -> RetrievalOptions:
    """The same with that many children from each arm, at least."""
    return replace(
        options,
        top_k_children_limit=min(MOST_CANDIDATES, max(options.top_k_children_limit, children)),
        lexical_children_limit=min(MOST_CANDIDATES, max(options.lexical_children_limit, children)),
    )


def pooled_fusion(prefs: RetrievalPrefs) -> FusionOptions:
    """How chunks that were cut late are scored: by meaning and by their words, on one scale."""
    return FusionOptions("linear", "minmax", prefs.scoring.w_text, prefs.scoring.w_vec)


def prefs_from(options: RetrievalOptions, question: str) -> RetrievalPrefs:
    """The preferences of a question that is to be searched as the options say."""
    weights = options.fusion
    return RetrievalPrefs(
        query_text=question,
        fts=FtsPrefs(
            mode=options.tsquery_mode,
            config=options.text_search_config,
            rank_func=options.lexical_score,
            min_rank=options.min_rank,
        ),
        vector=VectorPrefs(distance=options.distance, min_score=options.min_score),
        scoring=ScoringPrefs(
            blend=options.blend,
            normalize=options.normalize,
            w_text=weights.text_weight,
            w_vec=weights.vector_weight,
        ),
    )
