-- The application counts time in whole microseconds since 1970. Both functions are exact and are inlined.
create or replace function time_of_micros(micros bigint) returns timestamptz language sql stable strict
  return timestamptz 'epoch' + micros * interval '1 microsecond';

create or replace function micros_of_time(at timestamptz) returns bigint language sql stable strict
  return (extract(epoch from at) * 1000000)::bigint;

create or replace function current_org_id() returns integer language sql stable
  return nullif(current_setting('tagtrail.org_id', true), '')::integer;

-- The number of this cell, by the range that its ids are drawn from (`cell number`); null if it has none.
create or replace function cell_number() returns integer language sql stable set search_path = pg_catalog, pg_temp as $$
  select case when seqmax - seqmin = 49999999 then ((seqmin - 1) / 50000000 + 1)::integer end
  from pg_sequence where seqrelid = pg_get_serial_sequence('public.organizations', 'id')::regclass
$$;

-- A value as `changes` keeps it: what is larger than 8 KiB is named by its size and digest, so that patching a large
-- field again and again does not fill the disk.
create or replace function logged_value(value json) returns json language sql immutable parallel safe
  return case when octet_length(value::text) <= 8192 then value
    else json_build_object('left_out', json_build_object(
      'bytes', octet_length(value::text),
      'sha256', encode(sha256(convert_to(value::text, 'UTF8')), 'hex')
    ))
  end;

-- What was sealed or logged stays as it is. Retention drops whole chunks, or where there are none says so by
-- `tagtrail.retention`.
create or replace function refuse_changes_of_log() returns trigger language plpgsql as $$
begin
  if current_setting('tagtrail.retention', true) is distinct from 'on' then
    raise exception 'rows of % are never changed', tg_table_name using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end $$;

-- What is answered as done is done before the organization is held, or not at all: every change that people or devices
-- are told of writes to one of these tables.
create or replace function refuse_while_held() returns trigger language plpgsql security definer
  set search_path = pg_catalog, public, pg_temp
as $$
begin
  if exists (select from organizations where held_at is not null and id in (select org_id from new_rows)) then
    raise exception 'the organization moves to another cell' using errcode = 'read_only_sql_transaction';
  end if;
  return null;
end $$;

-- With its owner's rights: the API may know whether an address is a member's, and no more of users.
create or replace function member_addresses(of_org_id integer, addresses text[]) returns setof text
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select account.email from memberships membership
  join users account on account.id = membership.user_id
  where membership.org_id = of_org_id and membership.org_id = coalesce(current_org_id(), of_org_id)
    and account.email = any (addresses);
$$;
revoke execute on function member_addresses from public;
grant execute on function member_addresses to tagtrail_api, tagtrail_service;

-- With its owner's rights, for tables that retention is for.
create or replace function drop_chunks_before(hypertable text, until timestamptz) returns bigint
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  dropped bigint;
begin
  if hypertable not in ('scan_events', 'moves', 'tag_readings') then
    raise exception 'no chunks of % may be dropped', hypertable using errcode = 'insufficient_privilege';
  end if;
  execute 'select count(*) from drop_chunks($1::regclass, older_than => $2)' into dropped using hypertable, until;
  return dropped;
end $$;
revoke execute on function drop_chunks_before from public;
grant execute on function drop_chunks_before to tagtrail_service;
