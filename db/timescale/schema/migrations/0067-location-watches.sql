-- What can be said of an asset that is not read: nothing, unless somebody was listening where it is.

-- How a location is watched, from `valid_from` until its next row; rows are never changed, so what was said of then stays so.
-- `portal`: things pass, as at a location without a row. `continuous`: what is there is read again and again, at the
-- latest after `max_gap_seconds` (`is_learned`: by what was read there; null: not known yet), while `coverage` of its
-- antennas are up.
create table location_watches (
  org_id integer not null,
  location_id integer not null,
  valid_from timestamptz not null,
  mode text not null,
  max_gap_seconds integer,
  is_learned boolean not null,
  coverage text not null,
  constraint location_watches__org_id_location_id_valid_from primary key (org_id, location_id, valid_from),
  constraint location_watches__org_id_location_id foreign key (org_id, location_id) references locations (org_id, id),
  constraint location_watches__mode check (mode in ('portal', 'continuous')),
  constraint location_watches__max_gap_seconds check (max_gap_seconds between 1 and 86400),
  constraint location_watches__portal check (mode = 'continuous' or (max_gap_seconds is null and not is_learned)),
  constraint location_watches__is_learned check (is_learned or mode = 'portal' or max_gap_seconds is not null),
  constraint location_watches__coverage check (coverage in ('all', 'any'))
);

-- Where an antenna was, and whether it was enabled, from `since` until its next version. Kept by a trigger, whoever writes.
create table antenna_versions (
  org_id integer not null,
  reader_id integer not null,
  port smallint not null,
  since timestamptz not null,
  location_id integer,
  is_enabled boolean not null,
  constraint antenna_versions__org_id_reader_id_port_since primary key (org_id, reader_id, port, since),
  constraint antenna_versions__org_id_reader_id foreign key (org_id, reader_id) references readers (org_id, id)
);
create index antenna_versions__org_id_location_id_index on antenna_versions (org_id, location_id);

do $$
declare
  tenant_table text;
begin
  foreach tenant_table in array array['location_watches', 'antenna_versions'] loop
    execute format('alter table %I enable row level security, force row level security', tenant_table);
    execute format(
      'create policy own_organization on %I to tagtrail_api
       using (org_id = current_org_id()) with check (org_id = current_org_id())', tenant_table);
    execute format(
      'create policy every_organization on %I to tagtrail_service using (true) with check (true)', tenant_table);
  end loop;
end $$;

-- Writers of antennas wait, readers do not, so that none changes between its first version and the trigger.
lock table antennas in share row exclusive mode;

-- Where they were before is not known.
insert into antenna_versions (org_id, reader_id, port, since, location_id, is_enabled)
select antenna.org_id, antenna.reader_id, antenna.port, reader.created_at, antenna.location_id, antenna.is_enabled
from antennas antenna join readers reader on reader.org_id = antenna.org_id and reader.id = antenna.reader_id;

-- With its owner's rights: who changes antennas needs none on their versions.
create function write_antenna_version() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  -- A copy of the database brings the versions themselves.
  if current_setting('tagtrail.copying', true) = 'on' then
    return null;
  end if;
  insert into antenna_versions (org_id, reader_id, port, since, location_id, is_enabled)
  values (new.org_id, new.reader_id, new.port,
    greatest(clock_timestamp(), (
      select latest.since + interval '1 microsecond' from antenna_versions latest
      where latest.org_id = new.org_id and latest.reader_id = new.reader_id and latest.port = new.port
      order by latest.since desc limit 1)),
    new.location_id, new.is_enabled);
  return null;
end $$;
revoke execute on function write_antenna_version from public;

create trigger antennas_inserted_version after insert on antennas for each row execute function write_antenna_version();
create trigger antennas_updated_version after update on antennas for each row
  when ((old.location_id, old.is_enabled) is distinct from (new.location_id, new.is_enabled))
  execute function write_antenna_version();

-- The API reports whether assets are where they were seen last, by when readers listened there.
grant select on location_watches, antenna_versions, reader_spans, reader_proofs, reader_expectations to tagtrail_api;
grant select (org_id, id, name, deleted_at) on readers to tagtrail_api;
grant select (org_id, reader_id, heard_since, heard_until) on reader_counters to tagtrail_api;
