-- A handheld's token may end by itself. Null for one that does not, as all that were made before.
alter table handhelds add column expires_at timestamptz;
drop trigger handhelds_changed on handhelds;
create trigger handhelds_changed after update of revoked_at, expires_at, token_sha256 or delete on handhelds
  for each statement execute function notify_access_changed();
grant select (expires_at) on handhelds to tagtrail_access;
