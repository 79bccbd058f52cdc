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
  constraint mqtt_topics__org_id_asset_id_topic primary key (org_id, asset_id, topic)
);
create index mqtt_topics__org_id_topic on mqtt_topics (org_id, topic);

-- Assets and locations that are called otherwise, or are elsewhere in the tree, than was published. `mark`: the
-- transaction, so that a later change is not taken for one that was published. `done_after`: of a location, the last
-- asset there that was published again.
create table mqtt_outdated (
  org_id integer not null,
  asset_id integer not null default 0,
  location_id integer not null default 0,
  mark bigint not null default pg_current_xact_id()::text::bigint,
  done_after integer not null default 0,
  constraint mqtt_outdated__org_id_asset_id_location_id primary key (org_id, asset_id, location_id)
);

create table mqtt_consumers (
  org_id integer not null,
  id integer generated always as identity,
  name text collate "C" not null,
  password_sha256 bytea not null,
  created_at timestamptz not null default now(),
  constraint mqtt_consumers__org_id_id primary key (org_id, id),
  constraint mqtt_consumers__id unique (id),
  constraint mqtt_consumers__org_id foreign key (org_id) references organizations (id),
  constraint mqtt_consumers__name check (char_length(name) between 1 and 255),
  constraint mqtt_consumers__password_sha256 check (octet_length(password_sha256) = 32)
);

do $$
declare
  tenant_table text;
begin
  foreach tenant_table in array array['mqtt_feeds', 'mqtt_topics', 'mqtt_outdated', 'mqtt_consumers'] loop
    execute format('alter table %I enable row level security', tenant_table);
    execute format('alter table %I force row level security', tenant_table);
    execute format(
      'create policy own_organization on %I to tagtrail_api
       using (org_id = current_org_id()) with check (org_id = current_org_id())', tenant_table);
    execute format(
      'create policy every_organization on %I to tagtrail_service using (true) with check (true)', tenant_table);
  end loop;
end $$;
grant select on mqtt_feeds to tagtrail_api;
grant select, insert, update on mqtt_outdated to tagtrail_api;

-- Only of organizations that are published, so nothing piles up where nobody asks for it.
create function mark_asset_outdated() returns trigger language plpgsql as $$
begin
  insert into mqtt_outdated (org_id, asset_id)
  select new.org_id, new.id where exists (select from mqtt_feeds where org_id = new.org_id)
  on conflict (org_id, asset_id, location_id) do update set mark = excluded.mark, done_after = 0;
  return null;
end $$;
create trigger assets_outdated after update of external_key, name, deleted_at on assets
  for each row when (row(old.external_key, old.name, old.deleted_at)
    is distinct from row(new.external_key, new.name, new.deleted_at))
  execute function mark_asset_outdated();

create function mark_location_outdated() returns trigger language plpgsql as $$
begin
  insert into mqtt_outdated (org_id, location_id)
  select new.org_id, new.id where exists (select from mqtt_feeds where org_id = new.org_id)
  on conflict (org_id, asset_id, location_id) do update set mark = excluded.mark, done_after = 0;
  return null;
end $$;
create trigger locations_outdated after update of external_key, name, parent_id on locations
  for each row when (row(old.external_key, old.name, old.parent_id)
    is distinct from row(new.external_key, new.name, new.parent_id))
  execute function mark_location_outdated();
