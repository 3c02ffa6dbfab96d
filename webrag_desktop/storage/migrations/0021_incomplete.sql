-- What of its source the text of a document lacks, in a sentence; null where nothing is known to be absent.
ALTER TABLE documents ADD COLUMN incomplete text;
-- They need attention: there are few, and the overview counts them each time.
CREATE INDEX documents_incomplete ON documents (id) WHERE incomplete IS NOT NULL;
