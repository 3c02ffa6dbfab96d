-- The index: chunks with exact offsets, full text, embedding spaces, and the corpus's own figures.

-- Parent and child chunks of active versions. chunk_text is markdown[char_start:char_end], verbatim.
-- fetched_at, depth and title change without the text; they are joined from documents (view corpus_chunks).
CREATE TABLE chunks (
    id                  uuid PRIMARY KEY,
    document_id         uuid NOT NULL REFERENCES documents ON DELETE CASCADE,
    version_id          uuid NOT NULL REFERENCES document_versions ON DELETE CASCADE,
    parent_id           uuid REFERENCES chunks ON DELETE CASCADE,
    chunking_id         text NOT NULL,
    chunk_level         text NOT NULL CHECK (chunk_level IN ('parent', 'child')),
    chunk_index         integer NOT NULL CHECK (chunk_index >= 0),
    section_heading     text,
    heading_path        text[] NOT NULL DEFAULT '{}',
    anchor              text,
    page                integer,
    chunk_text          text NOT NULL,
    html_text           text,
    has_table           boolean NOT NULL,
    has_code            boolean NOT NULL,
    has_math            boolean NOT NULL,
    has_definition_list boolean NOT NULL,
    has_admonition      boolean NOT NULL,
    has_steps           boolean NOT NULL,
    char_start          integer NOT NULL,
    char_end            integer NOT NULL,
    token_start         integer NOT NULL,
    token_end           integer NOT NULL,
    html_tokens         integer,
    places              jsonb NOT NULL DEFAULT '[]', -- of children: [char_start, anchor, heading] where it changes
    source_url          text NOT NULL,
    search_language     text NOT NULL DEFAULT 'simple',
    search_vector       tsvector,
    CONSTRAINT children_have_a_parent CHECK ((chunk_level = 'child') = (parent_id IS NOT NULL)),
    CONSTRAINT span_is_not_empty CHECK (char_start >= 0 AND char_end > char_start),
    CONSTRAINT token_span_is_ordered CHECK (token_start >= 0 AND token_end >= token_start),
    CONSTRAINT chunks_order_key UNIQUE (document_id, chunking_id, chunk_level, chunk_index)
);
CREATE INDEX chunks_parent_idx ON chunks (parent_id);
CREATE INDEX chunks_version_idx ON chunks (version_id);
CREATE INDEX chunks_search_idx ON chunks USING gin (search_vector);

-- Text search configuration of a language code. Constant casts, because text::regconfig is not immutable.
CREATE FUNCTION webrag_regconfig(language text) RETURNS regconfig
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE language
        WHEN 'ar' THEN 'pg_catalog.arabic'::regconfig
        WHEN 'da' THEN 'pg_catalog.danish'::regconfig
        WHEN 'de' THEN 'pg_catalog.german'::regconfig
        WHEN 'el' THEN 'pg_catalog.greek'::regconfig
        WHEN 'en' THEN 'pg_catalog.english'::regconfig
        WHEN 'es' THEN 'pg_catalog.spanish'::regconfig
        WHEN 'fi' THEN 'pg_catalog.finnish'::regconfig
        WHEN 'fr' THEN 'pg_catalog.french'::regconfig
        WHEN 'hi' THEN 'pg_catalog.hindi'::regconfig
        WHEN 'hu' THEN 'pg_catalog.hungarian'::regconfig
        WHEN 'id' THEN 'pg_catalog.indonesian'::regconfig
        WHEN 'it' THEN 'pg_catalog.italian'::regconfig
        WHEN 'nl' THEN 'pg_catalog.dutch'::regconfig
        WHEN 'no' THEN 'pg_catalog.norwegian'::regconfig
        WHEN 'pt' THEN 'pg_catalog.portuguese'::regconfig
        WHEN 'ro' THEN 'pg_catalog.romanian'::regconfig
        WHEN 'ru' THEN 'pg_catalog.russian'::regconfig
        WHEN 'sv' THEN 'pg_catalog.swedish'::regconfig
        WHEN 'tr' THEN 'pg_catalog.turkish'::regconfig
        ELSE 'pg_catalog.simple'::regconfig
    END;

