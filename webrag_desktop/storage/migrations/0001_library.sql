-- The library: what the user gave, what was captured, the texts read from it, and the work still to do.
CREATE EXTENSION IF NOT EXISTS vector;

-- What the user gave. The state tells how far it has come; jobs hold the work, never a second state.
CREATE TABLE sources (
    id             uuid PRIMARY KEY,
    kind           text NOT NULL CHECK (kind IN ('url', 'file')),
    state          text NOT NULL DEFAULT 'queued' CHECK (
        state IN ('queued', 'fetching', 'extracting', 'chunking', 'embedding', 'ready', 'failed')),
    state_reason   text,
    state_hint     text,
    progress_done  integer,
    progress_total integer,
    user_title     text,
    tags           text[] NOT NULL DEFAULT '{}',
    depth          integer NOT NULL DEFAULT 0 CHECK (depth >= 0),
    added_at       timestamptz NOT NULL DEFAULT now(),
    changed_at     timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT failure_has_a_reason CHECK (state <> 'failed' OR state_reason IS NOT NULL)
);
CREATE INDEX sources_added_at_idx ON sources (added_at, id);

CREATE TABLE collections (
    id       uuid PRIMARY KEY,
    name     text NOT NULL UNIQUE,
    added_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE source_collections (
    source_id     uuid NOT NULL REFERENCES sources ON DELETE CASCADE,
    collection_id uuid NOT NULL REFERENCES collections ON DELETE CASCADE,
    PRIMARY KEY (source_id, collection_id)
);
CREATE INDEX source_collections_collection_idx ON source_collections (collection_id);

-- Every address a source answers to. The key's hash is unique, since a btree refuses keys over 2704 bytes.
CREATE TABLE source_addresses (
    id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    source_id uuid NOT NULL REFERENCES sources ON DELETE CASCADE,
    kind      text NOT NULL CHECK (kind IN ('given', 'redirect', 'canonical')),
    url       text NOT NULL,
    url_key   text NOT NULL,
    key_hash  bytea NOT NULL UNIQUE CHECK (octet_length(key_hash) = 32),
    added_at  timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX source_addresses_source_idx ON source_addresses (source_id);

-- Raw responses, exactly as received. A committed row means: accepted, never lost.
CREATE TABLE captures (
    id          uuid PRIMARY KEY,
    number      bigint GENERATED ALWAYS AS IDENTITY, -- order of arrival, whatever the clock says
    source_id   uuid NOT NULL REFERENCES sources ON DELETE CASCADE,
    url         text NOT NULL,
    final_url   text NOT NULL,
    redirects   text[] NOT NULL DEFAULT '{}',
    status_code integer,
    headers     jsonb NOT NULL DEFAULT '[]',
    filename    text,
    body_zstd   bytea NOT NULL,
    body_sha256 bytea NOT NULL CHECK (octet_length(body_sha256) = 32),
    body_bytes  bigint NOT NULL,
    fetched_at  timestamptz NOT NULL,
    captured_at timestamptz NOT NULL DEFAULT now()
);
ALTER TABLE captures ALTER COLUMN body_zstd SET STORAGE EXTERNAL;
CREATE INDEX captures_source_idx ON captures (source_id, number DESC);

-- Immutable texts. A changed page adds one; old ones stay, so that citations keep resolving.
CREATE TABLE document_versions (
    id                uuid PRIMARY KEY,
    document_id       uuid NOT NULL REFERENCES sources ON DELETE CASCADE,
    capture_id        uuid REFERENCES captures ON DELETE SET NULL,
    source_url        text NOT NULL,
    title             text,
    markdown          text NOT NULL,
    html              text,
    blocks            jsonb NOT NULL DEFAULT '[]',
    links             jsonb NOT NULL DEFAULT '[]',
    plain_text        text NOT NULL,
    plain_map         jsonb NOT NULL DEFAULT '[]',
    content_hash      text NOT NULL,
    raw_hash          bytea NOT NULL CHECK (octet_length(raw_hash) = 32),
    extractor_version integer NOT NULL,
    fetched_at        timestamptz NOT NULL,
    created_at        timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX document_versions_document_idx ON document_versions (document_id, created_at);
CREATE INDEX document_versions_capture_idx ON document_versions (capture_id);

-- Present once a source's text can be searched; the id is the source's and stable across re-index.
CREATE TABLE documents (
    id                  uuid PRIMARY KEY REFERENCES sources ON DELETE CASCADE,
    active_version      uuid NOT NULL REFERENCES document_versions DEFERRABLE INITIALLY DEFERRED,
    url                 text NOT NULL,
    source_url          text NOT NULL,
    site                text,
    title               text,
    description         text,
    language            text,
    search_language     text NOT NULL DEFAULT 'simple',
    status_code         integer,
    published_time      text,
    modified_time       text,
    published_at        timestamptz,
    published_precision text CHECK (published_precision IN ('year', 'month', 'day', 'time')),
    published_guessed   boolean NOT NULL DEFAULT false,
    doc_type            text NOT NULL CHECK (doc_type IN ('html', 'pdf', 'markdown', 'text', 'docx', 'epub')),
    content_hash        text NOT NULL,
    fetched_at          timestamptz NOT NULL,
    indexed_at          timestamptz NOT NULL DEFAULT now(),
    depth               integer NOT NULL DEFAULT 0 CHECK (depth >= 0),
    parent_chunks       integer NOT NULL DEFAULT 0,
    child_chunks        integer NOT NULL DEFAULT 0,
    tokens              bigint NOT NULL DEFAULT 0,
    -- Unique without a btree's limit on the length of a key.
    CONSTRAINT documents_source_url_key EXCLUDE USING hash (source_url WITH =)
);
CREATE INDEX documents_active_version_idx ON documents (active_version);
CREATE INDEX documents_site_idx ON documents (site);

-- The durable queue. States are derived (view below): waiting, running, finished.
CREATE TABLE jobs (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    source_id   uuid NOT NULL REFERENCES sources ON DELETE CASCADE,
    capture_id  uuid REFERENCES captures ON DELETE SET NULL, -- what is read; none until the page is fetched
    priority    integer NOT NULL DEFAULT 0,
    attempts    integer NOT NULL DEFAULT 0,
    added_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    started_at  timestamptz,
    finished_at timestamptz,
    error       text,
    hint        text,
    transient   boolean NOT NULL DEFAULT false, -- failed for a reason that may pass
    CONSTRAINT finished_after_start CHECK (finished_at IS NULL OR started_at IS NOT NULL OR error IS NOT NULL)
);
CREATE UNIQUE INDEX jobs_one_open_per_source_idx ON jobs (source_id) WHERE finished_at IS NULL;
CREATE INDEX jobs_open_idx ON jobs (priority DESC, id) WHERE finished_at IS NULL;
CREATE INDEX jobs_source_idx ON jobs (source_id, id);
CREATE INDEX jobs_capture_idx ON jobs (capture_id);

CREATE VIEW job_states AS
SELECT id, source_id, capture_id, priority, attempts, added_at, started_at, finished_at, error, hint, transient,
       CASE WHEN finished_at IS NOT NULL AND error IS NOT NULL THEN 'failed'
            WHEN finished_at IS NOT NULL THEN 'done'
            WHEN started_at IS NOT NULL THEN 'running'
            ELSE 'waiting'
       END AS state
  FROM jobs;
