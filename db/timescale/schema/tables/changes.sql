-- The change log: who changed what people look after, written in the transaction of the change and never changed.
--
-- `org_id` is null for what belongs to the installation, as formats do. `before` and `after` have the fields that
-- changed, as the API names them; null before a create. The unique key serves as the index, without an id in front,
-- as most readers ask for the newest of an organization: an import writes a row for each row of the file.
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
alter table changes replica identity full;
-- Changes of one resource, as its page shows them, and those that one actor made: of a million, the page of one with twenty
-- took 17,200 pages to read, and takes 25.
create index changes__org_id_resource on changes (org_id, resource_type, resource_id, at, id);
create index changes__org_id_actor on changes (org_id, actor_id, at, id);
-- Finds the addresses of sign-ins that are past their time in a log of millions.
create index changes__at_of_address on changes (at) where action = 'sign_in' and after ->> 'address' is not null;
create trigger changes_unchanged before update or delete on changes
  for each statement execute function refuse_changes_of_log();
create trigger changes_held after insert on changes referencing new table as new_rows
  for each statement execute function refuse_while_held();
