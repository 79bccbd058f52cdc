-- Until it is restarted, the API of the former version reads `tag_readings`. Its role finds this view of its organization's
-- readings by that name, in the schema where it looks first. A later version drops the schema.
do $$
begin
  if has_database_privilege(current_database(), 'create') then
    create schema tagtrail_api;
    create view tagtrail_api.tag_readings as select * from public.own_readings;
    grant usage on schema tagtrail_api to tagtrail_api;
    grant select on tagtrail_api.tag_readings to tagtrail_api;
  end if;
end $$;
