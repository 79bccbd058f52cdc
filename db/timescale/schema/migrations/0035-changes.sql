-- The change log: who changed what people look after, written in the transaction of the change and never changed.
--
-- `org_id` is null for what belongs to the installation, as formats do. `before` and `after` have the fields that
-- changed, as the API names them; null before a create.
-- One index, since an import writes a row for each row of the file. Without an id in front: what is asked for is the
-- newest of an organization.
create table changes (
  org_id integer,
  at timestamptz not null default clock_timestamp(),
  id bigint generated always as identity,
  actor_type text not null,
  actor_id text collate "C" not null,
  request_id text collate "C",
  action text collate "C" not null,
  resource_type text collate "C" not null,
  resource_id text collate "C" not null,
  external_key text collate "C",
  before json,
  after json,
  constraint changes__org_id_at_id unique nulls not distinct (org_id, at, id),
  constraint changes__actor_type check (actor_type in ('key', 'user', 'handheld', 'command_line'))
);

-- A value as `changes` keeps it: what is larger than 8 KiB is named by its size and digest, so that patching a large
-- field again and again does not fill the disk.
create function logged_value(value json) returns json language sql immutable parallel safe
  return case when octet_length(value::text) <= 8192 then value
    else json_build_object('left_out', json_build_object(
      'bytes', octet_length(value::text),
      'sha256', encode(sha256(convert_to(value::text, 'UTF8')), 'hex')
    ))
  end;

alter table changes enable row level security, force row level security;
create policy own_organization on changes to tagtrail_api
  using (org_id = current_org_id()) with check (org_id = current_org_id());
create policy every_organization on changes to tagtrail_service using (true) with check (true);
grant select, insert on changes to tagtrail_api;

create trigger changes_unchanged before update or delete on changes
  for each statement execute function refuse_changes_of_log();
