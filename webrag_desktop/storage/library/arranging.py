"""How a list of documents is arranged: what it is narrowed to as one types, by what it is sorted, and its groups."""

from collections.abc import Sequence
from typing import LiteralString

from psycopg import sql

from webrag_desktop.models.sources import Grouping, SortKey
from webrag_desktop.text.folding import folded

# A site is a host, with its port where that is not the usual one. Few addresses have another colon than the first.
_PORT: LiteralString = "substring(d.source_url FROM '^https?://[^/?#]*(:[0-9]+)(?:[/?#]|$)')"
SITE_OF_DOCUMENT: LiteralString = f"""
    CASE WHEN strpos(substr(d.source_url, 9), ':') = 0 THEN d.site
         WHEN strpos(d.site, ':') > 0 AND {_PORT} IS NOT NULL THEN concat('[', d.site, ']', {_PORT})
         ELSE d.site || coalesce({_PORT}, '') END
"""
SITE_AS_GIVEN: LiteralString = SITE_OF_DOCUMENT.replace("d.source_url", "a.url").replace("d.site", "a.site")
_SITE_OF_REMOVED: LiteralString = SITE_OF_DOCUMENT.replace("d.", "r.")
_SITE: LiteralString = f"""
    CASE WHEN d.id IS NOT NULL THEN {SITE_OF_DOCUMENT} WHEN r.id IS NOT NULL THEN {_SITE_OF_REMOVED} ELSE
        (SELECT {SITE_AS_GIVEN} FROM source_addresses a WHERE a.source_id = s.id AND a.kind = 'given'
          ORDER BY a.id LIMIT 1) END
"""  # noqa: S608 - our own texts

# -- Sorting ------------------------------------------------------------------------------------------------------

# What needs the user comes first, then what is worked on, what waits, and what is done.
_STATE_ORDER: LiteralString = """
    array_position(ARRAY['failed', 'cancelled', 'embedding', 'chunking', 'extracting', 'fetching', 'queued',
                         'ready'], s.state)
"""
_ADDRESS: LiteralString = """
    coalesce(d.source_url, r.source_url, (SELECT url FROM source_addresses
                                           WHERE source_id = s.id AND kind = 'given' ORDER BY id LIMIT 1))
"""
# What is shown where there is no title: a file's name, or the address without its scheme.
_NAME: LiteralString = f"regexp_replace(rtrim({_ADDRESS}, '/'), '^(?:file:.*/|https?://)', '')"
# Escaped bytes are decoded where all of them are UTF-8 without doubt; others are left as they are.
_WHOLE: LiteralString = (
    "%%[2-7][0-9A-F]|%%C[2-9A-F]%%[89AB][0-9A-F]|%%D[0-9A-F]%%[89AB][0-9A-F]"
    "|%%E[1-9A-CEF](?:%%[89AB][0-9A-F]){2}"
)
_DECODED: LiteralString = f"""
    (SELECT CASE WHEN strpos(n.name, '%%') = 0 OR strpos(regexp_replace(n.name, '{_WHOLE}', '', 'gi'), '%%') > 0
                 THEN n.name
                 ELSE (SELECT convert_from(decode(string_agg(
                                  CASE WHEN left(p.part[1], 1) = '%%' THEN substr(p.part[1], 2)
                                       ELSE encode(convert_to(p.part[1], 'UTF8'), 'hex') END, '' ORDER BY p.at),
                              'hex'), 'UTF8')
                         FROM regexp_matches(n.name, '%%[0-9A-Fa-f][0-9A-Fa-f]|[^%%]+', 'g')
                              WITH ORDINALITY p(part, at))
            END FROM (SELECT {_NAME} AS name) n)
"""  # noqa: S608 - our own texts
# The title as it is shown, without case and accents.
FOLDED_TITLE: LiteralString = f"""
    coalesce(nullif(btrim(webrag_folded(s.user_title)), ''),
             nullif(btrim(substr(d.folded, strpos(d.folded, E'\\n') + 1)), ''),
             nullif(btrim(substr(r.folded, strpos(r.folded, E'\\n') + 1)), ''), webrag_folded({_DECODED}))
"""
# As people look titles up, with any locale of the server: Ä beside A, no difference of case, 2 before 10. Titles that
# differ in that alone are in the order of adding.
_TITLE_ORDER: LiteralString = f"""
    (SELECT CASE WHEN f.folded ~ '[0-9]'
                 THEN regexp_replace(regexp_replace(f.folded, '([0-9]+)', '000000000\\1', 'g'),
                                     '[0-9]*([0-9]{{10}})(?![0-9])', '\\1', 'g')
                 ELSE f.folded END
       FROM (SELECT {FOLDED_TITLE} AS folded OFFSET 0) f) COLLATE "C"
"""  # noqa: S608 - our own texts
SORTS: dict[SortKey, LiteralString] = {
    "added": "s.added_at",
    "title": _TITLE_ORDER,
    "state": _STATE_ORDER,
    "passages": "coalesce(d.parent_chunks, 0)",
    "opened": "coalesce(s.opened_at, '-infinity')",
    "removed": "coalesce(s.removed_at, '-infinity')",
    "site": f"coalesce({_SITE}, '') COLLATE \"C\"",
    "kind": "coalesce(d.doc_type, r.doc_type, '') COLLATE \"C\"",
    "size": """coalesce((SELECT c.body_bytes FROM captures c WHERE c.source_id = s.id
                          ORDER BY c.number DESC LIMIT 1), 0)""",
    "published": "coalesce(d.published_at, r.published_at, '-infinity')",
    "authors": "coalesce(d.author_order, r.author_order, '') COLLATE \"C\"",
    "tags": "lower(array_to_string(s.tags, ', ')) COLLATE \"C\"",
}

