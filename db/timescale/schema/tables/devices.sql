-- What reads tags: fixed readers with their antennas, and handhelds; the formats that readers speak, and the sessions
-- in which they are heard.

-- Formats that users wrote; the built-in ones are files. `source` is the format as it was written, with its keys in
-- the order of its author, which `jsonb` does not keep; `definition` is what it means, and refuses text that no table
-- can hold. `org_id`: the organization whose administrators wrote it in the console, which no other sees or uses;
-- null for those of the command line, which are the installation's. Names are unique among all of them, as readers
-- have formats by name.
create table formats (
  name text collate "C" not null,
  definition jsonb not null,
  created_at timestamptz not null default now(),
  source json not null,
  org_id integer,
  constraint formats__name primary key (name),
  constraint formats__org_id foreign key (org_id) references organizations (id)
);
alter table formats replica identity full;
create trigger formats_changed after insert or delete or update on formats
  for each row execute function notify_registry_changed();

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
  last_used_at timestamptz,
  constraint readers__org_id_id primary key (org_id, id),
  constraint readers__org_id foreign key (org_id) references organizations (id),
  constraint readers__mqtt_username unique (mqtt_username),
  constraint readers__name check (char_length(name) between 1 and 255),
  constraint readers__time_policy check (time_policy in ('device', 'receive')),
  constraint readers__identity_policy check (identity_policy in ('mac', 'ibeacon', 'eddystone', 'raw')),
  constraint readers__mqtt_password_sha256 check (octet_length(mqtt_password_sha256) = 32)
);
create unique index readers__org_id_name on readers (org_id, name) where deleted_at is null;
-- Readers are looked up by their id alone, too.
create index readers__id on readers (id);
-- Readers whose topic begins with the same levels, in front of wildcards, are those that a new topic may overlap.
create index readers__fixed_levels
  on readers ((left(regexp_replace(topic, '(^|/)[+#](/.*)?$', ''), 512) collate "C")) where deleted_at is null;
create trigger readers_deleted_revise after update on readers for each row
  when (new.deleted_at is not null and old.deleted_at is null)
  execute function revise_silences_of_deleted();
create trigger readers_revise_alerts after update on readers for each row
  when (old.deleted_at is distinct from new.deleted_at)
  execute function revise_alerts_of_row('reader', 'id', 'deleted_at');
create trigger readers_changed after insert or delete or update of org_id, id, name, topic, format, time_policy,
  identity_policy, report_unknown, mqtt_username, mqtt_password_sha256, created_at, deleted_at on readers
  for each row execute function notify_registry_changed();

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
create trigger antennas_inserted_version after insert on antennas for each row execute function write_antenna_version();
create trigger antennas_updated_version after update on antennas for each row
  when ((old.location_id, old.is_enabled) is distinct from (new.location_id, new.is_enabled))
  execute function write_antenna_version();
create trigger antennas_changed after insert or delete or update on antennas
  for each row execute function notify_registry_changed();

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
create trigger antenna_versions_revise_alerts after insert on antenna_versions for each row
  when (new.location_id is not null) execute function revise_alerts_of_row('location', 'location_id', 'since');

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
  -- How long the reader's quota held it back.
  throttled_ms bigint not null default 0,
  -- The least received minus observed of each of the last minutes in which it sent times of its own, in milliseconds,
  -- the last one last; and which minute that is, since 1970 (domain/administration/readers/reader-clock.ts).
  clock_minute integer,
  clock_offsets_ms bigint[] not null default '{}',
  -- The reader's last stretch of messages (`reader_spans`), by the service's clock; null until it is heard.
  -- `heard_late`: stretches that a commit hands to the trigger, as `[[micros since 1970, micros, messages]]`; never
  -- stored.
  heard_since timestamptz,
  heard_until timestamptz,
  heard_messages bigint,
  heard_late jsonb,
  -- When the last message was received whose reads came in time, and the last whose reads came late. `in_time_before`
  -- hands the trigger `end_delays` what was received in time before something late that is already known, from another
  -- process; always null in the table.
  in_time_at timestamptz,
  late_at timestamptz,
  in_time_before timestamptz,
  constraint reader_counters__org_id_reader_id primary key (org_id, reader_id),
  constraint reader_counters__org_id_reader_id_fkey foreign key (org_id, reader_id) references readers (org_id, id),
  constraint reader_counters__reads check (reads = recorded + duplicates + unknown + unplaced + rejected)
) with (fillfactor = 50);
create trigger reader_counters_heard before update on reader_counters for each row
  when (new.heard_since is distinct from old.heard_since or new.heard_late is not null)
  execute function keep_heard_stretches();
create trigger reader_counters_first_heard after insert on reader_counters for each row
  when (new.heard_late is not null)
  execute function keep_first_stretches();
create trigger reader_counters_first_revise after insert on reader_counters for each row
  when (new.heard_since is not null)
  execute function revise_silences_of_first();
create trigger reader_counters_in_time_before before update on reader_counters for each row
  when (new.in_time_before is not null) execute function end_delays();

create table handhelds (
  org_id integer not null,
  id integer generated always as identity,
  name text not null,
  token_sha256 bytea not null,
  created_at timestamptz not null default now(),
  revoked_at timestamptz,
  -- Null for a token that does not expire.
  expires_at timestamptz,
  last_used_at timestamptz,
  constraint handhelds__org_id_id primary key (org_id, id),
  constraint handhelds__org_id foreign key (org_id) references organizations (id),
  constraint handhelds__name check (char_length(name) between 1 and 255),
  constraint handhelds__token_sha256 check (octet_length(token_sha256) = 32),
  constraint handhelds__id unique (id)
);
create trigger handhelds_changed after update of revoked_at, expires_at, token_sha256 or delete on handhelds
  for each statement execute function notify_access_changed();

-- Sessions that ingestion has at MQTT brokers. A broker keeps messages for each under its client id, so a session is
-- never let go of while it may be the only one that is subscribed to a reader's topic.
--
-- `realm`: the broker and the group of processes that divide its messages. `is_divided`: one of those among which the
-- readers are divided, held by one process at a time; otherwise the own session of the process of that client id.
-- `holder`: the client id of the process that has it, until `held_until` unless it says so again.
-- `forgotten_at`: when the broker was last found to have lost it, with what was queued there.
create table broker_sessions (
  realm text collate "C" not null,
  client_id text collate "C" not null,
  is_divided boolean not null,
  holder text collate "C",
  held_since timestamptz,
  held_until timestamptz,
  is_connected boolean not null default false,
  connected_at timestamptz,
  forgotten_at timestamptz,
  constraint broker_sessions__realm_client_id primary key (realm, client_id)
);

-- Topics that a session is known to be subscribed to: noted after the broker has said so, taken away before the
-- session lets go.
create table broker_subscriptions (
  realm text collate "C" not null,
  client_id text collate "C" not null,
  topic text collate "C" not null,
  constraint broker_subscriptions__realm_client_id_topic primary key (realm, client_id, topic),
  constraint broker_subscriptions__realm_client_id foreign key (realm, client_id)
    references broker_sessions (realm, client_id) on delete cascade
);
