-- What reaches the move feed, and what is published of it.

-- What was recorded at an instant or later and has no position in the feed yet, in the order it is to get. With its
-- owner's rights, as the API has no privilege on the queue.
create or replace function unsealed_since(of_org_id integer, instant timestamptz)
returns table (asset_id integer, id bigint, part integer, since timestamptz, rows json)
language plpgsql stable security definer rows 100
set search_path = pg_catalog, public, pg_temp as $$
begin
  if of_org_id is distinct from current_org_id() then
    return;
  end if;
  return query
    select unsealed.asset_id, unsealed.id, unsealed.part, unsealed.since, unsealed.rows
    from unsealed_moves unsealed
    where unsealed.org_id = of_org_id and unsealed.recorded_at >= instant;
end $$;

-- Each change of an alert's state is an event of the feed, written by the transaction that makes it; an alert that is
-- over when it is found is opened and closed. With its owner's rights: who acknowledges an alert needs none on the
-- feed.
create or replace function tell_alert() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  told text;
begin
  -- A copy of the database brings the events themselves.
  if current_setting('tagtrail.copying', true) = 'on' then
    return null;
  end if;
  foreach told in array case
    when tg_op = 'INSERT' and new.state = 'closed' then array['opened', 'closed']
    when tg_op = 'INSERT' or new.state = 'open' then array['opened']
    when new.state = old.state then array['opened']
    else array[new.state]
  end loop
    insert into unsealed_moves (org_id, kind, recorded_at, rows)
    values (new.org_id, 'alert_' || told, clock_timestamp(), json_build_object('alert', json_build_array(
      json_build_object(
        'id', new.id, 'rule_id', new.rule_id, 'rule_name', new.rule_name, 'kind', new.kind,
        'asset_id', new.asset_id, 'reader_id', new.reader_id, 'location_id', new.location_id, 'level', new.level,
        'state', case when told = 'opened' and new.state = 'closed' then 'open' else new.state end,
        'opened_at', micros_of_time(new.opened_at), 'recorded_at', micros_of_time(new.recorded_at),
        'acknowledged_at', micros_of_time(new.acknowledged_at), 'acknowledged_by', new.acknowledged_by,
        'closed_at', case when told <> 'opened' then micros_of_time(new.closed_at) end, 'because', new.because))));
  end loop;
  -- Wakes the sealer. Alerts are few, so that it is no matter that transactions that notify commit one at a time.
  perform pg_notify('moves_written', new.org_id::text);
  return null;
end $$;
revoke execute on function tell_alert from public;

-- Marks what is published over MQTT under another name than it has now, once a statement: by row, an import that
-- renames 20,000 locations took 1.23 times PostgreSQL's processor time, and takes 1.08.
--
-- Whoever changes assets or locations marks them with own rights, and sees the feeds of its own organization. Plans
-- are kept for the session, and the first is made for one row, as a rule: with nested loops, what joins 2,000 with
-- 2,000 next would compare each with each.
create or replace function mark_assets_outdated() returns trigger language plpgsql set enable_nestloop = off as $$
begin
  -- Only of organizations that are published, so nothing piles up where nobody asks for it.
  if not exists (select from mqtt_feeds) then
    return null;
  end if;
  insert into mqtt_outdated (org_id, asset_id)
  select after.org_id, after.id
  from new_rows after join old_rows before on before.org_id = after.org_id and before.id = after.id
  where (before.external_key, before.name, before.deleted_at)
      is distinct from (after.external_key, after.name, after.deleted_at)
    and after.org_id in (select org_id from mqtt_feeds)
  order by after.org_id, after.id
  on conflict (org_id, asset_id, location_id) do update set mark = excluded.mark, done_after = 0;
  return null;
end $$;

create or replace function mark_locations_outdated() returns trigger language plpgsql set enable_nestloop = off as $$
begin
  if not exists (select from mqtt_feeds) then
    return null;
  end if;
  -- A row below zero is an import's placeholder: nothing has been there yet.
  insert into mqtt_outdated (org_id, location_id)
  select after.org_id, after.id
  from new_rows after join old_rows before on before.org_id = after.org_id and before.id = after.id
  where after.id > 0
    and (before.external_key, before.name, before.parent_id)
      is distinct from (after.external_key, after.name, after.parent_id)
    and after.org_id in (select org_id from mqtt_feeds)
  order by after.org_id, after.id
  on conflict (org_id, asset_id, location_id) do update set mark = excluded.mark, done_after = 0;
  return null;
end $$;
