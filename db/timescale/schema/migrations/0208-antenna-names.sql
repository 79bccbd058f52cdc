-- Antennas that devices name, or whose port is beyond the range of `port`, have a number of their own there, below 0: all that
-- refers to an antenna refers to that.
alter table antennas
  add column if not exists name text collate "C",
  add column if not exists device_port integer,
  drop constraint antennas__port,
  add constraint antennas__port check (
    port > 0 and device_port is null or port < 0 and num_nonnulls(name, device_port) > 0) not valid,
  add constraint antennas__name check (char_length(name) between 1 and 64) not valid,
  add constraint antennas__device_port check (device_port between 1 and 65535) not valid;
create unique index if not exists antennas__org_id_reader_id_name on antennas (org_id, reader_id, name) where name is not null;
create unique index if not exists antennas__org_id_reader_id_device_port on antennas (org_id, reader_id, device_port)
  where device_port is not null;
grant select (name, device_port) on antennas to tagtrail_api;

-- Antennas that messages of a reader named and nobody had registered, at most 100 of a reader, the latest. A port is named by its
-- digits; the name is empty where a message named none and the reader has several.
create table unplaced_antennas (
  org_id integer not null,
  reader_id integer not null,
  name text collate "C" not null,
  reads bigint not null,
  last_read_at timestamptz not null,
  constraint unplaced_antennas__org_id_reader_id_name primary key (org_id, reader_id, name),
  constraint unplaced_antennas__org_id_reader_id foreign key (org_id, reader_id) references readers (org_id, id)
);
alter table unplaced_antennas enable row level security, force row level security;
create policy own_organization on unplaced_antennas to tagtrail_api
  using (org_id = current_org_id()) with check (org_id = current_org_id());
create policy every_organization on unplaced_antennas to tagtrail_service using (true) with check (true);
