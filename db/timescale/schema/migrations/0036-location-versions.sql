-- What a location was called, its key and its parent, from `since` until its next version. Kept by triggers, whoever
-- writes.
create table location_versions (
  org_id integer not null,
  location_id integer not null,
  since timestamptz not null,
  external_key text collate "C" not null,
  name text collate "C" not null,
  parent_id integer,
  is_deleted boolean not null,
  constraint location_versions__org_id_location_id_since primary key (org_id, location_id, since)
);

alter table location_versions enable row level security, force row level security;
create policy own_organization on location_versions to tagtrail_api
  using (org_id = current_org_id()) with check (org_id = current_org_id());
create policy every_organization on location_versions to tagtrail_service using (true) with check (true);
grant select on location_versions to tagtrail_api;

-- Writers of locations wait, readers do not, so that none changes between its first version and the triggers.
lock table locations in share row exclusive mode;

-- What they were called before is not known.
insert into location_versions (org_id, location_id, since, external_key, name, parent_id, is_deleted)
select org_id, id, created_at, external_key, name, parent_id, false from locations
union all
select org_id, id, greatest(deleted_at, created_at + interval '1 microsecond'), external_key, name, parent_id, true
from locations where deleted_at is not null;

-- With its owner's rights: who changes locations needs none on their versions.
--
-- A row below zero is an import's placeholder, and gets its first version with its id; an import also gives new rows
-- their parents afterwards. So a location that this transaction has made has one version, which is written anew.
--
-- Plans are kept for the session, and the first is made for one row, as a rule: without the settings, what joins 2,000
-- with 2,000 next would be a nested loop, and what finds the latest version would read the table.
create function write_location_versions() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
set enable_nestloop = off set enable_seqscan = off set enable_bitmapscan = off as $$
begin
  -- A copy of the database brings the versions themselves.
  if current_setting('tagtrail.copying', true) = 'on' then
    return null;
  end if;
  if tg_op = 'INSERT' then
    insert into location_versions (org_id, location_id, since, external_key, name, parent_id, is_deleted)
    select org_id, id, created_at, external_key, name, parent_id, deleted_at is not null
    from new_rows where id > 0;
  else
    insert into location_versions as stored (org_id, location_id, since, external_key, name, parent_id, is_deleted)
    select after.org_id, after.id,
      case when before.id is null or after.created_at = now() then after.created_at
        else greatest(clock_timestamp(), (
          select latest.since + interval '1 microsecond' from location_versions latest
          where latest.org_id = after.org_id and latest.location_id = after.id
          order by latest.since desc limit 1
        )) end,
      after.external_key, after.name, after.parent_id, after.deleted_at is not null
    from new_rows after left join old_rows before on before.org_id = after.org_id and before.id = after.id
    where after.id > 0 and (
      before.id is null
      or (before.external_key, before.name, before.parent_id, before.deleted_at is null)
        is distinct from (after.external_key, after.name, after.parent_id, after.deleted_at is null)
    )
    on conflict (org_id, location_id, since) do update set
      external_key = excluded.external_key, name = excluded.name, parent_id = excluded.parent_id,
      is_deleted = excluded.is_deleted;
  end if;
  return null;
end $$;
revoke execute on function write_location_versions from public;

create trigger locations_inserted_version after insert on locations referencing new table as new_rows
  for each statement execute function write_location_versions();
create trigger locations_updated_version after update on locations
  referencing old table as old_rows new table as new_rows
  for each statement execute function write_location_versions();
