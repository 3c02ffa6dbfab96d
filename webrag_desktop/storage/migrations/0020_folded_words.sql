-- Lists are narrowed and sorted without regard to case and accents, and those of the bin like all others.

-- Letters without case and accents, as webrag_desktop.text.folding has them. Most texts are ASCII: that is told fast.
CREATE FUNCTION webrag_folded(body text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN octet_length(body) = length(body) THEN lower(body)
                ELSE translate(lower(regexp_replace(normalize(body, NFKD), '[\u0300-\u036f]', '', 'g')), 'ς', 'σ') END;

-- A document's address without its scheme, and its title on the lines below, folded: computing this for 50,000
-- documents with every letter typed would take most of a second.
ALTER TABLE documents ADD COLUMN folded text NOT NULL
    GENERATED ALWAYS AS (webrag_folded(substr(source_url, strpos(source_url, '//') + 2) || E'\n' || coalesce(title, '')))
    STORED;

-- What lists show of a document that was removed, from then on until it is read again: there is no row in documents.
CREATE TABLE removed_documents (
    id                uuid PRIMARY KEY REFERENCES sources (id) ON DELETE CASCADE,
    source_url        text NOT NULL,
    site              text,
    title             text,
    doc_type          text,
    published_time    text,
    published_at      timestamptz,
    published_guessed boolean NOT NULL DEFAULT false,
    folded            text NOT NULL
        GENERATED ALWAYS AS (webrag_folded(substr(source_url, strpos(source_url, '//') + 2) || E'\n' || coalesce(title, '')))
        STORED
);

-- Of what was removed before, only the newest text is left.
INSERT INTO removed_documents (id, source_url, site, title)
SELECT DISTINCT ON (v.document_id) v.document_id, v.source_url, webrag_host(v.source_url), v.title
  FROM document_versions v
 WHERE NOT EXISTS (SELECT 1 FROM documents d WHERE d.id = v.document_id)
 ORDER BY v.document_id, v.created_at DESC, v.id DESC;
