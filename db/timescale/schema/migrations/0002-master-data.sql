-- Locations (a tree), assets, and the tags attached to either. Rows are soft-deleted: `deleted_at` is set and the
-- external key is free again at once. Keys start with the organization, so that no reference can cross tenants.

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
create index locations__org_id_parent_id on locations (org_id, parent_id);

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
create index tags__org_id_asset_id on tags (org_id, asset_id) where detached_at is null;
create index tags__org_id_location_id on tags (org_id, location_id) where detached_at is null;
