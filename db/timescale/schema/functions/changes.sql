-- What changes what the API shows of assets and locations goes into the queue of the changes feed, in its transaction. With its
-- owner's rights, as those who change have none on the queue. It notifies nobody: transactions that notify commit one at a time.
create or replace function queue_changes() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  -- A copy of the database brings the events themselves.
  if current_setting('tagtrail.copying', true) = 'on' then
    return null;
  end if;
  insert into unsealed_changes (org_id, recorded_at, resource, resource_id, action)
  select org_id, at, resource_type, resource_id::integer, action from new_rows
  where org_id is not null and resource_type in ('asset', 'location')
    and action in ('create', 'update', 'rename', 'delete', 'attach_tag', 'detach_tag')
  order by id;
  return null;
end $$;
revoke execute on function queue_changes from public;
