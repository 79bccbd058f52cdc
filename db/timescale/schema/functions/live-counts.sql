-- The counts of live assets and locations, and of positions of live assets (`live_row_counts`).

create or replace function add_live_rows(of_resource text, of_org_id integer, of_is_active boolean, change bigint)
returns void language plpgsql as $$
declare
  most constant bigint := case of_resource when 'asset' then 10000000 when 'location' then 1000000 end;
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
  if change > 0 and most < (
    select sum(row_count) from live_row_counts where org_id = of_org_id and resource = of_resource
  ) then
    raise exception using errcode = 'TT001', message = format(
      'Organization %s would have more than %s %ss, the maximum; delete some first', of_org_id, most, of_resource
    );
  end if;
end $$;

-- With its owner's rights: who changes assets needs none on the counts.
create or replace function count_live_rows() returns trigger
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

-- A position is made with the first scan of its asset and then only updated, so that recording pays for the count
-- only then. Whoever makes a position holds its asset's key until the transaction ends, and whoever soft-deletes an
-- asset takes its row's full lock: of the two, the second sees what the first did, and it is counted once.
create or replace function count_positions() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  case tg_op
    when 'INSERT' then
      perform add_live_rows('position', asset.org_id, true, count(*))
      from new_rows position
      join assets asset on asset.org_id = position.org_id and asset.id = position.asset_id
      where asset.deleted_at is null group by asset.org_id;
      -- The asset may have been deleted while its first position waited for that.
      update positions set is_of_deleted = true
      where ctid = any (array(
        select position.ctid from (select * from new_rows where not is_of_deleted) made
        cross join lateral (
          select from assets
          where org_id = made.org_id and id between made.asset_id and made.asset_id and deleted_at is not null
          order by id limit 1
        ) asset
        cross join lateral (
          select ctid from positions
          where org_id = made.org_id and asset_id between made.asset_id and made.asset_id order by asset_id limit 1
        ) position
      ));
    when 'DELETE' then
      perform add_live_rows('position', asset.org_id, true, -count(*))
      from old_rows position
      join assets asset on asset.org_id = position.org_id and asset.id = position.asset_id
      where asset.deleted_at is null group by asset.org_id;
    when 'TRUNCATE' then
      delete from live_row_counts where resource = 'position';
  end case;
  return null;
end $$;

-- The position of an asset that is soft-deleted, or brought back.
create or replace function count_position_of_asset() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  -- Waits for whoever is making its position, and keeps others from it.
  perform from assets where org_id = new.org_id and id = new.id for update;
  -- By its primary key, whatever statistics say.
  update positions set is_of_deleted = new.deleted_at is not null
  where ctid = (
    select ctid from positions
    where org_id = new.org_id and asset_id between new.id and new.id order by asset_id limit 1 for no key update
  );
  if found then
    perform add_live_rows('position', new.org_id, true, case when new.deleted_at is null then 1 else -1 end);
  end if;
  return null;
end $$;

-- Counts from the rows; nobody can change them meanwhile. For an administrator who brought rows in past the triggers.
create or replace function recount_live_rows() returns void language sql as $$
  lock table locations, assets, positions in share row exclusive mode;
  delete from live_row_counts;
  insert into live_row_counts (org_id, resource, is_active, row_count)
  select org_id, 'location', is_active, count(*) from locations where deleted_at is null group by org_id, is_active
  union all
  select org_id, 'asset', is_active, count(*) from assets where deleted_at is null group by org_id, is_active
  union all
  select asset.org_id, 'position', true, count(*)
  from positions position join assets asset on asset.org_id = position.org_id and asset.id = position.asset_id
  where asset.deleted_at is null group by asset.org_id;
$$;
revoke execute on function add_live_rows, count_live_rows, count_positions, count_position_of_asset, recount_live_rows
  from public;
