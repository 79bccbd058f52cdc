-- The tree of locations, and versions of locations and antennas.

-- The locations below one, or all of them, depth first, in time that grows with their number. A path for each row to sort
-- by grows with the square of the depth: 3 GB for a chain of 15,000.
--
-- 1. Level by level, each location learns what comes after everything below it: its next sibling, or else whatever comes
--    after everything below its parent.
-- 2. What comes after a location itself is its first child, or else what step 1 found. Following that from the start visits
--    every location once.
--
-- Children are looked up one parent at a time: a join may be planned as one that reads every location for each level.
create or replace function locations_below(of_org_id integer, root_id integer)
returns table (id integer, place integer) language plpgsql stable as $$
declare
  ids integer[];
  following integer[];
  places integer[];
  at integer;
  visited integer := 0;
begin
  with recursive tree as (
    (
      select location.id, location.parent_id, lower(location.external_key) as folded_key, location.external_key,
        lead(location.id) over siblings as behind
      from locations location
      where location.org_id = of_org_id and location.parent_id = root_id
      window siblings as (order by lower(location.external_key), location.external_key, location.id)
      union all
      select location.id, location.parent_id, lower(location.external_key), location.external_key,
        lead(location.id) over siblings
      from locations location
      where root_id is null and location.org_id = of_org_id and location.parent_id is null
      window siblings as (order by lower(location.external_key), location.external_key, location.id)
    )
    union all
    select child.id, child.parent_id, child.folded_key, child.external_key, coalesce(child.behind, tree.behind)
    from tree cross join lateral (
      select location.id, location.parent_id, lower(location.external_key) as folded_key, location.external_key,
        lead(location.id) over (order by lower(location.external_key), location.external_key, location.id) as behind
      from locations location
      where location.org_id = of_org_id and location.parent_id = tree.id
    ) child
  ),
  numbered as (
    select *, row_number() over (order by tree.parent_id, folded_key, external_key, tree.id)::integer as number from tree
  ),
  first_children as (
    select distinct on (parent_id) parent_id, number from numbered order by parent_id, number
  )
  select array_agg(each.id order by each.number),
    array_agg(coalesce(child.number, behind.number) order by each.number),
    min(each.number) filter (where each.parent_id is not distinct from root_id)
  into ids, following, at
  from numbered each
  left join first_children child on child.parent_id = each.id
  left join numbered behind on behind.id = each.behind;
  places := array_fill(0, array[coalesce(cardinality(ids), 0)]);
  while at is not null loop
    visited := visited + 1;
    places[at] := visited;
    at := following[at];
  end loop;
  return query select * from unnest(ids, places);
end $$;

-- With its owner's rights: who changes locations needs none on their versions.
--
-- A row below zero is an import's placeholder, and gets its first version with its id; an import also gives new rows
-- their parents afterwards. So a location that this transaction has made has one version, which is written anew.
--
-- Plans are kept for the session, and the first is made for one row, as a rule: without the settings, what joins 2,000
-- with 2,000 next would be a nested loop, and what finds the latest version would read the table.
create or replace function write_location_versions() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
set enable_nestloop = off set enable_seqscan = off set enable_bitmapscan = off as $$
begin
  -- A copy of the database brings the versions themselves.
  if current_setting('tagtrail.copying', true) = 'on' then
    return null;
  end if;
  if tg_op = 'INSERT' then
    insert into location_versions (
      org_id, location_id, since, external_key, name, parent_id, is_deleted, gln, biz_step, disposition)
    select org_id, id, created_at, external_key, name, parent_id, deleted_at is not null, gln, biz_step, disposition
    from new_rows where id > 0;
  else
    insert into location_versions as stored (
      org_id, location_id, since, external_key, name, parent_id, is_deleted, gln, biz_step, disposition)
    select after.org_id, after.id,
      case when before.id is null or after.created_at = now() then after.created_at
        else greatest(clock_timestamp(), (
          select latest.since + interval '1 microsecond' from location_versions latest
          where latest.org_id = after.org_id and latest.location_id = after.id
          order by latest.since desc limit 1
        )) end,
      after.external_key, after.name, after.parent_id, after.deleted_at is not null,
      after.gln, after.biz_step, after.disposition
    from new_rows after left join old_rows before on before.org_id = after.org_id and before.id = after.id
    where after.id > 0 and (
      before.id is null
      or (before.external_key, before.name, before.parent_id, before.deleted_at is null,
          before.gln, before.biz_step, before.disposition)
        is distinct from (after.external_key, after.name, after.parent_id, after.deleted_at is null,
          after.gln, after.biz_step, after.disposition)
    )
    on conflict (org_id, location_id, since) do update set
      external_key = excluded.external_key, name = excluded.name, parent_id = excluded.parent_id,
      is_deleted = excluded.is_deleted, gln = excluded.gln, biz_step = excluded.biz_step,
      disposition = excluded.disposition;
  end if;
  return null;
end $$;
revoke execute on function write_location_versions from public;

-- With its owner's rights: who changes antennas needs none on their versions.
create or replace function write_antenna_version() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  -- A copy of the database brings the versions themselves.
  if current_setting('tagtrail.copying', true) = 'on' then
    return null;
  end if;
  insert into antenna_versions (org_id, reader_id, port, since, location_id, is_enabled)
  values (new.org_id, new.reader_id, new.port,
    greatest(clock_timestamp(), (
      select latest.since + interval '1 microsecond' from antenna_versions latest
      where latest.org_id = new.org_id and latest.reader_id = new.reader_id and latest.port = new.port
      order by latest.since desc limit 1)),
    new.location_id, new.is_enabled);
  return null;
end $$;
revoke execute on function write_antenna_version from public;
