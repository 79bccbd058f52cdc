-- What observes tags: fixed readers with their antennas, and handhelds; and the formats readers speak.

-- A user's own formats; the built-in ones are files. Formats belong to the installation, not to an organization.
create table formats (
  name text collate "C" not null,
  definition jsonb not null,
  created_at timestamptz not null default now(),
  constraint formats__name primary key (name)
);

create table readers (
  org_id integer not null,
  id integer generated always as identity,
  name text not null,
  topic text not null,
  format text not null,
  time_policy text,
  identity_policy text,
  report_unknown boolean,
  mqtt_username text collate "C" not null,
  mqtt_password_sha256 bytea not null,
  created_at timestamptz not null default now(),
  deleted_at timestamptz,
  constraint readers__org_id_id primary key (org_id, id),
  constraint readers__org_id foreign key (org_id) references organizations (id),
  constraint readers__mqtt_username unique (mqtt_username),
  constraint readers__name check (char_length(name) between 1 and 255),
  constraint readers__time_policy check (time_policy in ('device', 'receive')),
  constraint readers__identity_policy check (identity_policy in ('mac', 'ibeacon', 'eddystone', 'raw')),
  constraint readers__mqtt_password_sha256 check (octet_length(mqtt_password_sha256) = 32)
);
create unique index readers__org_id_name on readers (org_id, name) where deleted_at is null;

create table antennas (
  org_id integer not null,
  reader_id integer not null,
  port smallint not null,
  location_id integer,
  min_rssi double precision,
  is_enabled boolean not null default true,
  constraint antennas__org_id_reader_id_port primary key (org_id, reader_id, port),
  constraint antennas__org_id_reader_id foreign key (org_id, reader_id) references readers (org_id, id),
  constraint antennas__org_id_location_id foreign key (org_id, location_id) references locations (org_id, id),
  constraint antennas__port check (port > 0)
);
create index antennas__org_id_location_id on antennas (org_id, location_id);

-- What became of every read of a reader. Written with the scans, in one transaction, so that at any time
-- reads = recorded + duplicates + unknown + unplaced + rejected. Apart from `readers`, whose changes are announced.
create table reader_counters (
  org_id integer not null,
  reader_id integer not null,
  messages bigint not null default 0,
  messages_rejected bigint not null default 0,
  reads bigint not null default 0,
  recorded bigint not null default 0,
  duplicates bigint not null default 0,
  unknown bigint not null default 0,
  unplaced bigint not null default 0,
  rejected bigint not null default 0,
  ignored bigint not null default 0,
  last_message_at timestamptz,
  constraint reader_counters__org_id_reader_id primary key (org_id, reader_id),
  constraint reader_counters__org_id_reader_id_fkey foreign key (org_id, reader_id) references readers (org_id, id),
  constraint reader_counters__reads check (reads = recorded + duplicates + unknown + unplaced + rejected)
) with (fillfactor = 50);

create table handhelds (
  org_id integer not null,
  id integer generated always as identity,
  name text not null,
  token_sha256 bytea not null,
  created_at timestamptz not null default now(),
  revoked_at timestamptz,
  constraint handhelds__org_id_id primary key (org_id, id),
  constraint handhelds__org_id foreign key (org_id) references organizations (id),
  constraint handhelds__name check (char_length(name) between 1 and 255),
  constraint handhelds__token_sha256 check (octet_length(token_sha256) = 32)
);

-- A submission is answered once: a repeat gets the stored answer.
create table submissions (
  org_id integer not null,
  id text collate "C" not null,
  handheld_id integer not null,
  body_sha256 bytea not null,
  received_at timestamptz not null default now(),
  answer json not null,
  constraint submissions__org_id_id primary key (org_id, id),
  constraint submissions__org_id_handheld_id foreign key (org_id, handheld_id) references handhelds (org_id, id),
  constraint submissions__body_sha256 check (octet_length(body_sha256) = 32)
);

-- Every process that holds the registry of readers hears of a change when it commits.
create function notify_registry_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('registry_changed', '');
  return null;
end $$;

create trigger readers_changed after insert or update or delete on readers
  for each statement execute function notify_registry_changed();
create trigger antennas_changed after insert or update or delete on antennas
  for each statement execute function notify_registry_changed();
create trigger formats_changed after insert or update or delete on formats
  for each statement execute function notify_registry_changed();
create trigger organizations_registry_changed after update of deleted_at or delete on organizations
  for each statement execute function notify_registry_changed();
