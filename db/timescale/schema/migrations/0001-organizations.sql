-- Organizations and the keys that act for them.

create table organizations (
  id integer generated always as identity,
  name text not null,
  created_at timestamptz not null default now(),
  deleted_at timestamptz,
  constraint organizations__id primary key (id),
  constraint organizations__name check (char_length(name) between 1 and 255)
);

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

-- The sequence behind minted external keys (`ASSET-0001`, `LOC-0001`), one row per organization and resource.
create table external_key_counters (
  org_id integer not null,
  resource text not null,
  last_number bigint not null,
  constraint external_key_counters__org_id_resource primary key (org_id, resource),
  constraint external_key_counters__org_id foreign key (org_id) references organizations (id),
  constraint external_key_counters__resource check (resource in ('asset', 'location'))
);

-- Every process that caches keys hears of a change when it commits.
create function notify_access_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('access_changed', '');
  return null;
end $$;

create trigger api_keys_changed after update of revoked_at, expires_at, scopes or delete on api_keys
  for each statement execute function notify_access_changed();
create trigger organizations_changed after update of deleted_at or delete on organizations
  for each statement execute function notify_access_changed();