# -- Narrowing ----------------------------------------------------------------------------------------------------

MOST_WORDS = 8
# All that may have no text yet, or none any more: few, and found by an index. They are found by what was given.
_BY_GIVEN: LiteralString = "(s.state <> 'ready' OR s.removed_at IS NOT NULL)"
_GIVEN: LiteralString = "webrag_folded(substr(a.url, strpos(a.url, '//') + 2))"
# Scans of narrow columns, measured on 50,000 documents: an OR over both tables takes twice as long.
_HOLDS: LiteralString = f"""
    s.id IN (SELECT d.id FROM documents d WHERE strpos(d.folded, {{word}}) > 0 OR strpos(d.author_names, {{word}}) > 0
             UNION ALL
             SELECT r.id FROM removed_documents r
              WHERE strpos(r.folded, {{word}}) > 0 OR strpos(r.author_names, {{word}}) > 0
             UNION ALL
             SELECT s.id FROM sources s
              WHERE (s.user_title IS NOT NULL OR s.tags <> '{{{{}}}}')
                AND strpos(webrag_folded(concat_ws(' ', s.user_title, array_to_string(s.tags, ' '))), {{word}}) > 0
             UNION ALL
             SELECT a.source_id FROM source_addresses a JOIN sources s ON s.id = a.source_id
              WHERE a.kind = 'given' AND {_BY_GIVEN} AND strpos({_GIVEN}, {{word}}) > 0)
"""  # noqa: S608 - our own texts


# The same for every document at once, a part on each line, so that no word is found across two of them.
WORDS: LiteralString = f"""
    SELECT s.id, concat_ws(E'\\n', d.folded, d.author_names, r.folded, r.author_names, webrag_folded(s.user_title),
           webrag_folded(array_to_string(s.tags, E'\\n')),
           CASE WHEN {_BY_GIVEN} THEN
               (SELECT string_agg({_GIVEN}, E'\\n') FROM source_addresses a
                 WHERE a.source_id = s.id AND a.kind = 'given') END)
      FROM sources s LEFT JOIN documents d ON d.id = s.id LEFT JOIN removed_documents r ON r.id = s.id
"""  # noqa: S608 - our own texts


def words_of(text: str) -> list[str]:
    """The words that a list is narrowed by, each once, without case and accents."""
    return list(dict.fromkeys(folded(text).split()[:MOST_WORDS]))


def places_holding(texts: Sequence[str], text: str, among: Sequence[int]) -> Sequence[int]:
    """Those of the places ``among`` where what :data:`WORDS` has of a document holds every word of ``text``.

    It is as :func:`narrowed_to` finds it.
    """
    places = among
    for word in words_of(text):
        first, *others = _cases(word)
        if others:
            cases = (first, *others)
            places = [at for at in places if any(case in texts[at] for case in cases)]
        else:
            places = [at for at in places if first in texts[at]]
    return places


def narrowed_to(text: str) -> tuple[sql.Composable, dict[str, str]]:
    """The condition that every word of a text is in a document's titles, address, authors or tags; and its values."""
    values: dict[str, str] = {}
    condition: sql.Composable = sql.SQL("")
    for word in words_of(text):
        names = []
        for case in _cases(word):
            names.append(f"holds{len(values)}")
            values[names[-1]] = case
        either = sql.SQL(" OR ").join(sql.SQL(_HOLDS).format(word=sql.Placeholder(name)) for name in names)
        condition += sql.SQL(" AND ({either})").format(either=either)
    return condition, values


def _cases(word: str) -> list[str]:
    """In a server whose locale folds ASCII alone, other letters are looked for in the usual cases."""
    cases = [word.lower()] if word.isascii() else [word.lower(), word.title(), word.upper()]
    return list(dict.fromkeys(map(_ascii_lower, cases)))


def _ascii_lower(word: str) -> str:
    return "".join(letter.lower() if letter.isascii() else letter for letter in word)


# -- Groups -------------------------------------------------------------------------------------------------------

_DAY: LiteralString = "timezone(%(offset)s, s.added_at)"
GROUPS: dict[Grouping, LiteralString] = {
    "site": f"coalesce({_SITE}, '')",
    "kind": "coalesce(d.doc_type, r.doc_type, 'unknown')",
    "state": "s.state",
    "added": f"""CASE WHEN {_DAY} >= date_trunc('day', timezone(%(offset)s, now())) - interval '6 days'
                      THEN to_char({_DAY}, 'YYYY-MM-DD') ELSE to_char({_DAY}, 'YYYY-MM') END""",
    "collection": """coalesce((SELECT min(k.name) FROM source_collections m JOIN collections k ON k.id = m.collection_id
                                WHERE m.source_id = s.id), '')""",
}
# Groups themselves are in this order: the newest days first, what needs the user first, else by name, the unnamed last.
GROUP_ORDERS: dict[Grouping, LiteralString] = {
    "site": f"({GROUPS['site']} = ''), {GROUPS['site']} COLLATE \"C\"",
    "kind": f'{GROUPS["kind"]} COLLATE "C"',
    "state": _STATE_ORDER,
    "added": f"rpad({GROUPS['added']}, 10, '~') COLLATE \"C\" DESC",
    "collection": f"({GROUPS['collection']} = ''), lower({GROUPS['collection']}) COLLATE \"C\", 2",
}
