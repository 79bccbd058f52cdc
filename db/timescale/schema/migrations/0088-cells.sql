-- An organization that moves to another cell (docs/design/cells.md). While it is held, it counts as deleted for every
-- process, and is answered that it may come again in a moment.
alter table organizations add column held_at timestamptz;
alter table organizations add constraint organizations__held_at check (held_at is null or deleted_at is not null);
create index organizations__held on organizations (id) where held_at is not null;

-- At both cells while it moves, and at the one that it left until it is erased there.
create table cell_moves (
  org_id integer not null constraint cell_moves__org_id primary key,
  state text not null constraint cell_moves__state check (state in ('copying', 'following', 'held', 'moved', 'left', 'arriving')),
  -- Host, port and database of the other cell.
  other_cell text not null,
  -- At the new cell: all that the old one committed before is there.
  applied pg_lsn,
  started_at timestamptz not null default now(),
  constraint cell_moves__applied check ((state = 'arriving') = (applied is not null))
);
alter table cell_moves enable row level security, force row level security;
create policy every_organization on cell_moves to tagtrail_service using (true) with check (true);

-- The number of this cell, by the range that its ids are drawn from (`cell number`); null if it has none.
create function cell_number() returns integer language sql stable set search_path = pg_catalog, pg_temp as $$
  select case when seqmax - seqmin = 49999999 then ((seqmin - 1) / 50000000 + 1)::integer end
  from pg_sequence where seqrelid = pg_get_serial_sequence('public.organizations', 'id')::regclass
$$;

-- What is answered as done is done before the organization is held, or not at all: every change that people or devices
-- are told of writes to one of these tables.
create function refuse_while_held() returns trigger language plpgsql security definer
  set search_path = pg_catalog, public, pg_temp
as $$
begin
  if exists (select from organizations where held_at is not null and id in (select org_id from new_rows)) then
    raise exception 'the organization moves to another cell' using errcode = 'read_only_sql_transaction';
  end if;
  return null;
end $$;
do $$
declare
  written text;
begin
  foreach written in array array['changes', 'submissions', 'retractions', 'sweeps'] loop
    execute format('create trigger %I after insert on %I referencing new table as new_rows
      for each statement execute function refuse_while_held()', written || '_held', written);
  end loop;
end $$;

-- Their rows are told apart by a key without the organization, or by none. Costs nothing before wal_level is logical.
alter table changes replica identity full;
alter table formats replica identity full;
alter table rejected_messages replica identity full;
alter table scan_events replica identity full;
alter table user_links replica identity full;
