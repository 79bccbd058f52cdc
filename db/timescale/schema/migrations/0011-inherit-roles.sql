-- An owner that is no superuser and made the roles itself is a member of them that inherits nothing (PostgreSQL 16 and
-- later), so that the policies of `tagtrail_service` did not hold for it.
do $$
declare
  role_name text;
begin
  foreach role_name in array array['tagtrail_api', 'tagtrail_access', 'tagtrail_service'] loop
    if not pg_has_role(current_user, role_name, 'usage') then
      execute format('grant %I to current_user with inherit true', role_name);
    end if;
  end loop;
end $$;
