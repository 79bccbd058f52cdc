-- How many positions live assets have, kept beside the counts of live rows (0007), so that the total of the report does not
-- have to read them all. A position is made with the first scan of its asset and then only updated, so that recording pays
-- nothing for it but then.
--
-- Whoever makes a position holds its asset's key until the transaction ends, and whoever soft-deletes an asset takes its
-- row's full lock: of the two, the second sees what the first did, and it is counted once.

-- Who writes assets or positions waits until all are counted: 1 s for a million. Readers do not, so the table that the
-- totals of lists are read from is changed when that is done.
lock table assets, positions in share row exclusive mode;
create temporary table counted_positions on commit drop as
  select asset.org_id, count(*) as row_count
  from positions position join assets asset on asset.org_id = position.org_id and asset.id = position.asset_id
  where asset.deleted_at is null group by asset.org_id;

alter table live_row_counts drop constraint live_row_counts__resource;
alter table live_row_counts add constraint live_row_counts__resource
  check (resource in ('asset', 'location', 'position'));

create function count_positions() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  case tg_op
    when 'INSERT' then
      perform add_live_rows('position', asset.org_id, true, count(*))
      from new_rows position
      join assets asset on asset.org_id = position.org_id and asset.id = position.asset_id
      where asset.deleted_at is null group by asset.org_id;
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

-- Of an asset that is soft-deleted, or brought back.
create function count_position_of_asset() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  -- Waits for whoever is making its position, and keeps others from it.
  perform from assets where org_id = new.org_id and id = new.id for update;
  if exists (select from positions where org_id = new.org_id and asset_id = new.id) then
    perform add_live_rows('position', new.org_id, true, case when new.deleted_at is null then 1 else -1 end);
  end if;
  return null;
end $$;

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

revoke execute on function count_positions, count_position_of_asset, recount_live_rows from public;

insert into live_row_counts (org_id, resource, is_active, row_count)
select org_id, 'position', true, row_count from counted_positions;

create trigger positions_inserted after insert on positions referencing new table as new_rows
  for each statement execute function count_positions();
create trigger positions_deleted after delete on positions referencing old table as old_rows
  for each statement execute function count_positions();
create trigger positions_truncated after truncate on positions
  for each statement execute function count_positions();
create trigger assets_positions_counted after update of deleted_at on assets
  for each row when ((old.deleted_at is null) <> (new.deleted_at is null))
  execute function count_position_of_asset();
