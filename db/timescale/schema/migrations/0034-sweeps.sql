-- What people found when they swept a place: kept for good, as evidence of what was there and what was not.

-- `began_at`, `ended_at`: by this service's clock. `expected`, `found`, `moved_here`, `missing`, `unknown`: how many
-- different assets or tag values each list has, so that a page of sweeps is read without their assets. `unknown_tags`:
-- tag values as they were sent, in their order.
create table sweeps (
  org_id integer not null,
  id text collate "C" not null,
  handheld_id integer not null,
  body_sha256 bytea not null,
  received_at timestamptz not null,
  location_id integer not null,
  began_at timestamptz not null,
  ended_at timestamptz not null,
  include_descendants boolean not null,
  expected integer not null,
  found integer not null,
  moved_here integer not null,
  missing integer not null,
  unknown integer not null,
  unknown_tags text[] not null,
  constraint sweeps__org_id_id primary key (org_id, id),
  constraint sweeps__body_sha256 check (octet_length(body_sha256) = 32),
  constraint sweeps__ended_at check (ended_at >= began_at),
  constraint sweeps__org_id_handheld_id foreign key (org_id, handheld_id) references handhelds (org_id, id),
  constraint sweeps__org_id_location_id foreign key (org_id, location_id) references locations (org_id, id)
);
create index sweeps__org_id_ended_at on sweeps (org_id, ended_at, id);
create index sweeps__org_id_location_id_ended_at on sweeps (org_id, location_id, ended_at);

-- An asset of a sweep, and the lists that it was in. Without foreign keys: ids are kept as the device sent them, whether
-- or not the organization has such assets, and a sweep has up to 40,000 rows, which are written with it and stay.
create table sweep_assets (
  org_id integer not null,
  sweep_id text collate "C" not null,
  asset_id integer not null,
  expected boolean not null,
  found boolean not null,
  moved_here boolean not null,
  missing boolean not null,
  constraint sweep_assets__org_id_sweep_id_asset_id primary key (org_id, sweep_id, asset_id)
);

-- A device may name a place by its key that was deleted while it was offline.
create index locations__org_id_external_key_deleted on locations (org_id, external_key, deleted_at)
  where deleted_at is not null;

do $$
declare
  tenant_table text;
begin
  foreach tenant_table in array array['sweeps', 'sweep_assets'] loop
    execute format('alter table %I enable row level security, force row level security', tenant_table);
    execute format(
      'create policy own_organization on %I to tagtrail_api
       using (org_id = current_org_id()) with check (org_id = current_org_id())', tenant_table);
    execute format(
      'create policy every_organization on %I to tagtrail_service using (true) with check (true)', tenant_table);
  end loop;
end $$;
