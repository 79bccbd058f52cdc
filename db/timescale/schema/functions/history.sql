-- Counts of histories, and what is read from raw scans.

create or replace function keep_history_mark() returns trigger language plpgsql as $$
declare
  changed public.location_transitions := case when tg_op = 'INSERT' then new else old end;
begin
  update public.history_marks set stays = stays + case when tg_op = 'INSERT' then 1 else -1 end
  where org_id = changed.org_id and asset_id = changed.asset_id and observed_at = (
    select mark.observed_at from public.history_marks mark
    where mark.org_id = changed.org_id and mark.asset_id = changed.asset_id
      and mark.observed_at >= changed.observed_at
    order by mark.observed_at limit 1
  );
  return null;
end $$;

-- Marks instants at which histories have rows, after these have been written, by whoever holds the positions. No mark is
-- ever later than the asset was last seen.
create or replace function mark_histories(org_ids integer[], asset_ids integer[], instants timestamptz[]) returns void
language plpgsql as $$
declare
  made record;
  before timestamptz;
  counted bigint;
begin
  for made in
    select * from unnest(org_ids, asset_ids, instants) as given (org_id, asset_id, observed_at) order by 1, 2, 3
  loop
    continue when exists (
      select from history_marks
      where org_id = made.org_id and asset_id = made.asset_id and observed_at = made.observed_at
    ) or not exists (
      select from location_transitions
      where org_id = made.org_id and asset_id = made.asset_id and observed_at = made.observed_at);
    before := coalesce((
      select observed_at from history_marks
      where org_id = made.org_id and asset_id = made.asset_id and observed_at < made.observed_at
      order by observed_at desc limit 1), '-infinity');
    counted := (
      select count(*) from location_transitions
      where org_id = made.org_id and asset_id = made.asset_id
        and observed_at > before and observed_at <= made.observed_at);
    update history_marks set stays = stays - counted
    where org_id = made.org_id and asset_id = made.asset_id and observed_at = (
      select observed_at from history_marks
      where org_id = made.org_id and asset_id = made.asset_id and observed_at > made.observed_at
      order by observed_at limit 1);
    insert into history_marks (org_id, asset_id, observed_at, stays)
    values (made.org_id, made.asset_id, made.observed_at, counted);
  end loop;
end $$;

-- Makes all marks from the rows; recorders wait, readers do not. For copies of a database, and for an administrator
-- who brought rows in or out past the triggers.
create or replace function recount_histories() returns void language sql as $$
  lock table location_transitions in share row exclusive mode;
  delete from history_marks;
  insert into history_marks (org_id, asset_id, observed_at, stays)
  select org_id, asset_id, observed_at, 512
  from (
    select org_id, asset_id, observed_at,
      row_number() over (partition by org_id, asset_id order by observed_at) as number
    from location_transitions
  ) numbered
  where number % 512 = 0;
$$;
revoke execute on function mark_histories, recount_histories from public;
grant execute on function mark_histories to tagtrail_service;

-- When the assets of an organization's latest scans were last seen, except those that were last seen at the instant
-- of the oldest of these scans. Whatever was seen later than that is among them, so these are the assets that were
-- seen last. The report's first page, latest first, thus reads scans from the end of indexes that are there anyway;
-- one of positions by time would double what recording a scan takes. Scans that were taken back do not count.
--
-- The API has no business with raw scans, so this runs with its owner's rights and tells nothing that positions do
-- not, to the organization that the request has named. The settings leave no plan but from the ends of both indexes.
create or replace function latest_scanned(of_org_id integer, scans integer)
returns table (asset_id integer, last_seen timestamptz)
language plpgsql stable security definer rows 400
set search_path = pg_catalog, public, pg_temp set enable_seqscan = off set enable_bitmapscan = off as $$
begin
  if of_org_id is distinct from current_org_id() then
    return;
  end if;
  return query
    select seen.asset_id, seen.at
    from (
      select latest.asset_id, max(latest.observed_at) as at, min(min(latest.observed_at)) over () as oldest
      from (
        select * from (
          (select scan.asset_id, scan.observed_at from scan_events scan
            where scan.org_id = of_org_id and scan.reader_id is not null
            order by scan.observed_at desc limit scans)
          union all
          (select scan.asset_id, scan.observed_at from scan_events scan
            where scan.org_id = of_org_id and scan.submission_id is not null and scan.retraction_id is null
            order by scan.observed_at desc limit scans)
        ) each_source
        order by observed_at desc limit scans
      ) latest
      group by latest.asset_id
    ) seen
    where seen.at > seen.oldest;
