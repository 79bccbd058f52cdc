-- What processes that cache rows hear of a change when it commits.

create or replace function notify_access_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('access_changed', '');
  return null;
end $$;

-- Ingestion loads what is named: a reader, the readers of an organization, or the formats; all where nothing is
-- named. An antenna is loaded with its reader. By row, as statements do not say whose rows they change; a transaction
-- announces each of them once.
create or replace function notify_registry_changed() returns trigger language plpgsql as $$
declare
  changed jsonb;
begin
  if tg_table_name = 'formats' then
    perform pg_notify('registry_changed', 'formats');
    return null;
  end if;
  changed := to_jsonb(coalesce(new, old));
  perform pg_notify('registry_changed', case tg_table_name
    when 'organizations' then 'organization ' || (changed ->> 'id')
    when 'readers' then 'reader ' || (changed ->> 'id')
    else 'reader ' || (changed ->> 'reader_id')
  end);
  return null;
end $$;
