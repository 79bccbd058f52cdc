-- Search (`q`) by an index of trigrams, where the extensions for it are there.

-- Letters that full Unicode case folding turns into several (CaseFolding.txt, status F), as they are after simple
-- folding.
create or replace function folded_by_letter(text_to_fold text) returns text language sql immutable strict parallel safe
return (
  select string_agg(coalesce('{"ŉ":"ʼn","ǰ":"ǰ","ΐ":"ΐ","ΰ":"ΰ","և":"եւ","ẖ":"ẖ","ẗ":"ẗ","ẘ":"ẘ","ẙ":"ẙ","ẚ":"aʾ","ὐ":"ὐ",
    "ὒ":"ὒ","ὔ":"ὔ","ὖ":"ὖ","ᾀ":"ἀι","ᾁ":"ἁι","ᾂ":"ἂι","ᾃ":"ἃι","ᾄ":"ἄι","ᾅ":"ἅι","ᾆ":"ἆι","ᾇ":"ἇι",
    "ᾐ":"ἠι","ᾑ":"ἡι","ᾒ":"ἢι","ᾓ":"ἣι","ᾔ":"ἤι","ᾕ":"ἥι","ᾖ":"ἦι","ᾗ":"ἧι","ᾠ":"ὠι","ᾡ":"ὡι","ᾢ":"ὢι","ᾣ":"ὣι",
    "ᾤ":"ὤι","ᾥ":"ὥι","ᾦ":"ὦι","ᾧ":"ὧι","ᾲ":"ὰι","ᾳ":"αι","ᾴ":"άι","ᾶ":"ᾶ","ᾷ":"ᾶι","ῂ":"ὴι","ῃ":"ηι","ῄ":"ήι",
    "ῆ":"ῆ","ῇ":"ῆι","ῒ":"ῒ","ΐ":"ΐ","ῖ":"ῖ","ῗ":"ῗ","ῢ":"ῢ","ΰ":"ΰ","ῤ":"ῤ","ῦ":"ῦ","ῧ":"ῧ",
    "ῲ":"ὼι","ῳ":"ωι","ῴ":"ώι","ῶ":"ῶ","ῷ":"ῶι","ﬀ":"ff","ﬁ":"fi","ﬂ":"fl","ﬃ":"ffi","ﬄ":"ffl","ﬅ":"st",
    "ﬆ":"st","ﬓ":"մն","ﬔ":"մե","ﬕ":"մի","ﬖ":"վն",
    "ﬗ":"մխ"}'::jsonb ->> letter, letter), '' order by place)
  from regexp_split_to_table(text_to_fold, '') with ordinality as split (letter, place)
);

-- Letter case aside, by Unicode, whatever the server's locale: to upper case first, so that both forms of sigma meet.
-- By Unicode's form NFKC, so that a text is found however it is composed: `é` as one letter or as two, and what only
-- looks different, such as letters of full width. Both stored and searched texts are folded by this function. One
-- expression and not strict, so that it is computed in place. Most texts are ASCII, and of the letters that become
-- several only sharp s is frequent: by letter, a text takes 25 us.
create or replace function folded(text_to_fold text) returns text language sql immutable parallel safe
return case
  when octet_length(text_to_fold) = char_length(text_to_fold) then lower(text_to_fold collate "pg_c_utf8")
  when lower(upper(normalize(text_to_fold, nfkc) collate "pg_c_utf8")) !~ '[ŉǰΐΰևẖẗẘẙẚὐὒὔὖᾀᾁᾂᾃᾄᾅᾆᾇᾐᾑᾒᾓᾔᾕᾖᾗᾠᾡᾢᾣᾤᾥᾦᾧᾲᾳᾴᾶᾷῂῃῄῆῇῒΐῖῗῢΰῤῦῧῲῳῴῶῷﬀﬁﬂﬃﬄﬅﬆﬓﬔﬕﬖﬗ]'
  then replace(lower(upper(normalize(text_to_fold, nfkc) collate "pg_c_utf8")), 'ß', 'ss')
  else folded_by_letter(replace(lower(upper(normalize(text_to_fold, nfkc) collate "pg_c_utf8")), 'ß', 'ss'))
end;

-- What is searched in an asset or a location, tags aside. A control character, which no searched text has, keeps the parts
-- apart.
create or replace function searched_text(name text, external_key text, description text) returns text
language sql immutable parallel safe
return folded(name || E'\x01' || external_key || E'\x01' || coalesce(description, ''));

-- The indexes of searches, when the database is made; those that are missing later are built beside those who write
-- (`search-indexes.ts`). The organization is in them, so that nobody's search reads what others have. They take
-- 50,000 new assets from 2.5 s to 7, since new entries are gathered and sorted in by 4 MB (`fastupdate`); one by one
-- it would be 28.
--
-- False where an extension is not installed or may not be created; searches then read all rows of the organization.
-- Once it is there, an administrator calls this again.
create or replace function create_search_indexes() returns boolean language plpgsql as $$
begin
  begin
    create extension if not exists pg_trgm;
    create extension if not exists btree_gin;
  exception when insufficient_privilege or undefined_file or feature_not_supported then
    return false;
  end;
  create index if not exists assets__searched_text on assets
    using gin (org_id, searched_text(name, external_key, description) gin_trgm_ops);
  create index if not exists locations__searched_text on locations
    using gin (org_id, searched_text(name, external_key, description) gin_trgm_ops);
  create index if not exists tags__searched_text on tags
    using gin (org_id, folded(value) gin_trgm_ops) where detached_at is null;
  return true;
end $$;
revoke execute on function create_search_indexes from public;

-- The rows of an organization that have a text in them or in a live tag. Under row-level security a condition that might
-- tell of rows it rejects is not looked up in an index before the policy has been applied to all rows, and `like` is
-- counted among those. So this runs with its owner's rights, and applies the policy itself: it finds nothing but what
-- belongs to the organization that the request has named. Planned anew for each text, because how many rows have it is
-- what decides.
create or replace function find_by_text(of_resource text, of_org_id integer, searched text) returns setof integer
language plpgsql stable security definer rows 100 set search_path = pg_catalog, public, pg_temp as $$
declare
  pattern text := '%' || regexp_replace(folded(searched), '([\\%_])', '\\\1', 'g') || '%';
begin
  if of_org_id is distinct from current_org_id() then
    return;
  end if;
  case of_resource
    when 'asset' then
      return query execute
        'select id from assets
         where org_id = $1 and searched_text(name, external_key, description) like $2
         union
         select asset_id from tags
         where org_id = $1 and asset_id is not null and detached_at is null and folded(value) like $2'
        using of_org_id, pattern;
    when 'location' then
      return query execute
        'select id from locations
         where org_id = $1 and searched_text(name, external_key, description) like $2
         union
         select location_id from tags
         where org_id = $1 and location_id is not null and detached_at is null and folded(value) like $2'
        using of_org_id, pattern;
  end case;
end $$;

-- Whether an asset is among those a list shows. In a function's place its body is planned (so nothing may be set
-- here).
create or replace function is_listed(
  valid_from timestamptz, valid_to timestamptz, deleted_at timestamptz, is_active boolean,
  with_not_in_effect boolean, with_deleted boolean, of_activity boolean
) returns boolean language sql stable parallel safe
return (with_not_in_effect or valid_from <= now() and (valid_to is null or valid_to > now()))
  and (with_deleted or deleted_at is null)
  and (of_activity is null or is_active = of_activity);

