-- Moves published over MQTT.

-- Moves out over MQTT. How far an organization's feed has been published, and to where: if that changes, everything is
-- published once more. `snapshot_after`: the last asset of the snapshot that publishing begins with; null once it is over.
create table mqtt_feeds (
  org_id integer not null,
  target text not null,
  position bigint not null,
  snapshot_after integer,
  constraint mqtt_feeds__org_id primary key (org_id),
  constraint mqtt_feeds__org_id_fkey foreign key (org_id) references organizations (id)
);

-- Topics at which the broker may keep a message, written before it is sent one. `digest`: of the last payload that it
-- acknowledged; null if that is unknown. `told_at`: events of the asset from before that are out of date.
create table mqtt_topics (
  org_id integer not null,
  asset_id integer not null,
  topic text collate "C" not null,
  digest bytea,
  told_at timestamptz,
  -- When the broker last acknowledged a message at the topic: one that is killed forgets what it has not written to
  -- disk. So topics that were cleared stay noted for a while, too; their `digest` is empty.
  sent_at timestamptz,
  constraint mqtt_topics__org_id_asset_id_topic primary key (org_id, asset_id, topic)
);
create index mqtt_topics__org_id_topic on mqtt_topics (org_id, topic);

-- Assets and locations that have another name, key or place in the tree than was published. `mark`: the transaction,
-- so that a later change is not taken for one that was published. `done_after`: the last asset of a location that was
-- published again.
create table mqtt_outdated (
  org_id integer not null,
  asset_id integer not null default 0,
  location_id integer not null default 0,
  mark bigint not null default pg_current_xact_id()::text::bigint,
  done_after integer not null default 0,
  constraint mqtt_outdated__org_id_asset_id_location_id primary key (org_id, asset_id, location_id)
);

-- Logins by which programs read published moves at the embedded broker.
create table mqtt_consumers (
  org_id integer not null,
  id integer generated always as identity,
  name text collate "C" not null,
  password_sha256 bytea not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  constraint mqtt_consumers__org_id_id primary key (org_id, id),
  constraint mqtt_consumers__id unique (id),
  constraint mqtt_consumers__org_id foreign key (org_id) references organizations (id),
  constraint mqtt_consumers__name check (char_length(name) between 1 and 255),
  constraint mqtt_consumers__password_sha256 check (octet_length(password_sha256) = 32)
);

-- Organizations whose moves cannot be published: the broker refuses a message or closes the connection on it, or a
-- query fails (then there is no topic). The publisher passes over their feed, notes the reason here, and tries again
-- from time to time; others' moves are published meanwhile.
create table publishing_faults (
  org_id integer not null,
  topic text,
  reason text not null,
  since timestamptz not null default now(),
  constraint publishing_faults__org_id primary key (org_id)
);
