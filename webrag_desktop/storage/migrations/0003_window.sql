-- The user's hand on the work, and what they cite.

-- What the user stopped. It stays, with everything captured of it, until it is retried or removed.
ALTER TABLE sources DROP CONSTRAINT sources_state_check;
ALTER TABLE sources ADD CONSTRAINT sources_state_check CHECK (
    state IN ('queued', 'fetching', 'extracting', 'chunking', 'embedding', 'ready', 'failed', 'cancelled'));

ALTER TABLE jobs ADD COLUMN cancelled boolean NOT NULL DEFAULT false;
ALTER TABLE jobs DROP CONSTRAINT finished_after_start;
ALTER TABLE jobs ADD CONSTRAINT finished_after_start CHECK (
    finished_at IS NULL OR started_at IS NOT NULL OR error IS NOT NULL OR cancelled);

CREATE OR REPLACE VIEW job_states AS
SELECT id, source_id, capture_id, priority, attempts, added_at, started_at, finished_at, error, hint, transient,
       CASE WHEN finished_at IS NOT NULL AND cancelled THEN 'cancelled'
            WHEN finished_at IS NOT NULL AND error IS NOT NULL THEN 'failed'
            WHEN finished_at IS NOT NULL THEN 'done'
            WHEN started_at IS NOT NULL THEN 'running'
            ELSE 'waiting'
       END AS state
  FROM jobs;

-- While the queue is paused no job is begun. One row of its own: the corpus row is busy with every landing.
CREATE TABLE queue_control (
    singleton  boolean PRIMARY KEY DEFAULT true CHECK (singleton),
    paused     boolean NOT NULL DEFAULT false,
    changed_at timestamptz NOT NULL DEFAULT now()
);
INSERT INTO queue_control DEFAULT VALUES;

-- What the user cites, in their order. A citation outlives its document: verbatim is the stored text,
-- quote the same as it is read, prefix and suffix what stood around it.
CREATE TABLE citations (
    id              uuid PRIMARY KEY,
    position        integer NOT NULL,
    document_id     uuid REFERENCES sources ON DELETE SET NULL,
    version_id      uuid REFERENCES document_versions ON DELETE SET NULL,
    char_start      integer NOT NULL,
    char_end        integer NOT NULL,
    verbatim        text NOT NULL,
    quote           text NOT NULL,
    prefix          text NOT NULL DEFAULT '',
    suffix          text NOT NULL DEFAULT '',
    title           text,
    section_heading text,
    heading         text,
    anchor          text,
    page            integer,
    source_url      text NOT NULL,
    added_at        timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT citation_is_not_empty CHECK (char_start >= 0 AND char_end > char_start)
);
CREATE INDEX citations_document_idx ON citations (document_id);
CREATE INDEX citations_version_idx ON citations (version_id);

-- Lists: what is open, and what needs attention, without looking at what is ready.
CREATE INDEX sources_not_ready_idx ON sources (state, added_at, id) WHERE state <> 'ready';

-- The host of a web address as documents.site has it: lower case, without www.; null for files.
CREATE FUNCTION webrag_host(url text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN lower(btrim(substring(url FROM '^https?://(?:[^/?#]*@)?(?:www\.)?(\[[^]]*\]|[^/?#:]+)'), '[]'));

-- The site of what has no text yet.
ALTER TABLE source_addresses ADD COLUMN site text GENERATED ALWAYS AS (webrag_host(url)) STORED;
CREATE INDEX source_addresses_site_idx ON source_addresses (site) WHERE kind = 'given';
