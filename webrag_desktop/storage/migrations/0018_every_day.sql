-- What the window needs every day: a bin, collections in a tree, what was read and searched.

-- Removed documents rest in the bin until they are restored or deleted for good; null: in the library.
ALTER TABLE sources ADD COLUMN removed_at timestamptz;
CREATE INDEX sources_removed_at_idx ON sources (removed_at, id) WHERE removed_at IS NOT NULL;

-- When a document was last opened to be read, and how far: a code point of the version read_version. Once another one is
-- in use it says nothing, so that no reference is needed.
ALTER TABLE sources
    ADD COLUMN opened_at timestamptz,
    ADD COLUMN read_to integer CHECK (read_to >= 0),
    ADD COLUMN read_version uuid,
    ADD CONSTRAINT place_has_a_version CHECK ((read_to IS NULL) = (read_version IS NULL));
CREATE INDEX sources_opened_at_idx ON sources (opened_at, id) WHERE opened_at IS NOT NULL;

-- Collections within collections; the colour is a role of the theme, so that it can be read in light and dark.
ALTER TABLE collections
    ADD COLUMN parent_id uuid REFERENCES collections (id) ON DELETE SET NULL CHECK (parent_id <> id),
    ADD COLUMN colour text CHECK (colour IN ('blue', 'teal', 'green', 'olive', 'orange', 'red', 'pink', 'violet'));
CREATE INDEX collections_parent_id_idx ON collections (parent_id);

-- Questions as they were asked, with their filters as JSON. A search with a name is kept in the sidebar until it is
-- deleted; the others are the history. seen_at: what came into the library later counts as new results.
CREATE TABLE searches (
    id         uuid PRIMARY KEY,
    name       text CHECK (name <> ''),
    question   text NOT NULL,
    filters    jsonb NOT NULL DEFAULT '{}',
    asked_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    seen_at    timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE UNIQUE INDEX searches_name_idx ON searches (lower(name)) WHERE name IS NOT NULL;
CREATE INDEX searches_asked_at_idx ON searches (asked_at, id);

-- A citation names the heading right above it, as the outline does. Earlier ones name that of their "#" or "##" section,
-- or none beside it; the blocks of the text that they quote tell. Where they do not, or the text is gone, nothing changes.
UPDATE citations c SET heading = found.heading
  FROM (SELECT one.id, rtrim(left(above.block -> 'heading_path' ->> -1, 500)) AS heading
          FROM citations one
          JOIN document_versions v ON v.id = one.version_id
          JOIN LATERAL (
               SELECT block FROM jsonb_array_elements(v.blocks) AS a(block)
                WHERE (block ->> 'char_start')::bigint <= one.char_start
                ORDER BY (block ->> 'char_start')::bigint DESC LIMIT 1) above ON true) found
 WHERE found.id = c.id AND found.heading <> '' AND found.heading IS DISTINCT FROM c.heading;
