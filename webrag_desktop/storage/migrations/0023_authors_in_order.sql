-- Lists sort by the family name of the first author, as reference managers do, and show the authors of what is in the bin.

-- Authors as lists sort them: the first one's family name with its particles, then his other names, then all others as
-- they are written; names of organisations as they are, without an article. No case and no accents.
CREATE FUNCTION webrag_author_order(authors text[]) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE
        WHEN cardinality(authors) = 0 THEN ''
        WHEN webrag_folded(authors[1]) ~ '^the |\m(organi[sz]ation|universit\w*|institut\w*|department|ministry|council|agency|association|society|foundation|committee|college|laborator\w+|cent(er|re)|office|group|team|authority|commission|project|contributors|inc|ltd|llc|gmbh)\M'
        THEN regexp_replace(webrag_folded(array_to_string(authors, E'\n')), '^the ', '')
        ELSE regexp_replace(regexp_replace(webrag_folded(authors[1]), '[, ]+(jr|sr|ii|iii|iv)\.?$', ''),
                            '^(.+?)\s+(((van|von|vom|der|den|dem|de|del|della|di|da|dos|das|du|la|le|ter|ten|zu|zur|al|el|bin|ibn)\s+)*\S+)$',
                            '\2 \1')
             || E'\n' || webrag_folded(array_to_string(authors[2:], E'\n'))
        END;

ALTER TABLE documents
    ADD COLUMN author_order text NOT NULL GENERATED ALWAYS AS (webrag_author_order(authors)) STORED;

ALTER TABLE removed_documents
    ADD COLUMN authors text[] NOT NULL DEFAULT '{}',
    ADD COLUMN author_names text NOT NULL DEFAULT '',
    ADD COLUMN author_order text NOT NULL GENERATED ALWAYS AS (webrag_author_order(authors)) STORED;
