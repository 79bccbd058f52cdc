-- What people take back of what they scanned with handhelds (tracking rule 10). Kept for good if it took anything back:
-- it says who did, and when. `indexes`: of scans in the submission, ascending. `handheld_id`: only scans of this handheld
-- are taken back; null for any. `taken_back`: how many scans it has marked so far.
create table retractions (
  org_id integer not null,
  id text collate "C" not null,
  submission_id text collate "C" not null,
  indexes integer[] not null,
  handheld_id integer,
  actor_type text not null,
  actor_id text not null,
  request_id text,
  received_at timestamptz not null,
  taken_back integer not null default 0,
  answer json not null,
  constraint retractions__org_id_id primary key (org_id, id),
  constraint retractions__org_id foreign key (org_id) references organizations (id),
  constraint retractions__org_id_handheld_id foreign key (org_id, handheld_id) references handhelds (org_id, id)
);
create index retractions__org_id_submission_id on retractions (org_id, submission_id);
create index retractions__received_at on retractions (received_at) where taken_back = 0;

alter table retractions enable row level security, force row level security;
create policy own_organization on retractions to tagtrail_api
  using (org_id = current_org_id()) with check (org_id = current_org_id());
create policy every_organization on retractions to tagtrail_service using (true) with check (true);

-- The retraction that took the scan back; null for all others, which costs their rows no byte. A scan that was taken back
-- keeps its identity, and makes no history.
alter table scan_events add column retraction_id text collate "C";

-- As before (0026), without scans that were taken back: `last_seen` of their assets is another.
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
