-- What lets a question be answered with less work.

-- Of children: where their sentences stand, as the program notes it; null where nobody did, so that it is looked for.
ALTER TABLE chunks ADD COLUMN sentences bytea;

-- The children of documents and of parents without their rows, for searches that are restricted to some.
CREATE INDEX chunks_document_idx ON chunks (document_id) INCLUDE (ordinal, parent_id) WHERE chunk_level = 'child';
DROP INDEX chunks_parent_idx;
CREATE INDEX chunks_parent_idx ON chunks (parent_id) INCLUDE (ordinal, id);

-- Which languages there are is found by a few steps in it.
CREATE INDEX documents_search_language_idx ON documents (search_language);
