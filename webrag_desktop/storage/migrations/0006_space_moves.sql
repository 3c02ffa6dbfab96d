-- Moving the library to another embedding space, in the background.

-- Every move that was asked for, one open at most. Its state follows from its times; how far it has come, from what
-- is in the target's table.
CREATE TABLE space_moves (
    id           integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    origin       jsonb NOT NULL,
    definition   jsonb NOT NULL,
    target       integer REFERENCES embedding_spaces ON DELETE SET NULL, -- none once it was dropped
    paused       boolean NOT NULL DEFAULT false,
    failures     integer NOT NULL DEFAULT 0, -- in a row
    not_before   timestamptz, -- after a failure
    problem      text,
    hint         text,
    added_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    swapped_at   timestamptz,
    cancelled_at timestamptz,
    tidied_at    timestamptz, -- what was left over is gone
    CONSTRAINT one_end CHECK (num_nonnulls(swapped_at, cancelled_at) <= 1),
    CONSTRAINT tidied_after_its_end CHECK (tidied_at IS NULL OR num_nonnulls(swapped_at, cancelled_at) = 1),
    CONSTRAINT open_move_has_a_target CHECK (target IS NOT NULL OR num_nonnulls(swapped_at, cancelled_at) = 1)
);
CREATE UNIQUE INDEX space_moves_one_open_idx ON space_moves ((true))
    WHERE swapped_at IS NULL AND cancelled_at IS NULL;
CREATE INDEX space_moves_target_idx ON space_moves (target);

-- A swap of spaces with another chunking renews the figures of every document and sums them up once, itself.
CREATE OR REPLACE FUNCTION webrag_count_document() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF current_setting('webrag.figures_are_summed', true) = 'on' THEN
        RETURN NULL;
    END IF;
    IF TG_OP <> 'INSERT' THEN
        UPDATE corpus SET documents = documents - 1, parent_chunks = parent_chunks - OLD.parent_chunks,
                          child_chunks = child_chunks - OLD.child_chunks, tokens = tokens - OLD.tokens;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        UPDATE corpus SET documents = documents + 1, parent_chunks = parent_chunks + NEW.parent_chunks,
                          child_chunks = child_chunks + NEW.child_chunks, tokens = tokens + NEW.tokens;
    END IF;
    RETURN NULL;
END $$;
