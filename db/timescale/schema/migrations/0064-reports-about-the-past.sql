-- When an asset was last seen before an instant, from the raw scans as far as they are kept; with `known_before`, of those
-- that had been received by then, as they counted then: what was taken back later did.
--
-- As `latest_scanned` (0026): the API has no business with raw scans. The settings leave no plan but from the end of an index.
create function last_seen_before(
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

-- What was recorded at an instant or later and has no position in the feed yet, in the order it is to get. The API has no
-- privilege on the queue either.
create function unsealed_since(of_org_id integer, instant timestamptz)
returns table (asset_id integer, id bigint, part integer, since timestamptz, rows json)
language plpgsql stable security definer rows 100
set search_path = pg_catalog, public, pg_temp as $$
begin
  if of_org_id is distinct from current_org_id() then
    return;
  end if;
  return query
    select unsealed.asset_id, unsealed.id, unsealed.part, unsealed.since, unsealed.rows
    from unsealed_moves unsealed
    where unsealed.org_id = of_org_id and unsealed.recorded_at >= instant;
end $$;
