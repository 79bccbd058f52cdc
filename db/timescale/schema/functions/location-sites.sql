-- The version of what an organization's locations are decided by, and of it without settings and new locations, its layout. With
-- their owner's rights: who changes a location, an antenna or a plan needs none on it. A copy of the database brings the versions
-- themselves.

create or replace function begin_location_sites() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if current_setting('tagtrail.copying', true) is distinct from 'on' then
    insert into location_sites as stored (org_id) select distinct org_id from new_rows order by org_id
    on conflict (org_id) do update set version = stored.version + 1;
  end if;
  return null;
end $$;
revoke execute on function begin_location_sites from public;

create or replace function raise_location_sites() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if current_setting('tagtrail.copying', true) is distinct from 'on' then
    update location_sites set version = version + 1,
      layout = layout + (tg_table_name not in ('location_settings', 'locations'))::integer
    where org_id = any (array(select distinct org_id from new_rows order by org_id));
  end if;
  return null;
end $$;
revoke execute on function raise_location_sites from public;

create or replace function raise_sites_of_moved_locations() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if current_setting('tagtrail.copying', true) is distinct from 'on'
    and exists (select from location_sites where org_id in (select org_id from new_rows)) then
    update location_sites set version = version + 1, layout = layout + 1
    where org_id = any (array(
      select distinct after.org_id from new_rows after
      left join old_rows before on before.org_id = after.org_id and before.id = after.id
      where before.id is null
        or (before.parent_id, before.deleted_at is null) is distinct from (after.parent_id, after.deleted_at is null)
      order by after.org_id));
  end if;
  return null;
end $$;
revoke execute on function raise_sites_of_moved_locations from public;

create or replace function raise_location_site() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  update location_sites set version = version + 1, layout = layout + 1 where org_id = new.org_id;
  return null;
end $$;
revoke execute on function raise_location_site from public;
