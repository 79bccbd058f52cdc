-- Ingestion reloads the readers of the organization that is named, or all where none is. By row, as statements do not say
-- whose rows they change; a transaction announces each organization once.
create or replace function notify_registry_changed() returns trigger language plpgsql as $$
declare
  changed jsonb := to_jsonb(coalesce(new, old));
begin
  perform pg_notify('registry_changed',
    coalesce(changed ->> case tg_table_name when 'organizations' then 'id' else 'org_id' end, ''));
  return null;
end $$;

drop trigger antennas_changed on antennas;
create trigger antennas_changed after insert or delete or update on antennas
  for each row execute function notify_registry_changed();

drop trigger formats_changed on formats;
create trigger formats_changed after insert or delete or update on formats
  for each row execute function notify_registry_changed();

drop trigger organizations_registry_changed on organizations;
create trigger organizations_registry_changed after delete or update of deleted_at on organizations
  for each row execute function notify_registry_changed();

drop trigger readers_changed on readers;
create trigger readers_changed after insert or delete or update of org_id, id, name, topic, format, time_policy,
  identity_policy, report_unknown, mqtt_username, mqtt_password_sha256, created_at, deleted_at on readers
  for each row execute function notify_registry_changed();
