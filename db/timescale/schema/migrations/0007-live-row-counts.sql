-- How many live assets and locations an organization has, kept by triggers, so that the total of a list does not have to
-- count the table.
--
-- The number is the sum of a few rows. A statement adds what it changed to whichever of them no open transaction holds,
-- and makes another one only if all are held. So nobody waits for the counter, there are never more rows than there were
-- writers at once, and they are updated in place: nothing has to be folded together or vacuumed for a sum to be quick.
-- What a rolled-back transaction added goes with it. A row by itself means nothing and may be negative.

-- Writers wait, readers do not, until every row is counted and the indexes are there: 2 s for a million assets.
lock table locations, assets in share row exclusive mode;

create table live_row_counts (
  org_id integer not null,
  resource text not null,
  is_active boolean not null,
  slot integer generated always as identity,
  row_count bigint not null,
  constraint live_row_counts__org_id_resource_is_active_slot primary key (org_id, resource, is_active, slot),
  constraint live_row_counts__org_id foreign key (org_id) references organizations (id),
  constraint live_row_counts__resource check (resource in ('asset', 'location'))
) with (fillfactor = 50);

-- Live rows that are not in effect are counted one by one and subtracted.
create index assets__org_id_valid_from on assets (org_id, valid_from) where deleted_at is null;
create index assets__org_id_valid_to on assets (org_id, valid_to, valid_from)
  where deleted_at is null and valid_to is not null;
create index locations__org_id_valid_from on locations (org_id, valid_from) where deleted_at is null;
create index locations__org_id_valid_to on locations (org_id, valid_to, valid_from)
  where deleted_at is null and valid_to is not null;

create function add_live_rows(of_resource text, of_org_id integer, of_is_active boolean, change bigint)
returns void language plpgsql as $$
begin
  update live_row_counts set row_count = row_count + change
  where org_id = of_org_id and resource = of_resource and is_active = of_is_active and slot = (
    select slot from live_row_counts
    where org_id = of_org_id and resource = of_resource and is_active = of_is_active
    order by slot limit 1
    for no key update skip locked
  );
  if not found then
    insert into live_row_counts (org_id, resource, is_active, row_count)
    values (of_org_id, of_resource, of_is_active, change);
  end if;
end $$;

-- With its owner's rights: who changes assets needs none on the counts.
create function count_live_rows() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  case tg_op
    when 'INSERT' then
      perform add_live_rows(tg_argv[0], org_id, is_active, count(*))
      from new_rows where deleted_at is null group by org_id, is_active;
    when 'UPDATE' then
      perform add_live_rows(tg_argv[0], org_id, is_active, sum(change))
      from (
        select org_id, is_active, 1 as change from new_rows where deleted_at is null
        union all
        select org_id, is_active, -1 from old_rows where deleted_at is null
      ) changed
      group by org_id, is_active having sum(change) <> 0;
    when 'DELETE' then
      perform add_live_rows(tg_argv[0], org_id, is_active, -count(*))
      from old_rows where deleted_at is null group by org_id, is_active;
    when 'TRUNCATE' then
      delete from live_row_counts where resource = tg_argv[0];
  end case;
  return null;
end $$;

-- Counts from the rows; nobody can change them meanwhile. For this migration, and for an administrator who brought rows
-- in past the triggers.
create function recount_live_rows() returns void language sql as $$
  lock table locations, assets in share row exclusive mode;
  delete from live_row_counts;
  insert into live_row_counts (org_id, resource, is_active, row_count)
  select org_id, 'location', is_active, count(*) from locations where deleted_at is null group by org_id, is_active
  union all
  select org_id, 'asset', is_active, count(*) from assets where deleted_at is null group by org_id, is_active;
$$;

revoke execute on function add_live_rows, count_live_rows, recount_live_rows from public;

do $$
begin
  perform recount_live_rows();
end $$;

create trigger locations_inserted after insert on locations referencing new table as new_rows
  for each statement execute function count_live_rows('location');
create trigger locations_updated after update on locations referencing old table as old_rows new table as new_rows
  for each statement execute function count_live_rows('location');
create trigger locations_deleted after delete on locations referencing old table as old_rows
  for each statement execute function count_live_rows('location');
create trigger locations_truncated after truncate on locations
  for each statement execute function count_live_rows('location');

create trigger assets_inserted after insert on assets referencing new table as new_rows
  for each statement execute function count_live_rows('asset');
create trigger assets_updated after update on assets referencing old table as old_rows new table as new_rows
  for each statement execute function count_live_rows('asset');
create trigger assets_deleted after delete on assets referencing old table as old_rows
  for each statement execute function count_live_rows('asset');
create trigger assets_truncated after truncate on assets
  for each statement execute function count_live_rows('asset');

alter table live_row_counts enable row level security, force row level security;
create policy own_organization on live_row_counts to tagtrail_api
  using (org_id = current_org_id()) with check (org_id = current_org_id());
create policy every_organization on live_row_counts to tagtrail_service using (true) with check (true);
grant select on live_row_counts to tagtrail_api;
