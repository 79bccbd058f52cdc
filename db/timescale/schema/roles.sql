-- Roles are the cluster's, not the database's, so they may be there already.
--   tagtrail_api      what an organization's requests run as: owns nothing, bypasses nothing, and sees the rows of the
--                     organization that `tagtrail.org_id` names, or none
--   tagtrail_access   looks credentials up, before it is known whose they are
--   tagtrail_people   signs people in and looks after them: it sees nothing else of an organization but its name
--   tagtrail_service  recording and administration: every organization's rows
-- The migrating user is a member of each. An owner that is no superuser and made a role itself is a member that inherits
-- nothing, so that the policies of `tagtrail_service` would not hold for it; hence the grant.
do $$
declare
  role_name text;
begin
  foreach role_name in array array['tagtrail_api', 'tagtrail_access', 'tagtrail_people', 'tagtrail_service'] loop
    begin
      execute format('create role %I nologin', role_name);
    exception
      when duplicate_object or unique_violation then
        null;
      when insufficient_privilege then
        raise exception 'The role % is missing, and % may not create it', role_name, current_user
          using hint = format('As a superuser: create role %1$I nologin; grant %1$I to %2$I;', role_name, current_user);
    end;
    if not pg_has_role(current_user, role_name, 'usage') then
      execute format('grant %I to current_user with inherit true', role_name);
    end if;
  end loop;
end $$;
