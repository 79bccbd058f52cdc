-- When the assets of an organization's latest scans were last seen, those aside that were last seen at the instant of the
-- oldest of these scans. Whatever was seen later than that is among them, so these are the assets that were seen last. The
-- report's first page, latest first, thus reads scans from the end of indexes that are there anyway; one of positions by
-- time would double what recording a scan takes.
--
-- The API has no business with raw scans, so this runs with its owner's rights and tells nothing that positions do not, to
-- the organization that the request has named. The settings leave no plan but from the ends of both indexes.
create function latest_scanned(of_org_id integer, scans integer)
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
            where scan.org_id = of_org_id and scan.submission_id is not null
            order by scan.observed_at desc limit scans)
        ) each_source
        order by observed_at desc limit scans
      ) latest
      group by latest.asset_id
    ) seen
    where seen.at > seen.oldest;
end $$;
