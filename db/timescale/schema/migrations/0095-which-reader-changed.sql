-- Ingestion loads what is named: a reader, the readers of an organization, or the formats; all where nothing is named. An antenna
-- is loaded with its reader. A transaction announces each of them once.
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

-- Readers are looked up by their id alone, too.
create index readers__id on readers (id);

-- Readers whose topic begins with the same levels, in front of wildcards, are those that a new topic may overlap.
create index readers__fixed_levels
  on readers ((left(regexp_replace(topic, '(^|/)[+#](/.*)?$', ''), 512) collate "C")) where deleted_at is null;
