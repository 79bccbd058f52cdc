-- A session is kept with the names of its organizations.
create or replace trigger organizations_changed after update of deleted_at, name or delete on organizations
  for each statement execute function notify_access_changed();
