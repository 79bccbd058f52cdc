-- Search (`q`) among assets looks at each row that has the text once, and decodes no index of whose rows they are where that
-- tells little.

-- Whether an asset is among those a list is of. In a function's place its body is planned (so nothing may be set here).
create function is_listed(
  valid_from timestamptz, valid_to timestamptz, deleted_at timestamptz, is_active boolean,
  with_not_in_effect boolean, with_deleted boolean, of_activity boolean
) returns boolean language sql stable parallel safe
return (with_not_in_effect or valid_from <= now() and (valid_to is null or valid_to > now()))
  and (with_deleted or deleted_at is null)
  and (of_activity is null or is_active = of_activity);

-- Whether most of a table's rows are an organization's, judged by 32 ids, evenly spread over those that were ever drawn. No
-- statistics are asked, which may be of a time before its import: without sorting, only the primary key gives the next id.
create function has_most_rows(of_org_id integer, of_table text) returns boolean
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

-- The assets of an organization that have a text in their name, key, description or in a live tag, letter case aside, with
-- what they can be sorted by. What `find_by_text` finds was looked up again for the other filters, which took two thirds of
-- the time. (It goes on for locations, and for assets as long as processes from before this are connected.)
--
-- The index has the organizations apart, and reading a million entries of one takes 5 ms, whatever is searched for. Where most
-- rows are its own, those of the trigrams are read alone, and others' rows left out by their organization; with less than
-- three letters in a row there is no trigram.
--
-- No plan depends on statistics, so they are made once for a connection. Bitmaps lead to the rows that have a text, and an
-- entry of an index is all that costs anything: the index of trigrams wins, whose entries are fewest. Without it, all
-- rows of the organization are read. To the assets of tags it is the primary key that leads: the other indexes are of live
-- ones, and whether those are wanted is not known when this is planned.
--
-- Rights and policy as for `find_by_text`.
create function find_assets_by_text(
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
