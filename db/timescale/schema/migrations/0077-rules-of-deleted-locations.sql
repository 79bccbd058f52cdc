-- A rule about a location ends with it, for assets wherever they are: all of the organization is derived anew.
create function revise_rules_of_location() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if current_setting('tagtrail.copying', true) is distinct from 'on'
    and exists (select from rules where rules.org_id = new.org_id and rules.location_id = new.id)
  then
    perform revise_alerts(new.org_id, 'organization', null, new.deleted_at);
  end if;
  return null;
end $$;
revoke execute on function revise_rules_of_location from public;
create trigger locations_deleted_revise_rules after update on locations for each row
  when (old.deleted_at is null and new.deleted_at is not null) execute function revise_rules_of_location();
