-- How often the open work on a page was put off because its site asked for it: only so often is that heeded.
ALTER TABLE jobs ADD COLUMN postponed smallint NOT NULL DEFAULT 0;
