-- What has alerts derived again.

-- Has alerts derived again, if the organization has rules. With its owner's rights, as it is called by triggers on
-- what many write.
create or replace function revise_alerts(org integer, what text, which integer, from_then timestamptz) returns void
language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  insert into alert_revisions (org_id, subject, subject_id, since)
  select org, what, which, from_then where exists (select from rules where rules.org_id = org)
$$;

-- The arguments: what a row is about, the column with its id, and the column with the time since when; `now` for none.
create or replace function revise_alerts_of_row() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  changed constant jsonb := to_jsonb(case when tg_op = 'DELETE' then old else new end);
begin
  if current_setting('tagtrail.copying', true) is distinct from 'on' then
    perform revise_alerts((changed ->> 'org_id')::integer, tg_argv[0], (changed ->> tg_argv[1])::integer,
      case tg_argv[2] when 'now' then clock_timestamp() else (changed ->> tg_argv[2])::timestamptz end);
  end if;
  return null;
end $$;

-- A rule about a location ends with it, for assets wherever they are: all of the organization is derived again.
create or replace function revise_rules_of_location() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if current_setting('tagtrail.copying', true) is distinct from 'on'
    and exists (select from rules where rules.org_id = new.org_id and rules.location_id = new.id)
  then
    perform revise_alerts(new.org_id, 'organization', null, new.deleted_at);
  end if;
  return null;
end $$;

-- What a tag measured last counts until it is taken off. Without a join of the two tables, whose plan would be kept: one
-- made for a single tag takes minutes for ten thousand.
create or replace function revise_alerts_of_detached_tags() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if current_setting('tagtrail.copying', true) is distinct from 'on' then
    insert into alert_revisions (org_id, subject, subject_id, since)
    select org_id, 'asset', asset_id, min(detached_at)
    from (
      select org_id, asset_id, detached_at from new_tags where asset_id is not null and detached_at is not null
      except all
      select org_id, asset_id, detached_at from old_tags
    ) detached
    where exists (select from rules where rules.org_id = detached.org_id and rules.reading is not null)
    group by org_id, asset_id;
  end if;
  return null;
end $$;
revoke execute on function revise_alerts, revise_alerts_of_row, revise_rules_of_location, revise_alerts_of_detached_tags
  from public;
