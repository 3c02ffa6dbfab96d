"""The texts of the statements about candidates, put together once for every form of search."""

from functools import lru_cache
from typing import Literal, NamedTuple, Self

from psycopg import sql

from webrag_desktop.models.questions import LexicalScore, TsqueryMode
from webrag_desktop.models.spaces import StoredSpace
from webrag_desktop.storage.searching import candidate_parts as parts
from webrag_desktop.storage.searching.search import Scope
from webrag_desktop.storage.searching.word_query import WordQuery
from webrag_desktop.storage.spaces import space_tables

Within = Literal["library", "documents", "parents"]


class Form(NamedTuple):
    """What the text of a statement depends on beside the space; all else is a parameter.

    ``selective``: the scope is so small that all its vectors are measured; ``nearest`` is how many are wanted.
    """

    within: Within
    selective: bool
    excluded: bool
    seen: bool
    mode: TsqueryMode
    exact: bool
    score: LexicalScore
    nearest: int

    @classmethod
    def of(
        cls, scope: Scope, words: WordQuery, *, exact_scan: int, score: LexicalScore, nearest: int
    ) -> Self:
        """The form of the statements about candidates of this search."""
        within: Within = "documents" if scope.parent_ids is None else "parents"
        return cls(
            within="library" if scope.document_ids is None else within,
            selective=scope.document_ids is not None and scope.child_chunks <= exact_scan,
            excluded=bool(words.excluded),
            seen=bool(scope.seen),
            mode=words.mode,
            exact=words.exact,
            score=score,
            nearest=nearest,
        )


_FORMS = 64  # of statements that are kept, since putting one together takes as long as running a small one


@lru_cache(_FORMS)
def nearest_text(space: StoredSpace, form: Form) -> bytes:
    """The statement of the nearest children."""
    wanted = sql.SQL("{} {} {}").format(
        _scoped_vectors(form),
        parts.VECTORS_NOT_EXCLUDED if form.excluded else parts.NOTHING,
        parts.VECTORS_UNSEEN if form.seen else parts.NOTHING,
    )
    names = {
        "table": sql.Identifier(space.table),
        "distance": _distance(space),
        "scoped": wanted,
        "limit": sql.Literal(form.nearest),
    }
    return parts.NEAREST.format(
        queries=_queries(form) if form.score != "bm25" or form.excluded else parts.NOTHING,
        indexed=parts.NOTHING_INDEXED if form.selective else parts.BY_INDEX.format(**names),
        measured=parts.MEASURED.format(**names),
        columns=parts.COLUMNS,
        joined=parts.JOINED,
        **_server_scores(form),
    ).as_bytes()


@lru_cache(_FORMS)
def worded_text(space: StoredSpace | None, form: Form, *, more: bool) -> bytes:
    """The statement of what the words propose; ``more`` says that more were scored than are wanted."""
    similarity: sql.Composable = parts.NO_SIMILARITY
    vectors_joined: sql.Composable = parts.NOTHING
    if space is not None:
        similarity = parts.SIMILARITY.format(_distance(space))
        vectors_joined = parts.VECTORS_JOINED.format(sql.Identifier(space.table))
    arms: dict[str, sql.Composable] = {"unseen": _unseen(form)}
    if form.score == "bm25":
        template = parts.BEST_SCORED if more else parts.ALL_SCORED
    else:
        template = parts.SCORED_BY_SERVER
        arms = {"queries": _queries(form), **_server_arms(form)}
    joined = sql.SQL("{} {}").format(parts.JOINED, vectors_joined)
    shared = {"columns": parts.COLUMNS, "similarity": similarity, "joined": joined, **_server_scores(form)}
    return template.format(**shared, **arms).as_bytes()


def _distance(space: StoredSpace) -> sql.Composed:
    return space_tables.distance(space, sql.SQL("e.embedding"), sql.SQL("%(vector)s"))


def _scoped_chunks(form: Form) -> sql.SQL:
    """The condition that keeps the children ``c`` within the scope."""
    return {"library": parts.NOTHING, "documents": parts.OF_DOCUMENTS, "parents": parts.OF_PARENTS}[
        form.within
    ]


def _unseen(form: Form) -> sql.SQL:
    return parts.UNSEEN if form.seen else parts.NOTHING


def _scoped_vectors(form: Form) -> sql.SQL:
    """The condition that keeps the vectors ``e`` within the scope."""
    of_parents = parts.VECTORS_OF_PARENTS if form.selective else parts.VECTORS_OF_MANY_PARENTS
    return {"library": parts.NOTHING, "documents": parts.VECTORS_OF_DOCUMENTS, "parents": of_parents}[
        form.within
    ]


def _queries(form: Form) -> sql.Composed:
    all_words = parts.STRICTLY_ALL_WORDS if form.mode == "strict" else parts.EVERY_WORD
    return parts.QUERIES.format(all_words=all_words, any_word=all_words if form.exact else parts.ANY_WORD)


def _server_scores(form: Form) -> dict[str, sql.Composable]:
    """The server's scores of the words; those by BM25 are known already."""
    if form.score == "bm25":
        return {"scores": parts.NOTHING, "worded_alike": parts.NOTHING}
    return {"scores": parts.SCORES.format(rank=_rank(form)), "worded_alike": parts.WORDED_ALIKE}


def _server_arms(form: Form) -> dict[str, sql.Composed]:
    in_scope = sql.SQL("AND (%(chunking)s::text IS NULL OR c.chunking_id = %(chunking)s) {} {} {}").format(
        _scoped_chunks(form), parts.NONE_EXCLUDED if form.excluded else parts.NOTHING, _unseen(form)
    )
    return {
        name: parts.WORD_ARM.format(condition=condition, in_scope=in_scope, rank=_rank(form))
        for name, condition in (("strict", parts.ALL_WORDS), ("loose", parts.ANY_WORD_WHERE_ROOM))
    }


def _rank(form: Form) -> sql.Composed:
    return sql.SQL("{}(c.search_vector, q.any_word, 1)").format(sql.Identifier(form.score))
