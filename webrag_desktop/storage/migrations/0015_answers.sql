-- What the user asked, and what was answered; it stays when documents that it cites are removed.

-- answer is JSON; its citations hold their quotes.
CREATE TABLE answers (
    id       uuid PRIMARY KEY,
    asked_at timestamptz NOT NULL DEFAULT now(),
    question text NOT NULL,
    answer   text NOT NULL
);
CREATE INDEX answers_asked_at_idx ON answers (asked_at, id);
