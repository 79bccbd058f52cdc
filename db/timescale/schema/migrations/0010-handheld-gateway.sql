-- What the handheld gateway needs: handhelds are looked up by id before it is known whose they are, revoking one is
-- announced to every process that keeps credentials, and old submissions can be found.

alter table handhelds add constraint handhelds__id unique (id);

create trigger handhelds_changed after update of revoked_at, token_sha256 or delete on handhelds
  for each statement execute function notify_access_changed();

create policy look_up on handhelds to tagtrail_access using (true);
grant select (org_id, id, token_sha256, revoked_at) on handhelds to tagtrail_access;

create index submissions__received_at on submissions (received_at);
