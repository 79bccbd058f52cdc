-- Processes need not sign in as the owner of the tables: what tagtrail_service may do is enough for them, together with the
-- other three roles. What the owner alone may do is migrating, and dropping chunks, which one function does for them.
grant usage on schema public to tagtrail_service;
grant select, insert, update, delete on all tables in schema public to tagtrail_service;
grant usage, select, update on all sequences in schema public to tagtrail_service;
revoke insert, update, delete on schema_migrations from tagtrail_service;

-- Of what later migrations create.
alter default privileges in schema public grant select, insert, update, delete on tables to tagtrail_service;
alter default privileges in schema public grant usage, select, update on sequences to tagtrail_service;

-- With its owner's rights, for tables that retention is for.
create function drop_chunks_before(hypertable text, until timestamptz) returns bigint
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  dropped bigint;
begin
  if hypertable not in ('scan_events', 'moves') then
    raise exception 'no chunks of % may be dropped', hypertable using errcode = 'insufficient_privilege';
  end if;
  execute 'select count(*) from drop_chunks($1::regclass, older_than => $2)' into dropped using hypertable, until;
  return dropped;
end $$;
revoke execute on function drop_chunks_before from public;
grant execute on function drop_chunks_before to tagtrail_service;
