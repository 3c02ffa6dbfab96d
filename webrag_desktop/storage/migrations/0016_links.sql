-- The links of the text that a document shows, to be asked in both directions.

-- links is what was read, as JSON: address, words, position and, where it is not the address itself, its key (the one
-- that source_addresses have). The two arrays hold the first eight bytes of the sha256 of each key, as a number, so that
-- a table of a few bytes a link finds who links to an address; left_out counts what was too much to keep.
CREATE TABLE page_links (
    document_id     uuid PRIMARY KEY REFERENCES documents (id) ON DELETE CASCADE,
    links           jsonb NOT NULL,
    content_keys    bigint[] NOT NULL,
    navigation_keys bigint[] NOT NULL,
    left_out        integer NOT NULL DEFAULT 0 CHECK (left_out >= 0)
);

CREATE FUNCTION webrag_short_key(key_hash bytea) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ('x' || encode(substr(key_hash, 1, 8), 'hex'))::bit(64)::bigint;

-- What was kept beside the shown texts: links of the main content. Their keys are exact where the library has the
-- address or it is written plainly; reading the kept captures again makes all of them so, and adds the navigation.
WITH kept AS (
    SELECT d.id, l.place, l.link, split_part(l.link->>'url', '#', 1) AS bare
      FROM documents d JOIN document_versions v ON v.id = d.active_version
      CROSS JOIN LATERAL jsonb_array_elements(v.links) WITH ORDINALITY AS l (link, place)
     WHERE l.place <= 5000 AND length(l.link->>'url') <= 2048),
keyed AS (
    SELECT k.id, k.place, k.link, k.bare,
           coalesce(a.url_key, lower(substring(k.bare FROM '^[^/]+//[^/?]*'))
                               || CASE WHEN k.bare ~ '^[^/]+//[^/?]*(\?|$)' THEN '/' ELSE '' END
                               || substring(k.bare FROM '^[^/]+//[^/?]*(.*)$'), k.bare) AS key
      FROM kept k
      LEFT JOIN (SELECT DISTINCT ON (url) url, url_key FROM source_addresses ORDER BY url, id) a ON a.url = k.bare)
INSERT INTO page_links (document_id, links, content_keys, navigation_keys)
SELECT id,
       jsonb_agg(jsonb_build_object('url', link->'url', 'text', left(link->>'text', 500),
                                    'char_start', link->'char_start')
                 || CASE WHEN key = link->>'url' THEN '{}' ELSE jsonb_build_object('key', key) END
                 ORDER BY place),
       array_agg(DISTINCT webrag_short_key(sha256(convert_to(key, 'UTF8')))), '{}'
  FROM keyed GROUP BY id;

CREATE INDEX page_links_content_keys_idx ON page_links USING gin (content_keys);
CREATE INDEX page_links_navigation_keys_idx ON page_links USING gin (navigation_keys);

ALTER TABLE document_versions DROP COLUMN links;
