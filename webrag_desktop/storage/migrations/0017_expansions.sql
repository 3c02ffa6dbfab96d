-- Runs that follow links by themselves, for a question or to capture a site, so that they go on after a crash.

-- Of a page that a program followed a link to: how far its redirects may lead. Null: the user gave it himself.
ALTER TABLE sources ADD COLUMN followed text CHECK (followed IN ('site', 'web'));

-- Of open work that nobody asked for but runs that follow links; what anybody else wants too is not theirs to stop.
ALTER TABLE jobs ADD COLUMN for_runs boolean NOT NULL DEFAULT false;

-- subject is the question, or the address that a site is captured from; state is JSON: limits, and how far it has come.
-- bytes_fetched is what was received for its pages, also for those that came to nothing.
CREATE TABLE expansions (
    id         uuid PRIMARY KEY,
    kind       text NOT NULL CHECK (kind IN ('question', 'site')),
    subject    text NOT NULL,
    started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    ended_at   timestamptz,
    state      text NOT NULL,
    bytes_fetched bigint NOT NULL DEFAULT 0 CHECK (bytes_fetched >= 0)
);
CREATE INDEX expansions_started_at_idx ON expansions (started_at, id);
CREATE INDEX expansions_open_idx ON expansions (started_at) WHERE ended_at IS NULL;

-- A page of a run. It waits while it has neither source nor outcome, and is under way with a source and no outcome;
-- added tells that the run brought it into the library. The source may be gone by now. shape_hash is of the address
-- with a placeholder for each part that a trap counts up.
CREATE TABLE expansion_visits (
    expansion_id  uuid NOT NULL REFERENCES expansions (id) ON DELETE CASCADE,
    number        bigint GENERATED ALWAYS AS IDENTITY,
    key_hash      bytea NOT NULL CHECK (octet_length(key_hash) = 32),
    url           text NOT NULL,
    parent_url    text,
    depth         integer NOT NULL CHECK (depth >= 0),
    source_id     uuid,
    added         boolean NOT NULL DEFAULT false,
    outcome       text CHECK (outcome IN ('known', 'new', 'unchanged', 'changed', 'failed', 'forbidden')),
    gave_evidence boolean NOT NULL DEFAULT false,
    problem       text,
    shape_hash    bytea CHECK (octet_length(shape_hash) = 32),
    PRIMARY KEY (expansion_id, key_hash)
);
CREATE INDEX expansion_visits_number_idx ON expansion_visits (expansion_id, number);
CREATE INDEX expansion_visits_shape_idx ON expansion_visits (expansion_id, shape_hash);
CREATE INDEX expansion_visits_open_idx ON expansion_visits (expansion_id, number) WHERE outcome IS NULL;
CREATE INDEX expansion_visits_source_idx ON expansion_visits (source_id) WHERE outcome IS NULL AND source_id IS NOT NULL;

-- A page of a site that its capture knows of and does not fetch: too many addresses look like it, as if they had no end
-- (shape), or more links lie before it than the capture follows (depth).
CREATE TABLE expansion_left_out (
    expansion_id uuid NOT NULL REFERENCES expansions (id) ON DELETE CASCADE,
    number       bigint GENERATED ALWAYS AS IDENTITY,
    key_hash     bytea NOT NULL CHECK (octet_length(key_hash) = 32),
    url          text NOT NULL,
    why          text NOT NULL CHECK (why IN ('shape', 'depth')),
    PRIMARY KEY (expansion_id, key_hash)
);
