-- Chunks that were cut for a question, with their vectors: derived data, which may go at any time.

-- Of one document in one space by one chunker (its id and sizes). spans is JSON; vectors are those of the first spans, as
-- little-endian float32. seal is sha256 over all that a row was made from and holds: what does not match is not used.
CREATE TABLE chunk_cache (
    document_id  uuid NOT NULL REFERENCES documents ON DELETE CASCADE,
    content_hash text NOT NULL,
    chunker      text NOT NULL,
    space_id     integer NOT NULL REFERENCES embedding_spaces ON DELETE CASCADE,
    spans        text NOT NULL,
    vectors      bytea STORAGE EXTERNAL NOT NULL,
    seal         bytea NOT NULL CHECK (octet_length(seal) = 32),
    size         integer NOT NULL CHECK (size >= 0),
    written_at   timestamptz NOT NULL DEFAULT now(),
    expires_at   timestamptz,
    PRIMARY KEY (document_id, content_hash, chunker, space_id)
);
CREATE INDEX chunk_cache_space_idx ON chunk_cache (space_id);

-- What a document shows, or what is told of its text, has changed: another text, title, blocks.
CREATE FUNCTION webrag_forget_cached_chunks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_TABLE_NAME = 'documents' THEN
        DELETE FROM chunk_cache WHERE document_id = NEW.id;
    ELSE
        DELETE FROM chunk_cache WHERE document_id = NEW.document_id;
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER documents_cut_anew AFTER UPDATE OF active_version, content_hash, title ON documents FOR EACH ROW
    WHEN (OLD.active_version IS DISTINCT FROM NEW.active_version OR OLD.content_hash IS DISTINCT FROM NEW.content_hash
          OR OLD.title IS DISTINCT FROM NEW.title)
    EXECUTE FUNCTION webrag_forget_cached_chunks();
CREATE TRIGGER versions_cut_anew AFTER UPDATE OF content_hash, title, markdown, blocks ON document_versions
    FOR EACH ROW EXECUTE FUNCTION webrag_forget_cached_chunks();
