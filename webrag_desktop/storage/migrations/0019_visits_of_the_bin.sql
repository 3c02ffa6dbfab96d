-- Pages that a run met and did not fetch, since the user had removed them: they stay in the bin.
ALTER TABLE expansion_visits DROP CONSTRAINT expansion_visits_outcome_check;
ALTER TABLE expansion_visits ADD CONSTRAINT expansion_visits_outcome_check
    CHECK (outcome IN ('known', 'new', 'unchanged', 'changed', 'failed', 'forbidden', 'in_bin'));
