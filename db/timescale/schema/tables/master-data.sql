-- Locations (a tree), assets, and the tags attached to either. Rows are soft-deleted: `deleted_at` is set, and the
-- external key is free again at once.

create table locations (
  org_id integer not null,
  id integer generated always as identity,
  external_key text collate "C" not null,
  name text collate "C" not null,
  description text,
  parent_id integer,
  is_active boolean not null default true,
  valid_from timestamptz not null default now(),
  valid_to timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  constraint locations__org_id_id primary key (org_id, id),
  constraint locations__org_id foreign key (org_id) references organizations (id),
  constraint locations__org_id_parent_id foreign key (org_id, parent_id) references locations (org_id, id),
  constraint locations__external_key check (external_key ~ '^[A-Za-z0-9-]{1,255}$'),
  constraint locations__name check (char_length(name) between 1 and 255),
  constraint locations__description check (char_length(description) between 1 and 1024),
  constraint locations__parent_id check (parent_id <> id)
);
create unique index locations__org_id_external_key on locations (org_id, external_key) where deleted_at is null;
create index locations__org_id_valid_from on locations (org_id, valid_from) where deleted_at is null;
create index locations__org_id_valid_to on locations (org_id, valid_to, valid_from)
  where deleted_at is null and valid_to is not null;
-- Only queries that name the parent can use it. Where statistics expect next to no row, as after many were written
-- and rolled back, PostgreSQL takes whatever index begins with the organization, the newest first; without the
-- condition it checked every foreign key of an import by this one: 14.6 million rows for 1,500 locations.
create index locations__org_id_parent_id on locations (org_id, parent_id) where parent_id is not null;
-- A device may name a location by its key that was deleted while it was offline.
create index locations__org_id_external_key_deleted on locations (org_id, external_key, deleted_at)
  where deleted_at is not null;
create trigger locations_inserted after insert on locations referencing new table as new_rows
  for each statement execute function count_live_rows('location');
create trigger locations_updated after update on locations referencing old table as old_rows new table as new_rows
  for each statement execute function count_live_rows('location');
create trigger locations_deleted after delete on locations referencing old table as old_rows
  for each statement execute function count_live_rows('location');
create trigger locations_truncated after truncate on locations
  for each statement execute function count_live_rows('location');
create trigger locations_inserted_version after insert on locations referencing new table as new_rows
  for each statement execute function write_location_versions();
create trigger locations_updated_version after update on locations
  referencing old table as old_rows new table as new_rows
  for each statement execute function write_location_versions();
create trigger locations_outdated after update on locations
  referencing old table as old_rows new table as new_rows
  for each statement execute function mark_locations_outdated();
create trigger locations_revise_alerts after update on locations for each row
  when ((old.parent_id, old.deleted_at) is distinct from (new.parent_id, new.deleted_at))
  execute function revise_alerts_of_row('location', 'id', 'now');
create trigger locations_deleted_revise_rules after update on locations for each row
  when (old.deleted_at is null and new.deleted_at is not null) execute function revise_rules_of_location();

-- What a location was called, its key and its parent, from `since` until its next version. Kept by triggers, whoever
-- writes.
create table location_versions (
  org_id integer not null,
  location_id integer not null,
  since timestamptz not null,
  external_key text collate "C" not null,
  name text collate "C" not null,
  parent_id integer,
  is_deleted boolean not null,
  constraint location_versions__org_id_location_id_since primary key (org_id, location_id, since)
);
-- Reports about the past walk down the tree of then.
create index location_versions__parent on location_versions (org_id, parent_id) where parent_id is not null;

-- `metadata` is json, not jsonb: the text is kept as it was sent, so that numbers keep their digits.
create table assets (
  org_id integer not null,
  id integer generated always as identity,
  external_key text collate "C" not null,
  name text collate "C" not null,
  description text,
  is_active boolean not null default true,
  valid_from timestamptz not null default now(),
  valid_to timestamptz,
  metadata json not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  constraint assets__org_id_id primary key (org_id, id),
  constraint assets__org_id foreign key (org_id) references organizations (id),
  constraint assets__external_key check (external_key ~ '^[A-Za-z0-9-]{1,255}$'),
  constraint assets__name check (char_length(name) between 1 and 255),
  constraint assets__description check (char_length(description) between 1 and 1024),
  constraint assets__metadata check (json_typeof(metadata) = 'object')
);
create unique index assets__org_id_external_key on assets (org_id, external_key) where deleted_at is null;
-- Live rows that are not in effect are counted one by one and subtracted.
create index assets__org_id_valid_from on assets (org_id, valid_from) where deleted_at is null;
create index assets__org_id_valid_to on assets (org_id, valid_to, valid_from)
  where deleted_at is null and valid_to is not null;