-- Whether most of a table's rows are an organization's, judged by 32 ids, evenly spread over those that were ever drawn. No
-- statistics are asked, which may be of a time before its import: without sorting, only the primary key gives the next id.
create or replace function has_most_rows(of_org_id integer, of_table text) returns boolean
language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp
  set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set enable_indexscan = on
  set plan_cache_mode = force_generic_plan
as $$
declare
  last_id bigint := pg_sequence_last_value(pg_get_serial_sequence(of_table, 'id')::regclass);
begin
  -- The organization's part of a small table is read in a millisecond.
  if of_org_id is distinct from current_org_id() or last_id is null or last_id < 50000 then
    return false;
  end if;
  return 21 <= case of_table
    when 'assets' then (
      select count(*) from (select n * last_id / 33 as id from generate_series(1, 32) n) wanted
      cross join lateral (
        select id from assets where org_id = of_org_id and id >= wanted.id order by id limit 1) there
      where there.id = wanted.id)
    when 'tags' then (
      select count(*) from (select n * last_id / 33 as id from generate_series(1, 32) n) wanted
      cross join lateral (
        select id from tags where org_id = of_org_id and id >= wanted.id order by id limit 1) there
      where there.id = wanted.id)
  end;
end $$;

-- The assets of an organization that have a text in their name, key, description or in a live tag, letter case aside,
-- with what they can be sorted by. Each row that has the text is looked at once.
--
-- The index has the organizations apart, and reading a million entries of one takes 5 ms, whatever is searched for.
-- Where most rows are its own, those of the trigrams are read alone, and others' rows left out by their organization;
-- with less than three letters in a row there is no trigram.
--
-- No plan depends on statistics, so they are made once for a connection. Bitmaps lead to the rows that have a text,
-- and an entry of an index is all that costs anything: the index of trigrams wins, whose entries are fewest. Without
-- it, all rows of the organization are read. To the assets of tags it is the primary key that leads: the other
-- indexes are of live ones, and whether those are wanted is not known when this is planned.
--
-- Rights and policy as for `find_by_text`.
create or replace function find_assets_by_text(
  of_org_id integer, searched text, with_not_in_effect boolean, with_deleted boolean, of_activity boolean
) returns table (id integer, external_key text, name text, created_at timestamptz, updated_at timestamptz)
language plpgsql stable security definer rows 1000 set search_path = pg_catalog, public, pg_temp
  set enable_seqscan = off set enable_indexscan = off set enable_indexonlyscan = off set enable_bitmapscan = on
  set seq_page_cost = 0 set random_page_cost = 0 set cpu_tuple_cost = 0 set cpu_operator_cost = 0 set cpu_index_tuple_cost = 1
  set plan_cache_mode = force_generic_plan set jit = off
