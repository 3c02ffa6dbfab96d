"""How a list of documents is arranged: what it is narrowed to as one types, by what it is sorted, and its groups."""

from collections.abc import Sequence
from typing import LiteralString

from psycopg import sql

from webrag_desktop.models.sources import Grouping, SortKey

# A site is a host, with its port where that is not the usual one. Few addresses have another colon than the first.
_PORT: LiteralString = "substring(d.source_url FROM '^https?://[^/?#]*(:[0-9]+)(?:[/?#]|$)')"
SITE_OF_DOCUMENT: LiteralString = f"""
    CASE WHEN strpos(substr(d.source_url, 9), ':') = 0 THEN d.site
         WHEN strpos(d.site, ':') > 0 AND {_PORT} IS NOT NULL THEN concat('[', d.site, ']', {_PORT})
         ELSE d.site || coalesce({_PORT}, '') END
"""
SITE_AS_GIVEN: LiteralString = SITE_OF_DOCUMENT.replace("d.source_url", "a.url").replace("d.site", "a.site")
_SITE: LiteralString = f"""
    CASE WHEN d.id IS NOT NULL THEN {SITE_OF_DOCUMENT} ELSE
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
    coalesce(d.source_url, (SELECT url FROM source_addresses
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
_SHOWN_TITLE: LiteralString = f"""
    coalesce(nullif(btrim(s.user_title), ''), nullif(btrim(d.title), ''), {_DECODED})
"""
# As people look titles up, with any locale of the server: Ä beside A, no difference of case, 2 before 10. Titles that
# differ in that alone are in the order of adding.
_TITLE_ORDER: LiteralString = f"""
    (SELECT CASE WHEN f.folded ~ '[0-9]'
                 THEN regexp_replace(regexp_replace(f.folded, '([0-9]+)', '000000000\\1', 'g'),
                                     '[0-9]*([0-9]{{10}})(?![0-9])', '\\1', 'g')
                 ELSE f.folded END
       FROM (SELECT CASE WHEN octet_length(t.title) = length(t.title) THEN lower(t.title)
                         ELSE regexp_replace(lower(normalize(t.title, NFKD)), '[\\u0300-\\u036f]', '', 'g')
                         END AS folded
               FROM (SELECT {_SHOWN_TITLE} AS title) t) f) COLLATE "C"
"""  # noqa: S608 - our own texts
SORTS: dict[SortKey, LiteralString] = {
    "added": "s.added_at",
    "title": _TITLE_ORDER,
    "state": _STATE_ORDER,
    "passages": "coalesce(d.parent_chunks, 0)",
    "opened": "coalesce(s.opened_at, '-infinity')",
    "removed": "coalesce(s.removed_at, '-infinity')",
    "site": f"coalesce({_SITE}, '') COLLATE \"C\"",
    "kind": "coalesce(d.doc_type, '') COLLATE \"C\"",
    "size": """coalesce((SELECT c.body_bytes FROM captures c WHERE c.source_id = s.id
                          ORDER BY c.number DESC LIMIT 1), 0)""",
    "published": "coalesce(d.published_at, '-infinity')",
    "tags": "lower(array_to_string(s.tags, ', ')) COLLATE \"C\"",
}

# -- Narrowing ----------------------------------------------------------------------------------------------------

MOST_WORDS = 8
# Scans of narrow columns, measured on 50,000 documents: an OR over both tables takes twice as long. What has no text
# yet is never ready, and these few are found by an index.
_HOLDS: LiteralString = """
    s.id IN (SELECT d.id FROM documents d
              WHERE strpos(lower(concat_ws(' ', d.title, substr(d.source_url, strpos(d.source_url, '//') + 2))),
                           {word}) > 0
             UNION ALL
             SELECT x.id FROM sources x
              WHERE (x.user_title IS NOT NULL OR x.tags <> '{{}}')
                AND strpos(lower(concat_ws(' ', x.user_title, array_to_string(x.tags, ' '))), {word}) > 0
             UNION ALL
             SELECT a.source_id FROM source_addresses a JOIN sources x ON x.id = a.source_id
              WHERE a.kind = 'given' AND x.state <> 'ready'
                AND strpos(lower(substr(a.url, strpos(a.url, '//') + 2)), {word}) > 0)
"""


# The same for every document at once, a part on each line, so that no word is found across two of them.
WORDS: LiteralString = """
    SELECT s.id, lower(concat_ws(E'\\n', d.title, substr(d.source_url, strpos(d.source_url, '//') + 2), s.user_title,
           array_to_string(s.tags, E'\\n'),
           CASE WHEN s.state <> 'ready' THEN
               (SELECT string_agg(substr(a.url, strpos(a.url, '//') + 2), E'\\n') FROM source_addresses a
                 WHERE a.source_id = s.id AND a.kind = 'given') END))
      FROM sources s LEFT JOIN documents d ON d.id = s.id
"""


def places_holding(texts: Sequence[str], text: str) -> list[int]:
    """Where every word of ``text`` is in what :data:`WORDS` has of a document, as :func:`narrowed_to` finds it."""
    places = list(range(len(texts)))
    for word in dict.fromkeys(text.split()[:MOST_WORDS]):
        first, *others = _cases(word)
        if others:
            cases = (first, *others)
            places = [at for at in places if any(case in texts[at] for case in cases)]
        else:
            places = [at for at in places if first in texts[at]]
    return places


def narrowed_to(text: str) -> tuple[sql.Composable, dict[str, str]]:
    """The condition that every word of a text is in a document's titles, its address or its tags; and its values."""
    values: dict[str, str] = {}
    condition: sql.Composable = sql.SQL("")
    for word in dict.fromkeys(text.split()[:MOST_WORDS]):
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
    "kind": "coalesce(d.doc_type, 'unknown')",
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
