-- What fetching and reading know beyond the text.

-- Where a saved page says it comes from: a claim of the file, never an address of the document.
ALTER TABLE documents ADD COLUMN saved_from text;
ALTER TABLE documents ADD COLUMN modified_guessed boolean NOT NULL DEFAULT false;

-- Pages of a paged document; null where there are none.
ALTER TABLE documents ADD COLUMN page_count integer CHECK (page_count > 0);

-- A page is told by its site, or by us out of politeness, to wait.
ALTER TABLE jobs ADD COLUMN not_before timestamptz;

-- When the source was last found as it is stored, or stored anew.
ALTER TABLE sources ADD COLUMN checked_at timestamptz;
