-- The page as it looked: the stylesheets, images and fonts of captured pages, each body once by its hash.

-- Whether the user wants them kept for this page; null: as the settings say for its site.
ALTER TABLE sources ADD COLUMN keep_subresources boolean;

-- A capture whose files are kept, or are still to be fetched (finished_at is null). left_out counts those beyond a limit.
CREATE TABLE page_looks (
    capture_id uuid PRIMARY KEY REFERENCES captures (id) ON DELETE CASCADE,
    requested_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    not_before timestamptz,
    attempts integer NOT NULL DEFAULT 0,
    finished_at timestamptz,
    left_out integer NOT NULL DEFAULT 0 CHECK (left_out >= 0),
    left_out_reason text
);
CREATE INDEX page_looks_open ON page_looks (requested_at) WHERE finished_at IS NULL;

CREATE TABLE subresource_bodies (
    sha256 bytea PRIMARY KEY CHECK (octet_length(sha256) = 32),
    body_zstd bytea NOT NULL,
    body_bytes bigint NOT NULL
);
ALTER TABLE subresource_bodies ALTER COLUMN body_zstd SET STORAGE EXTERNAL;

-- What a page refers to, in the order in which it was fetched; either kept, or absent for a reason.
CREATE TABLE subresources (
    capture_id uuid NOT NULL REFERENCES page_looks (capture_id) ON DELETE CASCADE,
    number integer NOT NULL,
    url text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('stylesheet', 'image', 'font')),
    sha256 bytea REFERENCES subresource_bodies (sha256),
    media_type text,
    final_url text,
    absent text,
    transient boolean NOT NULL DEFAULT false,
    fetched_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (capture_id, number),
    CONSTRAINT kept_or_absent CHECK ((sha256 IS NULL) = (absent IS NOT NULL) AND (sha256 IS NULL) = (media_type IS NULL))
);
CREATE INDEX subresources_body ON subresources (sha256) WHERE sha256 IS NOT NULL;
CREATE INDEX subresources_url ON subresources (md5(url), fetched_at) WHERE sha256 IS NOT NULL;

-- A body goes with the last page that refers to it. The lock holds off a page that is about to refer to it.
CREATE FUNCTION webrag_drop_unused_bodies() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM subresource_bodies WHERE sha256 IN (SELECT sha256 FROM removed) ORDER BY sha256 FOR UPDATE;
    DELETE FROM subresource_bodies b
     WHERE b.sha256 IN (SELECT sha256 FROM removed)
       AND NOT EXISTS (SELECT FROM subresources s WHERE s.sha256 = b.sha256);
    RETURN NULL;
END $$;
CREATE TRIGGER subresources_deleted AFTER DELETE ON subresources REFERENCING OLD TABLE AS removed
    FOR EACH STATEMENT EXECUTE FUNCTION webrag_drop_unused_bodies();
CREATE TRIGGER subresources_changed AFTER UPDATE ON subresources REFERENCING OLD TABLE AS removed
    FOR EACH STATEMENT EXECUTE FUNCTION webrag_drop_unused_bodies();
