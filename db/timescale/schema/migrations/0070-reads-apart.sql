-- For each asset, between which of its reads so much time passed, from the last read before `sinces` on, and up to the last
-- that began by `begun_by`; `until` is null where it was not read again before `known_until`. From the raw scans as far as
-- they are kept.
--
-- It leaps from read to read, each time to the last one that is nearer than `aparts`: of an asset that is read every ten
-- seconds, in leaps of 30 minutes, a week is 336 looks into the index instead of 60,480 rows.
--
-- As `last_seen_before` (0064): the API has no business with raw scans. The settings leave no plan but the index.
create function reads_apart(
  of_org_id integer, asset_ids integer[], sinces timestamptz[], begun_by timestamptz[], aparts interval[],
  known_until timestamptz, most integer
) returns table (asset_id integer, since timestamptz, until timestamptz)
language sql stable security definer
set search_path = pg_catalog, public, pg_temp set enable_seqscan = off set enable_bitmapscan = off set jit = off as $$
  with recursive leap as (
    select given.asset_id, given.begun_by, given.apart, null::timestamptz as since, coalesce((
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
    select leap.asset_id, leap.begun_by, leap.apart, case when near.at is null then leap.reached end,
      coalesce(near.at, (
        select scan.observed_at from scan_events scan
        where scan.org_id = of_org_id and scan.asset_id = leap.asset_id and scan.observed_at > leap.reached
          and scan.observed_at < known_until and scan.retraction_id is null
        order by scan.observed_at limit 1
      ))
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
    where leap.reached <= leap.begun_by
  )
  select asset_id, since, reached from leap where since is not null limit most
$$;
