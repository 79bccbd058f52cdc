-- Organizations, the keys that act for them, and their moves to other cells.

create table organizations (
  id integer generated always as identity,
  name text not null,
  created_at timestamptz not null default now(),
  deleted_at timestamptz,
  -- While it moves to another cell: it counts as deleted for every process, and requests are answered that they may
  -- come again in a moment.
  held_at timestamptz,
  constraint organizations__id primary key (id),
  constraint organizations__name check (char_length(name) between 1 and 255),
  constraint organizations__held_at check (held_at is null or deleted_at is not null)
);
create index organizations__held on organizations (id) where held_at is not null;
-- A session is kept with the names of its organizations.
create trigger organizations_changed after update of deleted_at, name or delete on organizations
  for each statement execute function notify_access_changed();
create trigger organizations_registry_changed after delete or update of deleted_at on organizations
  for each row execute function notify_registry_changed();

-- A key is `tt_<id>_<secret>`. Only a SHA-256 of the secret is kept: the secret is 256 random bits, so a slow
-- hash would protect nothing more.
create table api_keys (
  org_id integer not null,
  id text collate "C" not null,
  name text not null,
  scopes text[] not null,
  secret_sha256 bytea not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  constraint api_keys__org_id_id primary key (org_id, id),
  constraint api_keys__id unique (id),
  constraint api_keys__org_id foreign key (org_id) references organizations (id),
  constraint api_keys__name check (char_length(name) between 1 and 255),
  constraint api_keys__secret_sha256 check (octet_length(secret_sha256) = 32)
);
create trigger api_keys_changed after update of revoked_at, expires_at, scopes or delete on api_keys
  for each statement execute function notify_access_changed();

-- The sequence behind minted external keys (`ASSET-0001`, `LOC-0001`), one row per organization and resource.
create table external_key_counters (
  org_id integer not null,
  resource text not null,
  last_number bigint not null,
  constraint external_key_counters__org_id_resource primary key (org_id, resource),
  constraint external_key_counters__org_id foreign key (org_id) references organizations (id),
  constraint external_key_counters__resource check (resource in ('asset', 'location'))
);

-- An organization that moves to another cell (docs/design/cells.md): at both cells while it moves, and at the one
-- that it left until it is erased there. `other_cell`: host, port and database of the other cell. `applied`, at the
-- new cell: all that the old one committed before is there.
create table cell_moves (
  org_id integer not null constraint cell_moves__org_id primary key,
  state text not null constraint cell_moves__state check (state in ('copying', 'following', 'held', 'moved', 'left', 'arriving')),
  other_cell text not null,
  applied pg_lsn,
  started_at timestamptz not null default now(),
  constraint cell_moves__applied check ((state = 'arriving') = (applied is not null))
);
