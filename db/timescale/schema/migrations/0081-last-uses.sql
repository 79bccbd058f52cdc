-- When a credential was last used: a handheld's token for a request, a reader's or a consumer's password or certificate to
-- sign in at the embedded broker. Null if never, or not since this is noted.
alter table handhelds add column last_used_at timestamptz;
grant select (last_used_at), update (last_used_at) on handhelds to tagtrail_access;
alter table readers add column last_used_at timestamptz;
alter table mqtt_consumers add column last_used_at timestamptz;

-- That a reader signed in changes nothing about it, and is announced to nobody.
drop trigger readers_changed on readers;
create trigger readers_changed after insert or delete or update of org_id, id, name, topic, format, time_policy,
  identity_policy, report_unknown, mqtt_username, mqtt_password_sha256, created_at, deleted_at on readers
  for each statement execute function notify_registry_changed();
