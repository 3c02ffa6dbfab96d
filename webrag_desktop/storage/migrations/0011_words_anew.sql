-- What a word is. Signs beyond ASCII part words whatever the locale: where it is C, the server's parser takes every such
-- sign for a letter, so that nobody finds the word in “quotation marks”, before an ellipsis… or with a printer’s
-- apostrophe. Words joined by "." "/" or "@" are found one by one, too: that parser takes asyncio.gather for the name of a
-- host and client/server for that of a file.

-- A text or question as the parser is given it: with a space for every such sign, and no soft hyphens. Letters,
-- numbers, marks that belong to letters, joiners and lowered numbers (H₂O) stay. Ranges by number, since what a class
-- of characters holds would depend on the locale.
CREATE FUNCTION webrag_readable(body text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN regexp_replace(regexp_replace(body, '\u00ad', '', 'g'),
        '[\u0080-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7'
        '\u037e\u0387\u055a-\u055f\u0589\u05be\u05c0\u05c3\u05c6\u060c\u061b\u061f\u066a-\u066d\u06d4\u0964\u0965'
        '\u0e5a\u0e5b\u0f0b-\u0f14\u104a-\u104f\u1361-\u1368\u17d4-\u17da'
        '\u2000-\u200b\u200e-\u2070\u2074-\u207e\u20a0-\u20cf\u2116-\u2118\u2120\u2122\u2190-\u2bff\u2e00-\u2e7f'
        '\u3000-\u3004\u3008-\u3020\u3030\u303d-\u303f\u30fb\ufe10-\ufe19\ufe30-\ufe6b\ufeff\uff01-\uff0f\uff1a-\uff20'
        '\uff3b-\uff40\uff5b-\uff65\uffe0-\uffee\ufffc\ufffd\U0001f000-\U0001faff]+', ' ', 'g');

-- The words of such names, of two letters at least, outside the targets of links; null where there are none.
CREATE FUNCTION webrag_joined_words(body text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (SELECT string_agg(translate(found[1], './@', '   '), ' ')
              FROM regexp_matches(regexp_replace(body, '\]\([^)\s]*\)|[A-Za-z][A-Za-z0-9+.-]*://\S+', ' ', 'g'),
                                  '([^\W\d_]\w+(?:[./@][^\W\d_]\w+)+)', 'g') AS found);

CREATE OR REPLACE FUNCTION webrag_search_vector(language text, context text, body text, extra_terms text[])
    RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN to_tsvector(webrag_regconfig(language), webrag_readable(coalesce(context, '') || E'\n' || body))
           || to_tsvector(webrag_regconfig(language), coalesce(webrag_joined_words(webrag_readable(body)), ''))
           || array_to_tsvector(coalesce(extra_terms, '{}'));

-- What is stored is read anew. The terms that no parser made stand in it without a place; the pairs of characters of Thai,
-- Lao, Burmese and Khmer, which the program did not make before, join them.
ALTER TABLE chunks DISABLE TRIGGER words_renumbered;
ALTER TABLE chunks DISABLE TRIGGER words_changed;
UPDATE chunks c
   SET search_vector = webrag_search_vector(
           c.search_language, concat_ws(' ', nullif(d.title, ''), nullif(array_to_string(c.heading_path, ' '), '')),
           c.chunk_text,
           ARRAY(SELECT w.lexeme FROM unnest(c.search_vector) w WHERE w.positions IS NULL)
           || ARRAY(SELECT substr(run[1], n, 2)
                      FROM regexp_matches(c.chunk_text, '[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]+', 'g') run,
                           generate_series(1, greatest(1, length(run[1]) - 1)) n))
  FROM documents d
 WHERE d.id = c.document_id AND c.search_vector IS NOT NULL
   AND concat_ws(' ', d.title, array_to_string(c.heading_path, ' '), c.chunk_text) ~ '[^\u0001-\u007f]|\w[./@]\w';
ALTER TABLE chunks ENABLE TRIGGER words_renumbered;
ALTER TABLE chunks ENABLE TRIGGER words_changed;
SELECT webrag_put_down_words();
