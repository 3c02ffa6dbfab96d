-- Documents that are looked at again by themselves, and where citations stand in the texts that followed theirs.

-- How often; null is never. While nothing can be reached, all of it rests.
ALTER TABLE queue_control ADD COLUMN refresh_every interval CHECK (refresh_every >= interval '1 hour');
ALTER TABLE queue_control ADD COLUMN refresh_rests_until timestamptz;

-- How often where a document differs from the library; nothing at all is never. When it was tried last says no more
-- than that it need not be tried again before.
ALTER TABLE sources ADD COLUMN refresh_every interval CHECK (
    refresh_every = interval '0' OR refresh_every >= interval '1 hour');
ALTER TABLE sources ADD COLUMN refresh_not_before timestamptz;

-- Work that nobody asked for but the schedule: that it fails must not be seen in the document.
ALTER TABLE jobs ADD COLUMN on_schedule boolean NOT NULL DEFAULT false;
CREATE INDEX jobs_on_schedule_idx ON jobs (source_id) WHERE finished_at IS NULL AND on_schedule;

-- What follows from a citation and the text that its document shows now, once that is not the text it quotes. Both never
-- change, so a row is never wrong, only of a text before the present one, or missing.
CREATE TABLE citation_anchors (
    citation_id uuid PRIMARY KEY REFERENCES citations ON DELETE CASCADE,
    version_id  uuid NOT NULL REFERENCES document_versions ON DELETE CASCADE,
    state       text NOT NULL CHECK (state IN ('exact', 'moved', 'lost')),
    char_start  integer, -- where the words stand; of lost ones where what is nearest to them stands
    char_end    integer,
    as_rendered boolean NOT NULL DEFAULT false, -- the same words in other markup or spacing
    similarity  real NOT NULL DEFAULT 0,
    CONSTRAINT span_is_whole CHECK ((char_start IS NULL) = (char_end IS NULL) AND char_end > char_start),
    CONSTRAINT found_words_stand_somewhere CHECK (state = 'lost' OR char_start IS NOT NULL)
);
CREATE INDEX citation_anchors_version_idx ON citation_anchors (version_id);

-- A citation that is mended stands elsewhere.
CREATE FUNCTION webrag_forget_anchor() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM citation_anchors WHERE citation_id = NEW.id;
    RETURN NULL;
END $$;
CREATE TRIGGER citations_changed AFTER UPDATE OF document_id, version_id, char_start, char_end, verbatim ON citations
    FOR EACH ROW EXECUTE FUNCTION webrag_forget_anchor();
