set local check_function_bodies = off;
\ir ../functions/location-sites.sql

-- Which procedure decides at which location an asset is, where several antennas hear it. A setting holds for scans observed from
-- `valid_from` on, until the next one of the same location; rows are never changed, so that history stays a function of the
-- scans whenever they arrive. It holds for the location and all below it that have none of their own; without a location,
-- for all of the organization. Without a row every scan states where the asset is.
create table location_settings (
  org_id integer not null,
  id integer generated always as identity,
  location_id integer,
  valid_from timestamptz not null,
  -- `inherit` ends a location's own setting.
  procedure text not null,
  certainty double precision,
  -- Strength of the tags at 1 m; null for the usual -55 dBm. Of `position` only.
  tag_dbm double precision,
  actor_type text,
  actor_id text collate "C",
  constraint location_settings__org_id_id primary key (org_id, id),
  constraint location_settings__org_id foreign key (org_id) references organizations (id),
  constraint location_settings__org_id_location_id foreign key (org_id, location_id) references locations (org_id, id),
  constraint location_settings__procedure check (
    procedure in ('every', 'strength', 'position') or (procedure = 'inherit' and location_id is not null)),
  constraint location_settings__certainty check (
    case when procedure in ('strength', 'position') then certainty is not null else certainty is null end
    and certainty between 0.1 and 10),
  constraint location_settings__tag_dbm check (
    tag_dbm is null or (procedure = 'position' and tag_dbm between -120 and 20)),
  constraint location_settings__actor check (num_nonnulls(actor_type, actor_id) in (0, 2))
);
create index location_settings__org_id_location_id_valid_from on location_settings (org_id, location_id, valid_from);

-- A number that rises with each change of what locations are decided by: settings, the tree of locations, antennas' offsets
-- and pins, plans. Only for organizations with settings.
create table location_sites (
  org_id integer not null,
  version bigint not null default 1,
  constraint location_sites__org_id primary key (org_id),
  constraint location_sites__org_id_fkey foreign key (org_id) references organizations (id)
);

-- Taken off each level of the antenna, in dB; and its height above the tags, in metres.
alter table antennas
  add column if not exists offset_db double precision not null default 0,
  add column if not exists height_m double precision not null default 1,
  add constraint antennas__offset_db check (offset_db between -100 and 100) not valid,
  add constraint antennas__height_m check (height_m between 0 and 100) not valid;

-- Two points of the image, x and y in turn as in `plan_places`, and their distance in metres.
alter table plans
  add column if not exists scale_points double precision[],
  add column if not exists scale_metres double precision,
  add constraint plans__scale check (
    num_nonnulls(scale_points, scale_metres) in (0, 2)
    and (scale_points is null or (cardinality(scale_points) = 4 and array_ndims(scale_points) = 1
      and 0 <= all (scale_points) and 1 >= all (scale_points)))
    and (scale_metres is null or (scale_metres > 0 and scale_metres <= 10000))) not valid;

-- Where an antenna hangs: x and y, each from 0 at the left or the top to 1.
create table plan_antennas (
  org_id integer not null,
  plan_id integer not null,
  reader_id integer not null,
  port smallint not null,
  x double precision not null,
  y double precision not null,
  constraint plan_antennas__org_id_plan_id_reader_id_port primary key (org_id, plan_id, reader_id, port),
  constraint plan_antennas__org_id_plan_id foreign key (org_id, plan_id) references plans (org_id, id),
  constraint plan_antennas__org_id_reader_id_port foreign key (org_id, reader_id, port)
    references antennas (org_id, reader_id, port),
  constraint plan_antennas__point check (x between 0 and 1 and y between 0 and 1)
);
create index plan_antennas__org_id_reader_id_port on plan_antennas (org_id, reader_id, port);

-- Where on a plan an asset is, in metres from the left and the top of the image, within a radius; the newest,
alter table positions
  add column if not exists position_plan_location_id integer,
  add column if not exists position_x real,
  add column if not exists position_y real,
  add column if not exists position_radius real,
  add column if not exists position_observed_at timestamptz;
-- by the plan that it is on,
create index if not exists positions__org_id_position_plan_location_id on positions (org_id, position_plan_location_id)
  where position_plan_location_id is not null;
-- and that of each transition.
alter table location_transitions
  add column if not exists position_plan_location_id integer,
  add column if not exists position_x real,
  add column if not exists position_y real,
  add column if not exists position_radius real;

create trigger location_settings_site after insert on location_settings referencing new table as new_rows
  for each statement execute function begin_location_sites();
create trigger location_settings_site_deleted after delete on location_settings referencing old table as new_rows
  for each statement execute function raise_location_sites();
create trigger locations_site_inserted after insert on locations referencing new table as new_rows
  for each statement execute function raise_location_sites();
create trigger locations_site_updated after update on locations
  referencing old table as old_rows new table as new_rows
  for each statement execute function raise_sites_of_moved_locations();
create trigger antennas_site after update of offset_db, height_m on antennas
  for each row when ((old.offset_db, old.height_m) is distinct from (new.offset_db, new.height_m))
  execute function raise_location_site();
create trigger plans_site after update of location_id, scale_points, scale_metres, width, height on plans
  for each row when (
    (old.location_id, old.scale_points, old.scale_metres, old.width, old.height)
    is distinct from (new.location_id, new.scale_points, new.scale_metres, new.width, new.height))
  execute function raise_location_site();
create trigger plan_antennas_site_inserted after insert on plan_antennas referencing new table as new_rows
  for each statement execute function raise_location_sites();
create trigger plan_antennas_site_updated after update on plan_antennas referencing new table as new_rows
  for each statement execute function raise_location_sites();
create trigger plan_antennas_site_deleted after delete on plan_antennas referencing old table as new_rows
  for each statement execute function raise_location_sites();
create trigger plan_places_site_inserted after insert on plan_places referencing new table as new_rows
  for each statement execute function raise_location_sites();
create trigger plan_places_site_updated after update on plan_places referencing new table as new_rows
  for each statement execute function raise_location_sites();
create trigger plan_places_site_deleted after delete on plan_places referencing old table as new_rows
  for each statement execute function raise_location_sites();

do $$
declare
  tenant_table text;
begin
  foreach tenant_table in array array['location_settings', 'location_sites', 'plan_antennas'] loop
    execute format('alter table %I enable row level security, force row level security', tenant_table);
    execute format(
      'create policy own_organization on %I to tagtrail_api
       using (org_id = current_org_id()) with check (org_id = current_org_id())', tenant_table);
    execute format(
      'create policy every_organization on %I to tagtrail_service using (true) with check (true)', tenant_table);
  end loop;
end $$;
grant select on location_settings, location_sites to tagtrail_api;
grant select, insert, update, delete on plan_antennas to tagtrail_api;
-- Which antennas can be put on a plan; what makes them count is none of its business.
grant select (org_id, reader_id, port, location_id) on antennas to tagtrail_api;
grant select on sequence location_settings_id_seq to tagtrail_access;

-- Smoothing is replaced: where it was on, strength decides, from then on and for what is kept of the scans.
insert into location_settings (org_id, location_id, valid_from, procedure, certainty, actor_type, actor_id)
select org_id, location_id, valid_from,
  case mode when 'on' then 'strength' when 'off' then 'every' else 'inherit' end,
  case mode when 'on' then 1 end, actor_type, actor_id
from smoothing_settings order by org_id, id;
insert into history_recomputations (org_id)
select distinct org_id from smoothing_settings where mode = 'on'
on conflict (org_id) do update set asset_id = 0, finished_at = null;