end $$;

-- When an asset was last seen before an instant, from the raw scans as far as they are kept; with `known_before`, of
-- those that had been received by then, as they counted then: those that were taken back later did.
--
-- As with `latest_scanned`, the API has no business with raw scans. The settings leave no plan but from the end of an
-- index.
create or replace function last_seen_before(
  of_org_id integer, of_asset_id integer, since timestamptz, until timestamptz, known_before timestamptz
) returns timestamptz
language plpgsql stable security definer
set search_path = pg_catalog, public, pg_temp set enable_seqscan = off set enable_bitmapscan = off as $$
begin
  if of_org_id is distinct from current_org_id() then
    return null;
  end if;
  return (
    select scan.observed_at from scan_events scan
    where scan.org_id = of_org_id and scan.asset_id = of_asset_id
      and scan.observed_at >= since and scan.observed_at < until
      and (known_before is null or scan.received_at < known_before)
      and (scan.retraction_id is null or exists (
        select from retractions
        where retractions.org_id = of_org_id and retractions.id = scan.retraction_id
          and retractions.received_at >= known_before
      ))
    order by scan.observed_at desc limit 1
  );
end $$;

-- For each asset, between which of its reads so much time passed, from the last read before `sinces` on, and up to
-- the last that began by `begun_by`; `until` is null where it was not read again before `known_until`. From the raw
-- scans as far as they are kept.
--
-- It leaps from read to read, each time to the last one that is nearer than `aparts`: of an asset that is read every
-- ten seconds, in leaps of 30 minutes, a week is 336 looks into the index instead of 60,480 rows. Where none is nearer, it
-- takes the next hundred at once: one look asks the index of every chunk.
--
-- As with `last_seen_before`, the API has no business with raw scans. The settings leave no plan but the index.
create or replace function reads_apart(
  of_org_id integer, asset_ids integer[], sinces timestamptz[], begun_by timestamptz[], aparts interval[],
  known_until timestamptz, most integer
) returns table (asset_id integer, since timestamptz, until timestamptz)
language sql stable security definer
set search_path = pg_catalog, public, pg_temp set enable_seqscan = off set enable_bitmapscan = off set jit = off as $$
  with recursive leap as (
    select given.asset_id, given.begun_by, given.apart, null::timestamptz[] as reads, coalesce((
        select position.last_seen from positions position
        where position.org_id = of_org_id and position.asset_id = given.asset_id and position.last_seen <= given.since
      ), (
        select scan.observed_at from scan_events scan
        where scan.org_id = of_org_id and scan.asset_id = given.asset_id and scan.observed_at <= given.since
          and scan.observed_at < known_until and scan.retraction_id is null
        order by scan.observed_at desc limit 1
      ), (
        select scan.observed_at from scan_events scan
        where scan.org_id = of_org_id and scan.asset_id = given.asset_id and scan.observed_at > given.since
          and scan.observed_at < known_until and scan.retraction_id is null
        order by scan.observed_at limit 1
      )) as reached
    from unnest(asset_ids, sinces, begun_by, aparts) as given (asset_id, since, begun_by, apart)
    where of_org_id = current_org_id()
    union all
    select leap.asset_id, leap.begun_by, leap.apart, next.reads,
      coalesce(near.at, nullif(next.reads[cardinality(next.reads)], leap.reached))
    from leap
    cross join lateral (
      select (
        select scan.observed_at from scan_events scan
        where scan.org_id = of_org_id and scan.asset_id = leap.asset_id and scan.observed_at > leap.reached
          and scan.observed_at < least(leap.reached + leap.apart, known_until) and scan.retraction_id is null
        order by scan.observed_at desc limit 1
      ) as at
      offset 0
    ) near
    cross join lateral (
      select case when near.at is null then leap.reached || array(
        select scan.observed_at from scan_events scan
        where scan.org_id = of_org_id and scan.asset_id = leap.asset_id and scan.observed_at > leap.reached
          and scan.observed_at < known_until and scan.retraction_id is null
        order by scan.observed_at limit 100
      ) end as reads
      offset 0
    ) next
    where leap.reached <= leap.begun_by
  )
  select leap.asset_id, pair.since, pair.until
  from leap cross join lateral (
    select read as since, lead(read) over (order by place) as until
    from unnest(leap.reads) with ordinality as each (read, place)
  ) pair
  where pair.since <= leap.begun_by
    and case when pair.until is null then leap.reached is null else pair.until >= pair.since + leap.apart end
  limit most
$$;
