-- How far into the user's own network an address led: looking at it again goes no further in.

-- Where the given address lay when it was first asked for. Null: it was not asked for yet, and may lie anywhere; unknown:
-- it was asked for before this was noted.
ALTER TABLE sources ADD COLUMN reached text CHECK (
    reached IN ('public', 'loopback', 'private', 'link-local', 'shared', 'unknown'));
UPDATE sources s SET reached = 'unknown'
 WHERE kind = 'url' AND (EXISTS (SELECT FROM captures c WHERE c.source_id = s.id)
                         OR EXISTS (SELECT FROM jobs j WHERE j.source_id = s.id AND (j.attempts > 0 OR j.postponed > 0)));

-- Of the address that was asked for and of every redirect; empty where it is not known, and for files.
ALTER TABLE captures ADD COLUMN reached text[] NOT NULL DEFAULT '{}';
