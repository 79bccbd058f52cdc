-- What tags measure: all of an instant in one row, as three rows would take the database three times as long. Of two values of one
-- kind and instant the greater stays, whichever comes first. Like raw scans a hypertable where TimescaleDB is installed, without
-- foreign keys.
create table tag_readings (
  org_id integer not null,
  asset_id integer not null,
  tag_id integer not null,
  observed_at timestamptz not null,
  battery_percent double precision,
  battery_volts double precision,
  temperature_c double precision,
  humidity_percent double precision,
  button double precision,
  motion double precision,
  constraint tag_readings__org_id_asset_id_observed_at_tag_id primary key (org_id, asset_id, observed_at, tag_id)
) with (autovacuum_vacuum_insert_scale_factor = 0.01);
do $$
begin
  if exists (select from pg_extension where extname = 'timescaledb') then
    perform create_hypertable('tag_readings', 'observed_at',
      chunk_time_interval => interval '1 day', create_default_indexes => false);
  end if;
end $$;

-- The newest value of each kind, one row for each tag that ever had one. By time of observation, and not of arrival.
-- Imports give tags their ids at the end: without a cascade, each former id would be looked for among the organization's tags.
create table newest_readings (
  org_id integer not null,
  tag_id integer not null,
  battery_percent double precision,
  battery_percent_at timestamptz,
  battery_volts double precision,
  battery_volts_at timestamptz,
  temperature_c double precision,
  temperature_c_at timestamptz,
  humidity_percent double precision,
  humidity_percent_at timestamptz,
  button double precision,
  button_at timestamptz,
  motion double precision,
  motion_at timestamptz,
  constraint newest_readings__org_id_tag_id primary key (org_id, tag_id),
  constraint newest_readings__org_id_tag_id_fkey foreign key (org_id, tag_id) references tags (org_id, id)
    on update cascade
) with (fillfactor = 50);

do $$
declare
  tenant_table text;
begin
  foreach tenant_table in array array['tag_readings', 'newest_readings'] loop
    execute format('alter table %I enable row level security, force row level security', tenant_table);
    execute format(
      'create policy own_organization on %I to tagtrail_api
       using (org_id = current_org_id()) with check (org_id = current_org_id())', tenant_table);
    execute format(
      'create policy every_organization on %I to tagtrail_service using (true) with check (true)', tenant_table);
  end loop;
end $$;
grant select on tag_readings, newest_readings to tagtrail_api;
