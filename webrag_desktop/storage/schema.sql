-- The whole schema, for reading: what the migrations add up to. Written by `make schema`, never by hand.

CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public;

CREATE FUNCTION public.webrag_add_segment(of_chunking text, of_language text, of_ordinals integer[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
    WITH held AS MATERIALIZED (
        SELECT c.ordinal, c.search_vector, webrag_words(c.search_vector) AS length
          FROM unnest(of_ordinals) o JOIN chunks c ON c.ordinal = o),
    noted AS (
        INSERT INTO lexical_segments (chunking_id, language, children, length, ordinals)
        SELECT of_chunking, of_language, count(*), sum(length), array_agg(ordinal ORDER BY ordinal) FROM held
        RETURNING id)
    INSERT INTO lexical_postings (segment, term, postings)
    SELECT n.id, w.lexeme,
           string_agg(int4send(h.ordinal) || int2send(h.length::smallint)
                      || set_byte('\x00', 0, least(coalesce(cardinality(w.positions), 1), 256) - 1),
                      '' ORDER BY h.ordinal)
      FROM noted n CROSS JOIN held h CROSS JOIN LATERAL unnest(h.search_vector) w
     GROUP BY n.id, w.lexeme;
END $$;

CREATE FUNCTION public.webrag_folded(body text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN (octet_length(body) = length(body)) THEN lower(body) ELSE translate(lower(regexp_replace(NORMALIZE(body, NFKD), '[\u0300-\u036f]'::text, ''::text, 'g'::text)), 'ς'::text, 'σ'::text) END;

CREATE FUNCTION public.webrag_author_order(authors text[]) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN (cardinality(authors) = 0) THEN ''::text WHEN (public.webrag_folded((authors)[1]) ~ '^the |\m(organi[sz]ation|universit\w*|institut\w*|department|ministry|council|agency|association|society|foundation|committee|college|laborator\w+|cent(er|re)|office|group|team|authority|commission|project|contributors|inc|ltd|llc|gmbh)\M'::text) THEN regexp_replace(public.webrag_folded(array_to_string(authors, '
'::text)), '^the '::text, ''::text) ELSE ((regexp_replace(regexp_replace(public.webrag_folded((authors)[1]), '[, ]+(jr|sr|ii|iii|iv)\.?$'::text, ''::text), '^(.+?)\s+(((van|von|vom|der|den|dem|de|del|della|di|da|dos|das|du|la|le|ter|ten|zu|zur|al|el|bin|ibn)\s+)*\S+)$'::text, '\2 \1'::text) || '
'::text) || public.webrag_folded(array_to_string((authors)[2:], '
'::text))) END;

CREATE FUNCTION public.webrag_count_document() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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

CREATE FUNCTION public.webrag_drop_unused_bodies() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM FROM subresource_bodies WHERE sha256 IN (SELECT sha256 FROM removed) ORDER BY sha256 FOR UPDATE;
    DELETE FROM subresource_bodies b
     WHERE b.sha256 IN (SELECT sha256 FROM removed)
       AND NOT EXISTS (SELECT FROM subresources s WHERE s.sha256 = b.sha256);
    RETURN NULL;
END $$;

CREATE FUNCTION public.webrag_forget_anchor() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    DELETE FROM citation_anchors WHERE citation_id = NEW.id;
    RETURN NULL;
END $$;

CREATE FUNCTION public.webrag_forget_cached_chunks() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF TG_TABLE_NAME = 'documents' THEN
        DELETE FROM chunk_cache WHERE document_id = NEW.id;
    ELSE
        DELETE FROM chunk_cache WHERE document_id = NEW.document_id;
    END IF;
    RETURN NULL;
END $$;

CREATE FUNCTION public.webrag_host(url text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN lower(btrim("substring"(url, '^https?://(?:[^/?#]*@)?(?:www\.)?(\[[^]]*\]|[^/?#:]+)'::text), '[]'::text));

CREATE FUNCTION public.webrag_joined_words(body text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (SELECT string_agg(translate(found.found[1], './@'::text, '   '::text), ' '::text) AS string_agg FROM regexp_matches(regexp_replace(webrag_joined_words.body, '\]\([^)\s]*\)|[A-Za-z][A-Za-z0-9+.-]*://\S+'::text, ' '::text, 'g'::text), '([^\W\d_]\w+(?:[./@][^\W\d_]\w+)+)'::text, 'g'::text) found(found));

CREATE FUNCTION public.webrag_merge_segments(below integer, most integer) RETURNS integer
    LANGUAGE plpgsql
    AS $$
DECLARE
    chosen integer[];
    made integer;
    merged integer := 0;
BEGIN
    IF NOT pg_try_advisory_xact_lock(374824129030) THEN
        RETURN 0;
    END IF;
    LOOP
        SELECT array_agg(id) INTO chosen
          FROM (SELECT id, chunking_id, language, size, count(*) OVER of_a_size AS alike,
                       sum(children) OVER (of_a_size ORDER BY id) AS running
                  FROM (SELECT id, chunking_id, language, children, floor(ln(children) / ln(8)) AS size
                          FROM lexical_segments WHERE children < below) s
                WINDOW of_a_size AS (PARTITION BY chunking_id, language, size)) s
         WHERE alike >= 8 AND running <= most
         GROUP BY chunking_id, language, size HAVING count(*) >= 4
         ORDER BY size, chunking_id, language LIMIT 1;
        EXIT WHEN chosen IS NULL;
        INSERT INTO lexical_segments (chunking_id, language, children, length, ordinals)
        SELECT min(chunking_id), min(language), sum(children), sum(length),
               ARRAY(SELECT o FROM lexical_segments l, unnest(l.ordinals) o WHERE l.id = ANY(chosen) ORDER BY o)
          FROM lexical_segments WHERE id = ANY(chosen)
        RETURNING id INTO made;
        WITH parts AS (DELETE FROM lexical_postings WHERE segment = ANY(chosen) RETURNING segment, term, postings)
        INSERT INTO lexical_postings (segment, term, postings)
        SELECT made, term, string_agg(postings, '' ORDER BY segment) FROM parts GROUP BY term;
        DELETE FROM lexical_segments WHERE id = ANY(chosen);
        merged := merged + cardinality(chosen);
        EXIT WHEN (SELECT children FROM lexical_segments WHERE id = made) > most / 4;
    END LOOP;
    RETURN merged;
END $$;

CREATE FUNCTION public.webrag_put_down_words() RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
    portion record;
BEGIN
    DELETE FROM lexical_postings;
    DELETE FROM lexical_segments;
    DELETE FROM lexical_removals;
    FOR portion IN
        SELECT chunking_id, search_language, array_agg(ordinal ORDER BY ordinal) AS ordinals
          FROM (SELECT chunking_id, search_language, ordinal,
                       (row_number() OVER (PARTITION BY chunking_id, search_language ORDER BY ordinal) - 1) / 16384 AS n
                  FROM chunks WHERE search_vector IS NOT NULL) c
         GROUP BY chunking_id, search_language, n ORDER BY chunking_id, search_language, n
    LOOP
        PERFORM webrag_add_segment(portion.chunking_id, portion.search_language, portion.ordinals);
    END LOOP;
END $$;

CREATE FUNCTION public.webrag_readable(body text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN regexp_replace(regexp_replace(body, '\u00ad'::text, ''::text, 'g'::text), '[\u0080-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7\u037e\u0387\u055a-\u055f\u0589\u05be\u05c0\u05c3\u05c6\u060c\u061b\u061f\u066a-\u066d\u06d4\u0964\u0965\u0e5a\u0e5b\u0f0b-\u0f14\u104a-\u104f\u1361-\u1368\u17d4-\u17da\u2000-\u200b\u200e-\u2070\u2074-\u207e\u20a0-\u20cf\u2116-\u2118\u2120\u2122\u2190-\u2bff\u2e00-\u2e7f\u3000-\u3004\u3008-\u3020\u3030\u303d-\u303f\u30fb\ufe10-\ufe19\ufe30-\ufe6b\ufeff\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\uffe0-\uffee\ufffc\ufffd\U0001f000-\U0001faff]+'::text, ' '::text, 'g'::text);

CREATE FUNCTION public.webrag_regconfig(language text) RETURNS regconfig
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE language WHEN 'ar'::text THEN 'arabic'::regconfig WHEN 'da'::text THEN 'danish'::regconfig WHEN 'de'::text THEN 'german'::regconfig WHEN 'el'::text THEN 'greek'::regconfig WHEN 'en'::text THEN 'english'::regconfig WHEN 'es'::text THEN 'spanish'::regconfig WHEN 'fi'::text THEN 'finnish'::regconfig WHEN 'fr'::text THEN 'french'::regconfig WHEN 'hi'::text THEN 'hindi'::regconfig WHEN 'hu'::text THEN 'hungarian'::regconfig WHEN 'id'::text THEN 'indonesian'::regconfig WHEN 'it'::text THEN 'italian'::regconfig WHEN 'nl'::text THEN 'dutch'::regconfig WHEN 'no'::text THEN 'norwegian'::regconfig WHEN 'pt'::text THEN 'portuguese'::regconfig WHEN 'ro'::text THEN 'romanian'::regconfig WHEN 'ru'::text THEN 'russian'::regconfig WHEN 'sv'::text THEN 'swedish'::regconfig WHEN 'tr'::text THEN 'turkish'::regconfig ELSE 'simple'::regconfig END;

CREATE FUNCTION public.webrag_scrub_segment() RETURNS integer
    LANGUAGE plpgsql
    AS $$
DECLARE
    old record;
    kept integer[];
    gone integer[];
BEGIN
    IF NOT pg_try_advisory_xact_lock(374824129030) THEN
        RETURN 0;
    END IF;
    SELECT s.* INTO old
      FROM lexical_segments s
      JOIN (SELECT chunking_id, language, sum(children) AS listed FROM lexical_segments GROUP BY 1, 2) a
           USING (chunking_id, language)
      JOIN (SELECT chunking_id, language, array_agg(o) AS ordinals
              FROM lexical_removals r CROSS JOIN LATERAL unnest(r.ordinals) o GROUP BY 1, 2) g
           USING (chunking_id, language)
      CROSS JOIN LATERAL (SELECT count(*) AS gone FROM unnest(s.ordinals) o
                           WHERE o IN (SELECT unnest(g.ordinals))) n
     WHERE cardinality(g.ordinals) * 20 >= a.listed AND n.gone > 0
     ORDER BY n.gone / s.children::float8 DESC, s.id LIMIT 1;
    IF old.id IS NULL THEN
        RETURN 0;
    END IF;
    DELETE FROM lexical_postings WHERE segment = old.id;
    DELETE FROM lexical_segments WHERE id = old.id;
    kept := ARRAY(SELECT c.ordinal FROM unnest(old.ordinals) o JOIN chunks c ON c.ordinal = o ORDER BY c.ordinal);
    FOR begun IN 1 .. cardinality(kept) BY 16384 LOOP
        PERFORM webrag_add_segment(old.chunking_id, old.language, kept[begun : begun + 16383]);
    END LOOP;
    -- What went while this was done is told from what the new segments list, not from what is there by now.
    gone := ARRAY(SELECT unnest(old.ordinals) EXCEPT
                  SELECT o FROM lexical_segments s CROSS JOIN LATERAL unnest(s.ordinals) o WHERE s.id > old.id);
    UPDATE lexical_removals r SET ordinals = k.ordinals, lengths = k.lengths
      FROM (SELECT r.id, coalesce(array_agg(o.ordinal) FILTER (WHERE g IS NULL), '{}') AS ordinals,
                   coalesce(array_agg(o.length) FILTER (WHERE g IS NULL), '{}') AS lengths
              FROM lexical_removals r CROSS JOIN LATERAL unnest(r.ordinals, r.lengths) AS o (ordinal, length)
              LEFT JOIN unnest(gone) g ON g = o.ordinal
             GROUP BY r.id HAVING count(g) > 0) k
     WHERE k.id = r.id;
    DELETE FROM lexical_removals WHERE cardinality(ordinals) = 0;
    RETURN cardinality(gone);
END $$;

CREATE FUNCTION public.webrag_search_vector(language text, context text, body text, extra_terms text[]) RETURNS tsvector
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ((to_tsvector(public.webrag_regconfig(language), public.webrag_readable(((COALESCE(context, ''::text) || '
'::text) || body))) || to_tsvector(public.webrag_regconfig(language), COALESCE(public.webrag_joined_words(public.webrag_readable(body)), ''::text))) || array_to_tsvector(COALESCE(extra_terms, '{}'::text[])));

CREATE FUNCTION public.webrag_short_key(key_hash bytea) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ((('x'::text || encode(substr(key_hash, 1, 8), 'hex'::text)))::bit(64))::bigint;

CREATE FUNCTION public.webrag_words(vector tsvector) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (SELECT (LEAST(COALESCE(sum(COALESCE(cardinality(w.positions), 1)), (0)::bigint), (32767)::bigint))::integer AS "least" FROM unnest(webrag_words.vector) w(lexeme, positions, weights));

CREATE FUNCTION public.webrag_words_added() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
    portion record;
BEGIN
    FOR portion IN
        SELECT chunking_id, search_language, array_agg(ordinal ORDER BY ordinal) AS ordinals
          FROM (SELECT chunking_id, search_language, ordinal,
                       (row_number() OVER (PARTITION BY chunking_id, search_language ORDER BY ordinal) - 1) / 16384 AS n
                  FROM added WHERE search_vector IS NOT NULL) c
         GROUP BY chunking_id, search_language, n ORDER BY chunking_id, search_language, n
    LOOP
        PERFORM webrag_add_segment(portion.chunking_id, portion.search_language, portion.ordinals);
    END LOOP;
    IF FOUND THEN
        PERFORM webrag_merge_segments(4096, 16384);
    END IF;
    RETURN NULL;
END $$;

CREATE FUNCTION public.webrag_words_changed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
    portion record;
BEGIN
    INSERT INTO lexical_removals (chunking_id, language, ordinals, lengths)
    SELECT chunking_id, search_language, array_agg(ordinal ORDER BY ordinal),
           array_agg(webrag_words(search_vector) ORDER BY ordinal)
      FROM removed WHERE search_vector IS NOT NULL AND ordinal NOT IN (SELECT ordinal FROM added)
     GROUP BY chunking_id, search_language;
    FOR portion IN
        SELECT chunking_id, search_language, array_agg(ordinal ORDER BY ordinal) AS ordinals
          FROM added WHERE search_vector IS NOT NULL AND ordinal NOT IN (SELECT ordinal FROM removed)
         GROUP BY chunking_id, search_language ORDER BY chunking_id, search_language
    LOOP
        PERFORM webrag_add_segment(portion.chunking_id, portion.search_language, portion.ordinals);
    END LOOP;
    IF FOUND THEN
        PERFORM webrag_merge_segments(4096, 16384);
    END IF;
    RETURN NULL;
END $$;

CREATE FUNCTION public.webrag_words_removed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO lexical_removals (chunking_id, language, ordinals, lengths)
    SELECT chunking_id, search_language, array_agg(ordinal ORDER BY ordinal),
           array_agg(webrag_words(search_vector) ORDER BY ordinal)
      FROM removed WHERE search_vector IS NOT NULL GROUP BY chunking_id, search_language;
    RETURN NULL;
END $$;

CREATE FUNCTION public.webrag_words_renumbered() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    NEW.ordinal := nextval(pg_get_serial_sequence('chunks', 'ordinal'));
    RETURN NEW;
END $$;

CREATE TABLE public.answers (
    id uuid NOT NULL,
    asked_at timestamp with time zone DEFAULT now() NOT NULL,
    question text NOT NULL,
    answer text NOT NULL
);

CREATE TABLE public.captures (
    id uuid NOT NULL,
    number bigint NOT NULL,
    source_id uuid NOT NULL,
    url text NOT NULL,
    final_url text NOT NULL,
    redirects text[] DEFAULT '{}'::text[] NOT NULL,
    status_code integer,
    headers jsonb DEFAULT '[]'::jsonb NOT NULL,
    filename text,
    body_zstd bytea NOT NULL,
    body_sha256 bytea NOT NULL,
    body_bytes bigint NOT NULL,
    fetched_at timestamp with time zone NOT NULL,
    captured_at timestamp with time zone DEFAULT now() NOT NULL,
    reached text[] DEFAULT '{}'::text[] NOT NULL,
    CONSTRAINT captures_body_sha256_check CHECK ((octet_length(body_sha256) = 32))
);
ALTER TABLE ONLY public.captures ALTER COLUMN body_zstd SET STORAGE EXTERNAL;

ALTER TABLE public.captures ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.captures_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.chunk_cache (
    document_id uuid NOT NULL,
    content_hash text NOT NULL,
    chunker text NOT NULL,
    space_id integer NOT NULL,
    spans text NOT NULL,
    vectors bytea NOT NULL,
    seal bytea NOT NULL,
    size integer NOT NULL,
    written_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone,
    CONSTRAINT chunk_cache_seal_check CHECK ((octet_length(seal) = 32)),
    CONSTRAINT chunk_cache_size_check CHECK ((size >= 0))
);
ALTER TABLE ONLY public.chunk_cache ALTER COLUMN vectors SET STORAGE EXTERNAL;

CREATE TABLE public.chunks (
    id uuid NOT NULL,
    document_id uuid NOT NULL,
    version_id uuid NOT NULL,
    parent_id uuid,
    chunking_id text NOT NULL,
    chunk_level text NOT NULL,
    chunk_index integer NOT NULL,
    section_heading text,
    heading_path text[] DEFAULT '{}'::text[] NOT NULL,
    anchor text,
    page integer,
    chunk_text text NOT NULL,
    html_text text,
    has_table boolean NOT NULL,
    has_code boolean NOT NULL,
    has_math boolean NOT NULL,
    has_definition_list boolean NOT NULL,
    has_admonition boolean NOT NULL,
    has_steps boolean NOT NULL,
    char_start integer NOT NULL,
    char_end integer NOT NULL,
    token_start integer NOT NULL,
    token_end integer NOT NULL,
    html_tokens integer,
    places jsonb DEFAULT '[]'::jsonb NOT NULL,
    source_url text NOT NULL,
    search_language text DEFAULT 'simple'::text NOT NULL,
    search_vector tsvector,
    ordinal integer NOT NULL,
    sentences bytea,
    CONSTRAINT children_have_a_parent CHECK (((chunk_level = 'child'::text) = (parent_id IS NOT NULL))),
    CONSTRAINT chunks_chunk_index_check CHECK ((chunk_index >= 0)),
    CONSTRAINT chunks_chunk_level_check CHECK ((chunk_level = ANY (ARRAY['parent'::text, 'child'::text]))),
    CONSTRAINT span_is_not_empty CHECK (((char_start >= 0) AND (char_end > char_start))),
    CONSTRAINT token_span_is_ordered CHECK (((token_start >= 0) AND (token_end >= token_start)))
);

ALTER TABLE public.chunks ALTER COLUMN ordinal ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.chunks_ordinal_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.citation_anchors (
    citation_id uuid NOT NULL,
    version_id uuid NOT NULL,
    state text NOT NULL,
    char_start integer,
    char_end integer,
    as_rendered boolean DEFAULT false NOT NULL,
    similarity real DEFAULT 0 NOT NULL,
    CONSTRAINT citation_anchors_state_check CHECK ((state = ANY (ARRAY['exact'::text, 'moved'::text, 'lost'::text]))),
    CONSTRAINT found_words_stand_somewhere CHECK (((state = 'lost'::text) OR (char_start IS NOT NULL))),
    CONSTRAINT span_is_whole CHECK ((((char_start IS NULL) = (char_end IS NULL)) AND (char_end > char_start)))
);

CREATE TABLE public.citations (
    id uuid NOT NULL,
    "position" integer NOT NULL,
    document_id uuid,
    version_id uuid,
    char_start integer NOT NULL,
    char_end integer NOT NULL,
    verbatim text NOT NULL,
    quote text NOT NULL,
    prefix text DEFAULT ''::text NOT NULL,
    suffix text DEFAULT ''::text NOT NULL,
    title text,
    section_heading text,
    heading text,
    anchor text,
    page integer,
    source_url text NOT NULL,
    added_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT citation_is_not_empty CHECK (((char_start >= 0) AND (char_end > char_start)))
);

CREATE TABLE public.collections (
    id uuid NOT NULL,
    name text NOT NULL,
    added_at timestamp with time zone DEFAULT now() NOT NULL,
    parent_id uuid,
    colour text,
    CONSTRAINT collections_check CHECK ((parent_id <> id)),
    CONSTRAINT collections_colour_check CHECK ((colour = ANY (ARRAY['blue'::text, 'teal'::text, 'green'::text, 'olive'::text, 'orange'::text, 'red'::text, 'pink'::text, 'violet'::text])))
);

CREATE TABLE public.corpus (
    singleton boolean DEFAULT true NOT NULL,
    active_space integer,
    documents bigint DEFAULT 0 NOT NULL,
    parent_chunks bigint DEFAULT 0 NOT NULL,
    child_chunks bigint DEFAULT 0 NOT NULL,
    tokens bigint DEFAULT 0 NOT NULL,
    CONSTRAINT corpus_singleton_check CHECK (singleton)
);

CREATE TABLE public.documents (
    id uuid NOT NULL,
    active_version uuid NOT NULL,
    url text NOT NULL,
    source_url text NOT NULL,
    site text,
    title text,
    description text,
    language text,
    search_language text DEFAULT 'simple'::text NOT NULL,
    status_code integer,
    published_time text,
    modified_time text,
    published_at timestamp with time zone,
    published_precision text,
    published_guessed boolean DEFAULT false NOT NULL,
    doc_type text NOT NULL,
    content_hash text NOT NULL,
    fetched_at timestamp with time zone NOT NULL,
    indexed_at timestamp with time zone DEFAULT now() NOT NULL,
    depth integer DEFAULT 0 NOT NULL,
    parent_chunks integer DEFAULT 0 NOT NULL,
    child_chunks integer DEFAULT 0 NOT NULL,
    tokens bigint DEFAULT 0 NOT NULL,
    saved_from text,
    modified_guessed boolean DEFAULT false NOT NULL,
    page_count integer,
    folded text GENERATED ALWAYS AS (public.webrag_folded(((substr(source_url, (strpos(source_url, '//'::text) + 2)) || '
'::text) || COALESCE(title, ''::text)))) STORED NOT NULL,
    incomplete text,
    authors text[] DEFAULT '{}'::text[] NOT NULL,
    publisher text,
    journal text,
    volume text,
    issue text,
    pages text,
    doi text,
    isbn text,
    arxiv_id text,
    licence text,
    fact_sources jsonb DEFAULT '{}'::jsonb NOT NULL,
    stated_facts jsonb DEFAULT '{}'::jsonb NOT NULL,
    author_names text DEFAULT ''::text NOT NULL,
    author_order text GENERATED ALWAYS AS (public.webrag_author_order(authors)) STORED NOT NULL,
    CONSTRAINT documents_depth_check CHECK ((depth >= 0)),
    CONSTRAINT documents_doc_type_check CHECK ((doc_type = ANY (ARRAY['html'::text, 'pdf'::text, 'markdown'::text, 'text'::text, 'docx'::text, 'epub'::text]))),
    CONSTRAINT documents_page_count_check CHECK ((page_count > 0)),
    CONSTRAINT documents_published_precision_check CHECK ((published_precision = ANY (ARRAY['year'::text, 'month'::text, 'day'::text, 'time'::text])))
);

CREATE VIEW public.corpus_chunks AS
 SELECT c.id,
    c.document_id,
    c.version_id,
    c.parent_id,
    c.chunk_level,
    c.chunk_index,
    c.section_heading,
    c.heading_path,
    c.anchor,
    c.page,
    c.chunk_text,
    c.html_text,
    c.has_table,
    c.has_code,
    c.has_math,
    c.has_definition_list,
    c.has_admonition,
    c.has_steps,
    c.char_start,
    c.char_end,
    c.token_start,
    c.token_end,
    NULL::public.vector AS embedding,
    d.source_url,
    d.fetched_at,
    d.depth,
    d.title
   FROM (public.chunks c
     JOIN public.documents d ON ((d.id = c.document_id)));

CREATE TABLE public.document_versions (
    id uuid NOT NULL,
    document_id uuid NOT NULL,
    capture_id uuid,
    source_url text NOT NULL,
    title text,
    markdown text NOT NULL,
    html text,
    blocks jsonb DEFAULT '[]'::jsonb NOT NULL,
    plain_text text NOT NULL,
    plain_map jsonb DEFAULT '[]'::jsonb NOT NULL,
    content_hash text NOT NULL,
    raw_hash bytea NOT NULL,
    extractor_version integer NOT NULL,
    fetched_at timestamp with time zone NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT document_versions_raw_hash_check CHECK ((octet_length(raw_hash) = 32))
);

CREATE TABLE public.embedding_spaces (
    id integer NOT NULL,
    fingerprint text NOT NULL,
    definition jsonb NOT NULL,
    chunking_id text NOT NULL,
    dimensions integer NOT NULL,
    storage text NOT NULL,
    table_name text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    known_vector bytea,
    CONSTRAINT embedding_spaces_dimensions_check CHECK ((dimensions > 0)),
    CONSTRAINT embedding_spaces_storage_check CHECK ((storage = ANY (ARRAY['vector'::text, 'halfvec'::text])))
);

ALTER TABLE public.embedding_spaces ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.embedding_spaces_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.expansion_left_out (
    expansion_id uuid NOT NULL,
    number bigint NOT NULL,
    key_hash bytea NOT NULL,
    url text NOT NULL,
    why text NOT NULL,
    CONSTRAINT expansion_left_out_key_hash_check CHECK ((octet_length(key_hash) = 32)),
    CONSTRAINT expansion_left_out_why_check CHECK ((why = ANY (ARRAY['shape'::text, 'depth'::text])))
);

ALTER TABLE public.expansion_left_out ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.expansion_left_out_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.expansion_visits (
    expansion_id uuid NOT NULL,
    number bigint NOT NULL,
    key_hash bytea NOT NULL,
    url text NOT NULL,
    parent_url text,
    depth integer NOT NULL,
    source_id uuid,
    added boolean DEFAULT false NOT NULL,
    outcome text,
    gave_evidence boolean DEFAULT false NOT NULL,
    problem text,
    shape_hash bytea,
    CONSTRAINT expansion_visits_depth_check CHECK ((depth >= 0)),
    CONSTRAINT expansion_visits_key_hash_check CHECK ((octet_length(key_hash) = 32)),
    CONSTRAINT expansion_visits_outcome_check CHECK ((outcome = ANY (ARRAY['known'::text, 'new'::text, 'unchanged'::text, 'changed'::text, 'failed'::text, 'forbidden'::text, 'in_bin'::text]))),
    CONSTRAINT expansion_visits_shape_hash_check CHECK ((octet_length(shape_hash) = 32))
);

ALTER TABLE public.expansion_visits ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.expansion_visits_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.expansions (
    id uuid NOT NULL,
    kind text NOT NULL,
    subject text NOT NULL,
    started_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    ended_at timestamp with time zone,
    state text NOT NULL,
    bytes_fetched bigint DEFAULT 0 NOT NULL,
    CONSTRAINT expansions_bytes_fetched_check CHECK ((bytes_fetched >= 0)),
    CONSTRAINT expansions_kind_check CHECK ((kind = ANY (ARRAY['question'::text, 'site'::text])))
);

CREATE TABLE public.jobs (
    id bigint NOT NULL,
    source_id uuid NOT NULL,
    capture_id uuid,
    priority integer DEFAULT 0 NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    added_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    started_at timestamp with time zone,
    finished_at timestamp with time zone,
    error text,
    hint text,
    transient boolean DEFAULT false NOT NULL,
    cancelled boolean DEFAULT false NOT NULL,
    not_before timestamp with time zone,
    postponed smallint DEFAULT 0 NOT NULL,
    turn bigint NOT NULL,
    claims integer DEFAULT 0 NOT NULL,
    waits_for text,
    setbacks smallint DEFAULT 0 NOT NULL,
    asked_again boolean DEFAULT false NOT NULL,
    wish text,
    outcome text,
    on_schedule boolean DEFAULT false NOT NULL,
    state_before text,
    reason_before text,
    hint_before text,
    for_runs boolean DEFAULT false NOT NULL,
    CONSTRAINT finished_after_start CHECK (((finished_at IS NULL) OR (started_at IS NOT NULL) OR (error IS NOT NULL) OR cancelled)),
    CONSTRAINT jobs_outcome_check CHECK ((outcome = ANY (ARRAY['added'::text, 'changed'::text, 'renewed'::text, 'unchanged'::text]))),
    CONSTRAINT jobs_state_before_check CHECK ((state_before = ANY (ARRAY['ready'::text, 'failed'::text]))),
    CONSTRAINT jobs_waits_for_check CHECK ((waits_for = ANY (ARRAY['site'::text, 'model'::text, 'database'::text]))),
    CONSTRAINT jobs_wish_check CHECK ((wish = ANY (ARRAY['added'::text, 'retried'::text, 'refreshed'::text, 'reread'::text, 'joined'::text, 'repaired'::text])))
);

CREATE VIEW public.job_states AS
 SELECT id,
    source_id,
    capture_id,
    priority,
    attempts,
    added_at,
    started_at,
    finished_at,
    error,
    hint,
    transient,
        CASE
            WHEN ((finished_at IS NOT NULL) AND cancelled) THEN 'cancelled'::text
            WHEN ((finished_at IS NOT NULL) AND (error IS NOT NULL)) THEN 'failed'::text
            WHEN (finished_at IS NOT NULL) THEN 'done'::text
            WHEN (started_at IS NOT NULL) THEN 'running'::text
            ELSE 'waiting'::text
        END AS state
   FROM public.jobs;

ALTER TABLE public.jobs ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.jobs_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

ALTER TABLE public.jobs ALTER COLUMN turn ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.jobs_turn_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.lexical_postings (
    segment integer NOT NULL,
    term text NOT NULL COLLATE pg_catalog."C",
    postings bytea NOT NULL,
    CONSTRAINT lexical_postings_postings_check CHECK (((octet_length(postings) > 0) AND ((octet_length(postings) % 7) = 0)))
)
WITH (autovacuum_vacuum_scale_factor='0.05');
ALTER TABLE ONLY public.lexical_postings ALTER COLUMN postings SET STORAGE EXTERNAL;

CREATE TABLE public.lexical_removals (
    id bigint NOT NULL,
    chunking_id text NOT NULL,
    language text NOT NULL,
    ordinals integer[] NOT NULL,
    lengths integer[] NOT NULL,
    CONSTRAINT every_ordinal_has_a_length CHECK ((cardinality(ordinals) = cardinality(lengths)))
);

ALTER TABLE public.lexical_removals ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.lexical_removals_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.lexical_segments (
    id integer NOT NULL,
    chunking_id text NOT NULL,
    language text NOT NULL,
    children integer NOT NULL,
    length bigint NOT NULL,
    ordinals integer[] NOT NULL,
    CONSTRAINT children_are_listed CHECK ((cardinality(ordinals) = children)),
    CONSTRAINT lexical_segments_children_check CHECK ((children > 0)),
    CONSTRAINT lexical_segments_length_check CHECK ((length >= 0))
);

ALTER TABLE public.lexical_segments ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.lexical_segments_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.page_links (
    document_id uuid NOT NULL,
    links jsonb NOT NULL,
    content_keys bigint[] NOT NULL,
    navigation_keys bigint[] NOT NULL,
    left_out integer DEFAULT 0 NOT NULL,
    CONSTRAINT page_links_left_out_check CHECK ((left_out >= 0))
);

CREATE TABLE public.page_looks (
    capture_id uuid NOT NULL,
    requested_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    not_before timestamp with time zone,
    attempts integer DEFAULT 0 NOT NULL,
    finished_at timestamp with time zone,
    left_out integer DEFAULT 0 NOT NULL,
    left_out_reason text,
    CONSTRAINT page_looks_left_out_check CHECK ((left_out >= 0))
);

CREATE TABLE public.queue_control (
    singleton boolean DEFAULT true NOT NULL,
    paused boolean DEFAULT false NOT NULL,
    changed_at timestamp with time zone DEFAULT now() NOT NULL,
    refresh_every interval,
    refresh_rests_until timestamp with time zone,
    CONSTRAINT queue_control_refresh_every_check CHECK ((refresh_every >= '01:00:00'::interval)),
    CONSTRAINT queue_control_singleton_check CHECK (singleton)
);

CREATE TABLE public.removed_documents (
    id uuid NOT NULL,
    source_url text NOT NULL,
    site text,
    title text,
    doc_type text,
    published_time text,
    published_at timestamp with time zone,
    published_guessed boolean DEFAULT false NOT NULL,
    folded text GENERATED ALWAYS AS (public.webrag_folded(((substr(source_url, (strpos(source_url, '//'::text) + 2)) || '
'::text) || COALESCE(title, ''::text)))) STORED NOT NULL,
    authors text[] DEFAULT '{}'::text[] NOT NULL,
    author_names text DEFAULT ''::text NOT NULL,
    author_order text GENERATED ALWAYS AS (public.webrag_author_order(authors)) STORED NOT NULL
);

CREATE TABLE public.schema_migrations (
    number integer NOT NULL,
    name text NOT NULL,
    checksum text NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.searches (
    id uuid NOT NULL,
    name text,
    question text NOT NULL,
    filters jsonb DEFAULT '{}'::jsonb NOT NULL,
    asked_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    seen_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT searches_name_check CHECK ((name <> ''::text))
);

CREATE TABLE public.source_addresses (
    id bigint NOT NULL,
    source_id uuid NOT NULL,
    kind text NOT NULL,
    url text NOT NULL,
    url_key text NOT NULL,
    key_hash bytea NOT NULL,
    added_at timestamp with time zone DEFAULT now() NOT NULL,
    site text GENERATED ALWAYS AS (public.webrag_host(url)) STORED,
    CONSTRAINT source_addresses_key_hash_check CHECK ((octet_length(key_hash) = 32)),
    CONSTRAINT source_addresses_kind_check CHECK ((kind = ANY (ARRAY['given'::text, 'redirect'::text, 'canonical'::text])))
);

ALTER TABLE public.source_addresses ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.source_addresses_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.source_collections (
    source_id uuid NOT NULL,
    collection_id uuid NOT NULL
);

CREATE TABLE public.sources (
    id uuid NOT NULL,
    kind text NOT NULL,
    state text DEFAULT 'queued'::text NOT NULL,
    state_reason text,
    state_hint text,
    progress_done integer,
    progress_total integer,
    user_title text,
    tags text[] DEFAULT '{}'::text[] NOT NULL,
    depth integer DEFAULT 0 NOT NULL,
    added_at timestamp with time zone DEFAULT now() NOT NULL,
    changed_at timestamp with time zone DEFAULT now() NOT NULL,
    checked_at timestamp with time zone,
    refresh_every interval,
    refresh_not_before timestamp with time zone,
    reached text,
    followed text,
    removed_at timestamp with time zone,
    opened_at timestamp with time zone,
    read_to integer,
    read_version uuid,
    user_facts jsonb DEFAULT '{}'::jsonb NOT NULL,
    keep_subresources boolean,
    CONSTRAINT failure_has_a_reason CHECK (((state <> 'failed'::text) OR (state_reason IS NOT NULL))),
    CONSTRAINT place_has_a_version CHECK (((read_to IS NULL) = (read_version IS NULL))),
    CONSTRAINT sources_depth_check CHECK ((depth >= 0)),
    CONSTRAINT sources_followed_check CHECK ((followed = ANY (ARRAY['site'::text, 'web'::text]))),
    CONSTRAINT sources_kind_check CHECK ((kind = ANY (ARRAY['url'::text, 'file'::text]))),
    CONSTRAINT sources_reached_check CHECK ((reached = ANY (ARRAY['public'::text, 'loopback'::text, 'private'::text, 'link-local'::text, 'shared'::text, 'unknown'::text]))),
    CONSTRAINT sources_read_to_check CHECK ((read_to >= 0)),
    CONSTRAINT sources_refresh_every_check CHECK (((refresh_every = '00:00:00'::interval) OR (refresh_every >= '01:00:00'::interval))),
    CONSTRAINT sources_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'fetching'::text, 'extracting'::text, 'chunking'::text, 'embedding'::text, 'ready'::text, 'failed'::text, 'cancelled'::text])))
);

CREATE TABLE public.space_moves (
    id integer NOT NULL,
    origin jsonb NOT NULL,
    definition jsonb NOT NULL,
    target integer,
    paused boolean DEFAULT false NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    not_before timestamp with time zone,
    problem text,
    hint text,
    added_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    swapped_at timestamp with time zone,
    cancelled_at timestamp with time zone,
    tidied_at timestamp with time zone,
    CONSTRAINT one_end CHECK ((num_nonnulls(swapped_at, cancelled_at) <= 1)),
    CONSTRAINT open_move_has_a_target CHECK (((target IS NOT NULL) OR (num_nonnulls(swapped_at, cancelled_at) = 1))),
    CONSTRAINT tidied_after_its_end CHECK (((tidied_at IS NULL) OR (num_nonnulls(swapped_at, cancelled_at) = 1)))
);

ALTER TABLE public.space_moves ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.space_moves_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.subresource_bodies (
    sha256 bytea NOT NULL,
    body_zstd bytea NOT NULL,
    body_bytes bigint NOT NULL,
    CONSTRAINT subresource_bodies_sha256_check CHECK ((octet_length(sha256) = 32))
);
ALTER TABLE ONLY public.subresource_bodies ALTER COLUMN body_zstd SET STORAGE EXTERNAL;

CREATE TABLE public.subresources (
    capture_id uuid NOT NULL,
    number integer NOT NULL,
    url text NOT NULL,
    kind text NOT NULL,
    sha256 bytea,
    media_type text,
    final_url text,
    absent text,
    transient boolean DEFAULT false NOT NULL,
    fetched_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT kept_or_absent CHECK ((((sha256 IS NULL) = (absent IS NOT NULL)) AND ((sha256 IS NULL) = (media_type IS NULL)))),
    CONSTRAINT subresources_kind_check CHECK ((kind = ANY (ARRAY['stylesheet'::text, 'image'::text, 'font'::text])))
);

CREATE TABLE public.vector_cache (
    space_id integer NOT NULL,
    text_hash bytea NOT NULL,
    document_id uuid NOT NULL,
    embedding bytea NOT NULL,
    CONSTRAINT vector_cache_text_hash_check CHECK ((octet_length(text_hash) = 32))
);

ALTER TABLE ONLY public.answers
    ADD CONSTRAINT answers_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.captures
    ADD CONSTRAINT captures_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.chunk_cache
    ADD CONSTRAINT chunk_cache_pkey PRIMARY KEY (document_id, content_hash, chunker, space_id);

ALTER TABLE ONLY public.chunks
    ADD CONSTRAINT chunks_order_key UNIQUE (document_id, chunking_id, chunk_level, chunk_index);

ALTER TABLE ONLY public.chunks
    ADD CONSTRAINT chunks_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.citation_anchors
    ADD CONSTRAINT citation_anchors_pkey PRIMARY KEY (citation_id);

ALTER TABLE ONLY public.citations
    ADD CONSTRAINT citations_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.collections
    ADD CONSTRAINT collections_name_key UNIQUE (name);

ALTER TABLE ONLY public.collections
    ADD CONSTRAINT collections_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.corpus
    ADD CONSTRAINT corpus_pkey PRIMARY KEY (singleton);

ALTER TABLE ONLY public.document_versions
    ADD CONSTRAINT document_versions_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.documents
    ADD CONSTRAINT documents_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.documents
    ADD CONSTRAINT documents_source_url_key EXCLUDE USING hash (source_url WITH =);

ALTER TABLE ONLY public.embedding_spaces
    ADD CONSTRAINT embedding_spaces_fingerprint_key UNIQUE (fingerprint);

ALTER TABLE ONLY public.embedding_spaces
    ADD CONSTRAINT embedding_spaces_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.embedding_spaces
    ADD CONSTRAINT embedding_spaces_table_name_key UNIQUE (table_name);

ALTER TABLE ONLY public.expansion_left_out
    ADD CONSTRAINT expansion_left_out_pkey PRIMARY KEY (expansion_id, key_hash);

ALTER TABLE ONLY public.expansion_visits
    ADD CONSTRAINT expansion_visits_pkey PRIMARY KEY (expansion_id, key_hash);

ALTER TABLE ONLY public.expansions
    ADD CONSTRAINT expansions_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.lexical_postings
    ADD CONSTRAINT lexical_postings_pkey PRIMARY KEY (term, segment);

ALTER TABLE ONLY public.lexical_removals
    ADD CONSTRAINT lexical_removals_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.lexical_segments
    ADD CONSTRAINT lexical_segments_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.page_links
    ADD CONSTRAINT page_links_pkey PRIMARY KEY (document_id);

ALTER TABLE ONLY public.page_looks
    ADD CONSTRAINT page_looks_pkey PRIMARY KEY (capture_id);

ALTER TABLE ONLY public.queue_control
    ADD CONSTRAINT queue_control_pkey PRIMARY KEY (singleton);

ALTER TABLE ONLY public.removed_documents
    ADD CONSTRAINT removed_documents_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.schema_migrations
    ADD CONSTRAINT schema_migrations_pkey PRIMARY KEY (number);

ALTER TABLE ONLY public.searches
    ADD CONSTRAINT searches_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.source_addresses
    ADD CONSTRAINT source_addresses_key_hash_key UNIQUE (key_hash);

ALTER TABLE ONLY public.source_addresses
    ADD CONSTRAINT source_addresses_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.source_collections
    ADD CONSTRAINT source_collections_pkey PRIMARY KEY (source_id, collection_id);

ALTER TABLE ONLY public.sources
    ADD CONSTRAINT sources_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.space_moves
    ADD CONSTRAINT space_moves_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.subresource_bodies
    ADD CONSTRAINT subresource_bodies_pkey PRIMARY KEY (sha256);

ALTER TABLE ONLY public.subresources
    ADD CONSTRAINT subresources_pkey PRIMARY KEY (capture_id, number);

ALTER TABLE ONLY public.vector_cache
    ADD CONSTRAINT vector_cache_pkey PRIMARY KEY (space_id, text_hash, document_id);

CREATE INDEX answers_asked_at_idx ON public.answers USING btree (asked_at, id);

CREATE INDEX captures_source_idx ON public.captures USING btree (source_id, number DESC);

CREATE INDEX chunk_cache_space_idx ON public.chunk_cache USING btree (space_id);

CREATE INDEX chunks_document_idx ON public.chunks USING btree (document_id) INCLUDE (ordinal, parent_id) WHERE (chunk_level = 'child'::text);

CREATE UNIQUE INDEX chunks_ordinal_idx ON public.chunks USING btree (ordinal);

CREATE INDEX chunks_parent_idx ON public.chunks USING btree (parent_id) INCLUDE (ordinal, id);

CREATE INDEX chunks_search_idx ON public.chunks USING gin (search_vector);

CREATE INDEX chunks_version_idx ON public.chunks USING btree (version_id);

CREATE INDEX citation_anchors_version_idx ON public.citation_anchors USING btree (version_id);

CREATE INDEX citations_document_idx ON public.citations USING btree (document_id);

CREATE INDEX citations_version_idx ON public.citations USING btree (version_id);

CREATE INDEX collections_parent_id_idx ON public.collections USING btree (parent_id);

CREATE INDEX document_versions_capture_idx ON public.document_versions USING btree (capture_id);

CREATE INDEX document_versions_document_idx ON public.document_versions USING btree (document_id, created_at);

CREATE INDEX documents_active_version_idx ON public.documents USING btree (active_version);

CREATE INDEX documents_author_words ON public.documents USING gin (string_to_array(translate(author_names, '
'::text, ' '::text), ' '::text)) WHERE (author_names <> ''::text);

CREATE INDEX documents_incomplete ON public.documents USING btree (id) WHERE (incomplete IS NOT NULL);

CREATE INDEX documents_search_language_idx ON public.documents USING btree (search_language);

CREATE INDEX documents_site_idx ON public.documents USING btree (site);

CREATE INDEX expansion_visits_number_idx ON public.expansion_visits USING btree (expansion_id, number);

CREATE INDEX expansion_visits_open_idx ON public.expansion_visits USING btree (expansion_id, number) WHERE (outcome IS NULL);

CREATE INDEX expansion_visits_shape_idx ON public.expansion_visits USING btree (expansion_id, shape_hash);

CREATE INDEX expansion_visits_source_idx ON public.expansion_visits USING btree (source_id) WHERE ((outcome IS NULL) AND (source_id IS NOT NULL));

CREATE INDEX expansions_open_idx ON public.expansions USING btree (started_at) WHERE (ended_at IS NULL);

CREATE INDEX expansions_started_at_idx ON public.expansions USING btree (started_at, id);

CREATE INDEX jobs_capture_idx ON public.jobs USING btree (capture_id);

CREATE INDEX jobs_on_schedule_idx ON public.jobs USING btree (source_id) WHERE ((finished_at IS NULL) AND on_schedule);

CREATE UNIQUE INDEX jobs_one_open_per_source_idx ON public.jobs USING btree (source_id) WHERE (finished_at IS NULL);

CREATE INDEX jobs_open_idx ON public.jobs USING btree (priority DESC, turn) WHERE (finished_at IS NULL);

CREATE INDEX jobs_source_idx ON public.jobs USING btree (source_id, id);

CREATE INDEX lexical_postings_segment_idx ON public.lexical_postings USING btree (segment);

CREATE INDEX page_links_content_keys_idx ON public.page_links USING gin (content_keys);

CREATE INDEX page_links_navigation_keys_idx ON public.page_links USING gin (navigation_keys);

CREATE INDEX page_looks_open ON public.page_looks USING btree (requested_at) WHERE (finished_at IS NULL);

CREATE INDEX searches_asked_at_idx ON public.searches USING btree (asked_at, id);

CREATE UNIQUE INDEX searches_name_idx ON public.searches USING btree (lower(name)) WHERE (name IS NOT NULL);

CREATE INDEX source_addresses_site_idx ON public.source_addresses USING btree (site) WHERE (kind = 'given'::text);

CREATE INDEX source_addresses_source_idx ON public.source_addresses USING btree (source_id);

CREATE INDEX source_collections_collection_idx ON public.source_collections USING btree (collection_id);

CREATE INDEX sources_added_at_idx ON public.sources USING btree (added_at, id);

CREATE INDEX sources_not_ready_idx ON public.sources USING btree (state, added_at, id) WHERE (state <> 'ready'::text);

CREATE INDEX sources_opened_at_idx ON public.sources USING btree (opened_at, id) WHERE (opened_at IS NOT NULL);

CREATE INDEX sources_removed_at_idx ON public.sources USING btree (removed_at, id) WHERE (removed_at IS NOT NULL);

CREATE UNIQUE INDEX space_moves_one_open_idx ON public.space_moves USING btree ((true)) WHERE ((swapped_at IS NULL) AND (cancelled_at IS NULL));

CREATE INDEX space_moves_target_idx ON public.space_moves USING btree (target);

CREATE INDEX subresources_body ON public.subresources USING btree (sha256) WHERE (sha256 IS NOT NULL);

CREATE INDEX subresources_url ON public.subresources USING btree (md5(url), fetched_at) WHERE (sha256 IS NOT NULL);

CREATE INDEX vector_cache_document_idx ON public.vector_cache USING btree (document_id);

CREATE TRIGGER citations_changed AFTER UPDATE OF document_id, version_id, char_start, char_end, verbatim ON public.citations FOR EACH ROW EXECUTE FUNCTION public.webrag_forget_anchor();

CREATE CONSTRAINT TRIGGER documents_counted AFTER INSERT OR DELETE ON public.documents DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.webrag_count_document();

CREATE TRIGGER documents_cut_anew AFTER UPDATE OF active_version, content_hash, title ON public.documents FOR EACH ROW WHEN (((old.active_version IS DISTINCT FROM new.active_version) OR (old.content_hash IS DISTINCT FROM new.content_hash) OR (old.title IS DISTINCT FROM new.title))) EXECUTE FUNCTION public.webrag_forget_cached_chunks();

CREATE CONSTRAINT TRIGGER documents_recounted AFTER UPDATE OF parent_chunks, child_chunks, tokens ON public.documents DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.webrag_count_document();

CREATE TRIGGER subresources_changed AFTER UPDATE ON public.subresources REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION public.webrag_drop_unused_bodies();

CREATE TRIGGER subresources_deleted AFTER DELETE ON public.subresources REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION public.webrag_drop_unused_bodies();

CREATE TRIGGER versions_cut_anew AFTER UPDATE OF content_hash, title, markdown, blocks ON public.document_versions FOR EACH ROW EXECUTE FUNCTION public.webrag_forget_cached_chunks();

CREATE TRIGGER words_added AFTER INSERT ON public.chunks REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION public.webrag_words_added();

CREATE TRIGGER words_changed AFTER UPDATE ON public.chunks REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION public.webrag_words_changed();

CREATE TRIGGER words_removed AFTER DELETE ON public.chunks REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION public.webrag_words_removed();

CREATE TRIGGER words_renumbered BEFORE UPDATE ON public.chunks FOR EACH ROW WHEN (((old.search_vector IS DISTINCT FROM new.search_vector) OR (old.search_language IS DISTINCT FROM new.search_language) OR (old.chunking_id IS DISTINCT FROM new.chunking_id))) EXECUTE FUNCTION public.webrag_words_renumbered();

ALTER TABLE ONLY public.captures
    ADD CONSTRAINT captures_source_id_fkey FOREIGN KEY (source_id) REFERENCES public.sources(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.chunk_cache
    ADD CONSTRAINT chunk_cache_document_id_fkey FOREIGN KEY (document_id) REFERENCES public.documents(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.chunk_cache
    ADD CONSTRAINT chunk_cache_space_id_fkey FOREIGN KEY (space_id) REFERENCES public.embedding_spaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.chunks
    ADD CONSTRAINT chunks_document_id_fkey FOREIGN KEY (document_id) REFERENCES public.documents(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.chunks
    ADD CONSTRAINT chunks_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES public.chunks(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.chunks
    ADD CONSTRAINT chunks_version_id_fkey FOREIGN KEY (version_id) REFERENCES public.document_versions(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.citation_anchors
    ADD CONSTRAINT citation_anchors_citation_id_fkey FOREIGN KEY (citation_id) REFERENCES public.citations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.citation_anchors
    ADD CONSTRAINT citation_anchors_version_id_fkey FOREIGN KEY (version_id) REFERENCES public.document_versions(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.citations
    ADD CONSTRAINT citations_document_id_fkey FOREIGN KEY (document_id) REFERENCES public.sources(id) ON DELETE SET NULL;

ALTER TABLE ONLY public.citations
    ADD CONSTRAINT citations_version_id_fkey FOREIGN KEY (version_id) REFERENCES public.document_versions(id) ON DELETE SET NULL;

ALTER TABLE ONLY public.collections
    ADD CONSTRAINT collections_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES public.collections(id) ON DELETE SET NULL;

ALTER TABLE ONLY public.corpus
    ADD CONSTRAINT corpus_active_space_fkey FOREIGN KEY (active_space) REFERENCES public.embedding_spaces(id);

ALTER TABLE ONLY public.document_versions
    ADD CONSTRAINT document_versions_capture_id_fkey FOREIGN KEY (capture_id) REFERENCES public.captures(id) ON DELETE SET NULL;

ALTER TABLE ONLY public.document_versions
    ADD CONSTRAINT document_versions_document_id_fkey FOREIGN KEY (document_id) REFERENCES public.sources(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.documents
    ADD CONSTRAINT documents_active_version_fkey FOREIGN KEY (active_version) REFERENCES public.document_versions(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.documents
    ADD CONSTRAINT documents_id_fkey FOREIGN KEY (id) REFERENCES public.sources(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.expansion_left_out
    ADD CONSTRAINT expansion_left_out_expansion_id_fkey FOREIGN KEY (expansion_id) REFERENCES public.expansions(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.expansion_visits
    ADD CONSTRAINT expansion_visits_expansion_id_fkey FOREIGN KEY (expansion_id) REFERENCES public.expansions(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_capture_id_fkey FOREIGN KEY (capture_id) REFERENCES public.captures(id) ON DELETE SET NULL;

ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_source_id_fkey FOREIGN KEY (source_id) REFERENCES public.sources(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.page_links
    ADD CONSTRAINT page_links_document_id_fkey FOREIGN KEY (document_id) REFERENCES public.documents(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.page_looks
    ADD CONSTRAINT page_looks_capture_id_fkey FOREIGN KEY (capture_id) REFERENCES public.captures(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.removed_documents
    ADD CONSTRAINT removed_documents_id_fkey FOREIGN KEY (id) REFERENCES public.sources(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.source_addresses
    ADD CONSTRAINT source_addresses_source_id_fkey FOREIGN KEY (source_id) REFERENCES public.sources(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.source_collections
    ADD CONSTRAINT source_collections_collection_id_fkey FOREIGN KEY (collection_id) REFERENCES public.collections(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.source_collections
    ADD CONSTRAINT source_collections_source_id_fkey FOREIGN KEY (source_id) REFERENCES public.sources(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.space_moves
    ADD CONSTRAINT space_moves_target_fkey FOREIGN KEY (target) REFERENCES public.embedding_spaces(id) ON DELETE SET NULL;

ALTER TABLE ONLY public.subresources
    ADD CONSTRAINT subresources_capture_id_fkey FOREIGN KEY (capture_id) REFERENCES public.page_looks(capture_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.subresources
    ADD CONSTRAINT subresources_sha256_fkey FOREIGN KEY (sha256) REFERENCES public.subresource_bodies(sha256);

ALTER TABLE ONLY public.vector_cache
    ADD CONSTRAINT vector_cache_document_id_fkey FOREIGN KEY (document_id) REFERENCES public.sources(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.vector_cache
    ADD CONSTRAINT vector_cache_space_id_fkey FOREIGN KEY (space_id) REFERENCES public.embedding_spaces(id) ON DELETE CASCADE;
