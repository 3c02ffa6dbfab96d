-- What a look on schedule leaves as it was, and what tells whether a server still runs the model of a space.

-- How the document stood before work that only the schedule asked for: if that fails, or is let go, so it stands again.
ALTER TABLE jobs ADD COLUMN state_before text CHECK (state_before IN ('ready', 'failed'));
ALTER TABLE jobs ADD COLUMN reason_before text;
ALTER TABLE jobs ADD COLUMN hint_before text;
UPDATE jobs SET state_before = 'ready' WHERE on_schedule AND finished_at IS NULL;

-- The vector that the model gave a known text first, as little-endian float32; null until it is asked for the first time.
ALTER TABLE embedding_spaces ADD COLUMN known_vector bytea;