as $$
declare
  pattern text := '%' || regexp_replace(folded(searched), '([\\%_])', '\\\1', 'g') || '%';
  has_trigram boolean := folded(searched) ~ '[a-z0-9]{3}';
  tagged integer[];
begin
  if of_org_id is distinct from current_org_id() then
    return;
  end if;
  if has_trigram and has_most_rows(of_org_id, 'assets') then
    return query
      select asset.id, asset.external_key, asset.name, asset.created_at, asset.updated_at from assets asset
      where asset.org_id + 0 = of_org_id
        and searched_text(asset.name, asset.external_key, asset.description) like pattern
        and is_listed(asset.valid_from, asset.valid_to, asset.deleted_at, asset.is_active,
          with_not_in_effect, with_deleted, of_activity);
  else
    return query
      select asset.id, asset.external_key, asset.name, asset.created_at, asset.updated_at from assets asset
      where asset.org_id = of_org_id
        and searched_text(asset.name, asset.external_key, asset.description) like pattern
        and is_listed(asset.valid_from, asset.valid_to, asset.deleted_at, asset.is_active,
          with_not_in_effect, with_deleted, of_activity);
  end if;
  if has_trigram and has_most_rows(of_org_id, 'tags') then
    tagged := array(
      select distinct tag.asset_id from tags tag
      where tag.org_id + 0 = of_org_id and tag.asset_id is not null and tag.detached_at is null
        and folded(tag.value) like pattern
      order by tag.asset_id);
  else
    tagged := array(
      select distinct tag.asset_id from tags tag
      where tag.org_id = of_org_id and tag.asset_id is not null and tag.detached_at is null
        and folded(tag.value) like pattern
      order by tag.asset_id);
  end if;
  if cardinality(tagged) = 0 then
    return;
  end if;
  perform set_config('enable_indexscan', 'on', true), set_config('enable_bitmapscan', 'off', true);
  return query
    select asset.* from unnest(tagged) as found (id) cross join lateral (
      select asset.id, asset.external_key, asset.name, asset.created_at, asset.updated_at from assets asset
      where asset.org_id = of_org_id and asset.id = found.id
        and searched_text(asset.name, asset.external_key, asset.description) not like pattern
        and is_listed(asset.valid_from, asset.valid_to, asset.deleted_at, asset.is_active,
          with_not_in_effect, with_deleted, of_activity)
      offset 0
    ) asset;
end $$;

-- What an asset is found by, a number for each field of its metadata: a text as it is, anything else by its JSON. A field given twice
-- has its last value. The first 500 are enough for people, and a megabyte of fields would take a second to index.
create or replace function asset_fields(org_id integer, metadata json) returns bigint[]
language plpgsql immutable parallel safe cost 10000 as $$
begin
  if metadata::text = '{}' then
    return '{}';
  end if;
  return array(
    select hashtextextended(concat(org_id, ':', char_length(key), ':', key, coalesce(last, 'null')), 0)
    from (
      select key, (array_agg(value order by place desc))[1] as last
      from (
        select key, value, place from json_each_text(metadata) with ordinality as each (key, value, place) limit 500
      ) given
      group by key
    ) field
  );
end $$;

-- The assets of an organization whose metadata has all these fields, given as an object of texts, with what they can be sorted by.
-- Rights and policy as for `find_by_text`. The index alone leads to them: computing the fields of others would take far longer, and
-- of a bitmap without room for each row all rows of a page would be computed.
create or replace function find_assets_by_metadata(
  of_org_id integer, wanted json, with_not_in_effect boolean, with_deleted boolean, of_activity boolean
) returns table (id integer, external_key text, name text, created_at timestamptz, updated_at timestamptz)
language plpgsql stable security definer rows 1000 set search_path = pg_catalog, public, pg_temp
  set enable_seqscan = off set enable_indexscan = off set enable_indexonlyscan = off set enable_bitmapscan = on
  set plan_cache_mode = force_generic_plan set work_mem = '64MB' set jit = off
as $$
declare
  fields bigint[] := asset_fields(of_org_id, wanted);
begin
  if of_org_id is distinct from current_org_id() then
    return;
  end if;
  return query
    select asset.id, asset.external_key, asset.name, asset.created_at, asset.updated_at from assets asset
    where asset.org_id = of_org_id and asset_fields(asset.org_id, asset.metadata) @> fields
      and is_listed(asset.valid_from, asset.valid_to, asset.deleted_at, asset.is_active,
        with_not_in_effect, with_deleted, of_activity);
end $$;