-- Lexemes of one chunk: title and headings count with the text; extra terms are identifiers that the
-- parser would split (max_depth) and CJK bigrams, both found by the application.
CREATE FUNCTION webrag_search_vector(language text, context text, body text, extra_terms text[]) RETURNS tsvector
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN to_tsvector(webrag_regconfig(language), coalesce(context, '') || E'\n' || body)
           || array_to_tsvector(coalesce(extra_terms, '{}'));

-- One row per embedding space; its vectors live in a table of their own, named here.
CREATE TABLE embedding_spaces (
    id          integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    fingerprint text NOT NULL UNIQUE,
    definition  jsonb NOT NULL,
    chunking_id text NOT NULL,
    dimensions  integer NOT NULL CHECK (dimensions > 0),
    storage     text NOT NULL CHECK (storage IN ('vector', 'halfvec')),
    table_name  text NOT NULL UNIQUE,
    created_at  timestamptz NOT NULL DEFAULT now()
);

-- Vectors computed for texts that have not landed yet, so that a crash costs no embedding twice.
-- They go when their document lands or is removed.
CREATE TABLE vector_cache (
    space_id    integer NOT NULL REFERENCES embedding_spaces ON DELETE CASCADE,
    text_hash   bytea NOT NULL CHECK (octet_length(text_hash) = 32),
    document_id uuid NOT NULL REFERENCES sources ON DELETE CASCADE,
    embedding   bytea NOT NULL,
    PRIMARY KEY (space_id, text_hash, document_id)
);
CREATE INDEX vector_cache_document_idx ON vector_cache (document_id);

-- The corpus as a whole: one row, holding the active space and figures that a search must not count anew.
CREATE TABLE corpus (
    singleton     boolean PRIMARY KEY DEFAULT true CHECK (singleton),
    active_space  integer REFERENCES embedding_spaces,
    documents     bigint NOT NULL DEFAULT 0,
    parent_chunks bigint NOT NULL DEFAULT 0,
    child_chunks  bigint NOT NULL DEFAULT 0,
    tokens        bigint NOT NULL DEFAULT 0
);
INSERT INTO corpus DEFAULT VALUES;

-- Deferred to the commit, so that writing a large document does not make everybody else wait for the one row.
CREATE FUNCTION webrag_count_document() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        UPDATE corpus SET documents = documents - 1, parent_chunks = parent_chunks - OLD.parent_chunks,
                          child_chunks = child_chunks - OLD.child_chunks, tokens = tokens - OLD.tokens;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        UPDATE corpus SET documents = documents + 1, parent_chunks = parent_chunks + NEW.parent_chunks,
                          child_chunks = child_chunks + NEW.child_chunks, tokens = tokens + NEW.tokens;
    END IF;
    RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER documents_counted AFTER INSERT OR DELETE ON documents
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION webrag_count_document();
CREATE CONSTRAINT TRIGGER documents_recounted AFTER UPDATE OF parent_chunks, child_chunks, tokens ON documents
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION webrag_count_document();

-- Every column of the chunks' contract. Choosing a space makes it anew, with that space's vectors and chunks.
CREATE VIEW corpus_chunks AS
SELECT c.id, c.document_id, c.version_id, c.parent_id, c.chunk_level, c.chunk_index, c.section_heading,
       c.heading_path, c.anchor, c.page, c.chunk_text, c.html_text, c.has_table, c.has_code, c.has_math,
       c.has_definition_list, c.has_admonition, c.has_steps, c.char_start, c.char_end, c.token_start, c.token_end,
       NULL::vector AS embedding, d.source_url, d.fetched_at, d.depth, d.title
  FROM chunks c JOIN documents d ON d.id = c.document_id;
