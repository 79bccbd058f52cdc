-- Row-level security: the second of two layers that keep organizations apart. The first is that every query names its
-- organization; this one holds if a query forgets to.
--
-- Roles are the cluster's, not the database's, so they may be there already.
--   tagtrail_api      what an organization's requests run as: owns nothing, bypasses nothing, and sees the rows of the
--                     organization that `tagtrail.org_id` names, or none
--   tagtrail_access   looks API keys up, before it is known whose they are
--   tagtrail_service  recording and administration: every organization's rows. The migrating user is a member.
do $$
declare
  role_name text;
begin
  foreach role_name in array array['tagtrail_api', 'tagtrail_access', 'tagtrail_service'] loop
    begin
      execute format('create role %I nologin', role_name);
    exception when duplicate_object or unique_violation then
      null;
    end;
    if not pg_has_role(current_user, role_name, 'member') then
      execute format('grant %I to current_user', role_name);
    end if;
  end loop;
end $$;

grant usage on schema public to tagtrail_api, tagtrail_access;

create function current_org_id() returns integer language sql stable
  return nullif(current_setting('tagtrail.org_id', true), '')::integer;

do $$
declare
  tenant_table text;
begin
  foreach tenant_table in array array[
    'api_keys', 'external_key_counters', 'locations', 'assets', 'tags', 'readers', 'antennas', 'reader_counters',
    'handhelds', 'submissions', 'location_transitions', 'positions', 'unknown_tags', 'rejected_messages',
    'received_messages'
  ] loop
    execute format('alter table %I enable row level security, force row level security', tenant_table);
    execute format(
      'create policy own_organization on %I to tagtrail_api
       using (org_id = current_org_id()) with check (org_id = current_org_id())', tenant_table);
    execute format(
      'create policy every_organization on %I to tagtrail_service using (true) with check (true)', tenant_table);
  end loop;
end $$;

alter table organizations enable row level security, force row level security;
create policy own_organization on organizations to tagtrail_api using (id = current_org_id());
create policy every_organization on organizations to tagtrail_service using (true) with check (true);

create policy look_up on api_keys to tagtrail_access using (true) with check (true);
create policy look_up on organizations to tagtrail_access using (true);

-- Raw scans have no policy: the API has no business with them, and so no privilege.
grant select, insert, update on assets, locations, tags, external_key_counters, api_keys to tagtrail_api;
grant select on organizations, positions, location_transitions to tagtrail_api;
grant select on api_keys, organizations to tagtrail_access;
grant update (last_used_at) on api_keys to tagtrail_access;
