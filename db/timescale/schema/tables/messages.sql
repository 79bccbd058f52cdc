-- What could not become a scan: kept, counted and explained.

-- One row per organization and tag. `value` is the value as it was last read.
create table unknown_tags (
  org_id integer not null,
  tag_type text not null,
  tag_key text collate "C" not null,
  value text collate "C" not null,
  ambiguous boolean not null,
  count bigint not null,
  first_seen timestamptz not null,
  last_seen timestamptz not null,
  reader_id integer,
  antenna smallint,
  rssi double precision,
  location_id integer,
  -- When somebody said not to list the tag; it is counted on.
  ignored_at timestamptz,
  constraint unknown_tags__org_id_tag_type_tag_key primary key (org_id, tag_type, tag_key),
  constraint unknown_tags__org_id foreign key (org_id) references organizations (id),
  constraint unknown_tags__org_id_reader_id foreign key (org_id, reader_id) references readers (org_id, id)
);
create index unknown_tags__org_id_last_seen on unknown_tags (org_id, last_seen);

-- Messages that were refused whole or in part, with the bytes (bounded) so that they can be replayed. A message on
-- a topic that no reader has belongs to no organization.
create table rejected_messages (
  id bigint generated always as identity,
  org_id integer,
  reader_id integer,
  topic text not null,
  reason text not null,
  received_at timestamptz not null,
  payload bytea not null,
  bytes bigint not null,
  payload_sha256 bytea not null,
  replayed_at timestamptz,
  -- Whether nothing of the message was ever looked at: only then were its unknown tags not counted yet, and only then
  -- may it be replayed as another reader's.
  is_whole boolean not null default false,
  -- When somebody said not to list the message; it is kept.
  dismissed_at timestamptz,
  constraint rejected_messages__id primary key (id),
  constraint rejected_messages__org_id foreign key (org_id) references organizations (id),
  constraint rejected_messages__org_id_reader_id foreign key (org_id, reader_id) references readers (org_id, id)
);
alter table rejected_messages replica identity full;
-- With 0 for no organization, so that those can be listed and trimmed like the others.
create index rejected_messages__org_id_id on rejected_messages (coalesce(org_id, 0), id);
create index rejected_messages__open on rejected_messages (org_id, id) where replayed_at is null and dismissed_at is null;
-- So many rejected messages are kept of a reader, so that one whose every message is rejected does not push out the
-- others'.
create index rejected_messages__org_id_reader_id_id on rejected_messages (org_id, reader_id, id);

-- When a message was first received, so that its redelivery is known as that message. Kept for 24 hours, and only
-- for messages whose redelivery the scans themselves would not reveal.
create table received_messages (
  org_id integer not null,
  digest bytea not null,
  received_at timestamptz not null,
  -- Whether the reception came with the DUP flag: a redelivery may be recorded before the first copy, which another
  -- process holds. This tells the late first copy from a new message.
  is_redelivery boolean not null default false,
  constraint received_messages__org_id_digest primary key (org_id, digest),
  constraint received_messages__org_id foreign key (org_id) references organizations (id)
);
create index received_messages__received_at on received_messages (received_at);
