-- Who wrote a document, and where it appeared; fact_sources says of each of these facts where it was read.
ALTER TABLE documents
    ADD COLUMN authors text[] NOT NULL DEFAULT '{}',
    ADD COLUMN publisher text,
    ADD COLUMN journal text,
    ADD COLUMN volume text,
    ADD COLUMN issue text,
    ADD COLUMN pages text,
    ADD COLUMN doi text,
    ADD COLUMN isbn text,
    ADD COLUMN arxiv_id text,
    ADD COLUMN licence text,
    ADD COLUMN fact_sources jsonb NOT NULL DEFAULT '{}',
    -- Of what the user set: what the document says instead, each fact with its value and its source.
    ADD COLUMN stated_facts jsonb NOT NULL DEFAULT '{}',
    -- The authors' words without case, accents and punctuation, an author on each line.
    ADD COLUMN author_names text NOT NULL DEFAULT '';
CREATE INDEX documents_author_words ON documents
 USING gin (string_to_array(translate(author_names, E'\n', ' '), ' ')) WHERE author_names <> '';

-- The facts that the user set, by name; null: there is none. Reading a document again leaves them as they are.
ALTER TABLE sources ADD COLUMN user_facts jsonb NOT NULL DEFAULT '{}';
