-- Rules of alerts: when people want to know that something is not where it should be.

-- A rule as it was set; rows are never changed, so what is derived of then stays so. At an instant the row counts that has
-- the greatest `version` of those with `valid_from` up to then; none of the rule if that one ends it (`is_ended`). So what
-- is set later counts from its `valid_from` on, whatever was to count then before. Null or empty selects everything.
create table rules (
  org_id integer not null,
  id text collate "C" not null,
  version integer not null,
  valid_from timestamptz not null,
  is_ended boolean not null,
  recorded_at timestamptz not null default now(),
  kind text not null,
  name text not null,
  after_seconds integer,
  then_seconds integer,
  location_id integer,
  hours text,
  time_zone text,
  asset_ids integer[],
  within_location_id integer,
  metadata jsonb not null,
  reader_ids integer[],
  mail_to text[] not null,
  constraint rules__org_id_id_version primary key (org_id, id, version),
  constraint rules__org_id foreign key (org_id) references organizations (id),
  constraint rules__org_id_location_id foreign key (org_id, location_id) references locations (org_id, id),
  constraint rules__org_id_within_location_id
    foreign key (org_id, within_location_id) references locations (org_id, id),
  constraint rules__id check (id ~ '^[0-7][0-9A-HJKMNP-TV-Z]{25}$'),
  constraint rules__version check (version > 0),
  constraint rules__kind check (kind in ('overdue', 'dwell', 'not_allowed', 'must_be', 'reader')),
  constraint rules__name check (char_length(name) between 1 and 255),
  constraint rules__after_seconds check (after_seconds between 0 and 2592000),
  constraint rules__then_seconds check (then_seconds > after_seconds and then_seconds <= 2592000),
  constraint rules__hours check ((hours is null) = (time_zone is null)),
  constraint rules__asset_ids check (cardinality(asset_ids) between 1 and 1000),
  constraint rules__metadata check (jsonb_typeof(metadata) = 'array' and jsonb_array_length(metadata) <= 10),
  constraint rules__reader_ids check (cardinality(reader_ids) between 1 and 1000),
  constraint rules__mail_to check (cardinality(mail_to) <= 20)
);

alter table rules enable row level security, force row level security;
create policy own_organization on rules to tagtrail_api
  using (org_id = current_org_id()) with check (org_id = current_org_id());
create policy every_organization on rules to tagtrail_service using (true) with check (true);
grant select, insert on rules to tagtrail_api;

-- With its owner's rights: the API may know whether an address is a member's, and no more of users.
create function member_addresses(of_org_id integer, addresses text[]) returns setof text
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select account.email from memberships membership
  join users account on account.id = membership.user_id
  where membership.org_id = of_org_id and membership.org_id = coalesce(current_org_id(), of_org_id)
    and account.email = any (addresses);
end;
revoke execute on function member_addresses from public;
grant execute on function member_addresses to tagtrail_api, tagtrail_service;
