-- Before a location is deleted, and for what is there now, positions of deleted assets are passed over by an index. It was one
-- look at each: 100,000 deleted assets at a location kept it locked for 0.2 s, and before the first ANALYZE for minutes.
-- No asset is deleted meanwhile: that would be missed.
lock table assets, positions in share row exclusive mode;
alter table positions add column is_of_deleted boolean not null default false;
update positions position set is_of_deleted = true
from assets asset
where asset.org_id = position.org_id and asset.id = position.asset_id and asset.deleted_at is not null;

-- Who records waits while the index is made, readers do not. It is the one before with a column more, so that a move writes as
-- many entries.
create index positions__org_id_location_id_is_of_deleted on positions (org_id, location_id, is_of_deleted);
drop index positions__org_id_location_id;

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