create index assets__org_id_id_deleted on assets (org_id, id) where deleted_at is not null;
create trigger assets_inserted after insert on assets referencing new table as new_rows
  for each statement execute function count_live_rows('asset');
create trigger assets_updated after update on assets referencing old table as old_rows new table as new_rows
  for each statement execute function count_live_rows('asset');
create trigger assets_deleted after delete on assets referencing old table as old_rows
  for each statement execute function count_live_rows('asset');
create trigger assets_truncated after truncate on assets
  for each statement execute function count_live_rows('asset');
create trigger assets_positions_counted after update of deleted_at on assets
  for each row when ((old.deleted_at is null) <> (new.deleted_at is null))
  execute function count_position_of_asset();
-- Replaced and not dropped, so that readers of these tables do not wait.
create trigger assets_outdated after update on assets
  referencing old table as old_rows new table as new_rows
  for each statement execute function mark_assets_outdated();
create trigger assets_revise_alerts after update on assets for each row
  when ((old.deleted_at, old.metadata::text) is distinct from (new.deleted_at, new.metadata::text))
  execute function revise_alerts_of_row('asset', 'id', 'now');

-- `tag_key` is what reads are matched by when no value matches exactly; the application derives it from the value.
create table tags (
  org_id integer not null,
  id integer generated always as identity,
  tag_type text not null,
  value text collate "C" not null,
  tag_key text collate "C" not null,
  asset_id integer,
  location_id integer,
  attached_at timestamptz not null default now(),
  detached_at timestamptz,
  constraint tags__org_id_id primary key (org_id, id),
  constraint tags__org_id_asset_id foreign key (org_id, asset_id) references assets (org_id, id),
  constraint tags__org_id_location_id foreign key (org_id, location_id) references locations (org_id, id),
  constraint tags__asset_id_location_id check (num_nonnulls(asset_id, location_id) = 1),
  constraint tags__value check (char_length(value) between 1 and 255),
  constraint tags__tag_key check (tag_key <> '')
);
create unique index tags__org_id_tag_type_value on tags (org_id, tag_type, value) where detached_at is null;
create index tags__org_id_tag_type_tag_key on tags (org_id, tag_type, tag_key) where detached_at is null;
-- Detached tags are in it, because an import gives its assets their ids at the end, and PostgreSQL then looks for
-- tags that refer to the ids they had: without them it read all tags of the organization for each asset.
create index tags__org_id_asset_id on tags (org_id, asset_id);
create index tags__org_id_location_id on tags (org_id, location_id) where location_id is not null;

-- How many live assets and locations an organization has, and how many positions live assets have, kept by triggers,
-- so that the total of a list does not have to count the table (functions/live-counts.sql).
--
-- The number is the sum of a few rows. A statement adds what it changed to whichever of them no open transaction
-- holds, and makes another one only if all are held. So nobody waits for the counter, there are never more rows than
-- there were writers at once, and they are updated in place: nothing has to be folded together or vacuumed for a sum
-- to be quick. What a rolled-back transaction added goes with it. A row by itself means nothing and may be negative.
-- `slot` is a bigint because rows are made and rolled back as often as writers meet.
create table live_row_counts (
  org_id integer not null,
  resource text not null,
  is_active boolean not null,
  slot bigint generated always as identity,
  row_count bigint not null,
  constraint live_row_counts__org_id_resource_is_active_slot primary key (org_id, resource, is_active, slot),
  constraint live_row_counts__org_id foreign key (org_id) references organizations (id),
  constraint live_row_counts__resource
    check (resource in ('asset', 'location', 'position'))
) with (fillfactor = 50);

-- Ids are drawn only for rows that are about to be committed: an id that is drawn and not used is lost to all organizations.
-- So the rows of an import have ids of this sequence until it is known that it will be committed. They are unique among those
-- of one organization, which imports one file at a time, so that the sequence can begin again.
create sequence placeholder_ids as integer minvalue -2147483648 maxvalue -1 start -2147483648 cycle;
