-- What rules have raised, and how it reaches the move feed.

-- Events of alerts are in the feed beside changes of histories, of no asset's history: `rows` is `{"alert": [...]}`, with
-- the one alert as it was then.
alter table unsealed_moves alter column asset_id drop not null;
alter table moves alter column asset_id drop not null;
alter table moves drop constraint moves__kind;
alter table moves add constraint moves__kind check (
  (asset_id is not null and kind in ('moved', 'corrected'))
  or (asset_id is null and kind in ('alert_opened', 'alert_acknowledged', 'alert_closed', 'alert_withdrawn'))
);
-- They are few among moves, and found by this.
create index moves__alerts on moves (org_id, position) where asset_id is null;

-- One for each stretch of time in which a rule's condition held for an asset or a reader. All but what people did is
-- derived, from scans, what readers heard, sweeps and rules.
create table alerts (
  org_id integer not null,
  id text collate "C" not null,
  rule_id text collate "C" not null,
  rule_valid_from timestamptz not null,
  rule_name text not null,
  kind text not null,
  asset_id integer,
  reader_id integer,
  location_id integer,
  level text,
  -- As observed.
  opened_at timestamptz not null,
  recorded_at timestamptz not null default clock_timestamp(),
  alarm_at timestamptz,
  state text not null default 'open',
  acknowledged_at timestamptz,
  acknowledged_by text,
  closed_at timestamptz,
  because json,
  constraint alerts__org_id_id primary key (org_id, id),
  constraint alerts__org_id_asset_id foreign key (org_id, asset_id) references assets (org_id, id),
  constraint alerts__org_id_reader_id foreign key (org_id, reader_id) references readers (org_id, id),
  constraint alerts__subject check (num_nonnulls(asset_id, reader_id) = 1),
  constraint alerts__kind check (kind in ('overdue', 'dwell', 'not_allowed', 'must_be', 'reader')),
  constraint alerts__level check (level in ('warning', 'alarm')),
  constraint alerts__state check (state in ('open', 'acknowledged', 'closed', 'withdrawn')),
  constraint alerts__acknowledged check (state <> 'acknowledged' or acknowledged_at is not null),
  constraint alerts__closed check (case state when 'closed' then closed_at is not null when 'withdrawn' then true
    else closed_at is null end)
);
create unique index alerts__open_of_asset on alerts (org_id, rule_id, asset_id)
  where state in ('open', 'acknowledged') and asset_id is not null;
create unique index alerts__open_of_reader on alerts (org_id, rule_id, reader_id)
  where state in ('open', 'acknowledged') and reader_id is not null;
create index alerts__org_id_asset_id_index on alerts (org_id, asset_id, opened_at) where asset_id is not null;
create index alerts__org_id_reader_id_index on alerts (org_id, reader_id, opened_at) where reader_id is not null;
create index alerts__org_id_opened_at_index on alerts (org_id, opened_at, id);
create index alerts__org_id_rule_id_index on alerts (org_id, rule_id, opened_at);

-- What is to be derived anew, since when: an asset, a reader, assets that were at a location or where a reader listens, or
-- all of the organization. Only ever inserted, so that recorders of late scans never wait for the deriver, which deletes
-- what it has derived.
create table alert_revisions (
  org_id integer not null,
  id bigint generated always as identity not null,
  subject text not null,
  -- Of the asset, reader or location; null for the organization.
  subject_id integer,
  since timestamptz not null,
  -- One of very many, which others need not wait for.
  is_bulk boolean not null default false,
  constraint alert_revisions__org_id_is_bulk_id primary key (org_id, is_bulk, id),
  constraint alert_revisions__subject check (subject in ('asset', 'reader', 'location', 'listening', 'organization')),
  constraint alert_revisions__subject_id check ((subject_id is null) = (subject = 'organization'))
);

-- The last event of the organization's feed that alerts are derived from.
create table alert_cursors (
  org_id integer not null,
  position bigint not null,
  constraint alert_cursors__org_id primary key (org_id),
  constraint alert_cursors__org_id_fkey foreign key (org_id) references organizations (id)
);

-- Up to when alerts are derived, by which process; it is left alone as long as it goes on.
create table alert_derivation (
  is_only boolean not null default true,
  derived_to timestamptz not null,
  derived_by uuid,
  derived_at timestamptz not null,
  constraint alert_derivation__is_only primary key (is_only),
  constraint alert_derivation__only check (is_only)
);

do $$
declare
  tenant_table text;
begin
  foreach tenant_table in array array['alerts', 'alert_revisions', 'alert_cursors'] loop
    execute format('alter table %I enable row level security, force row level security', tenant_table);
    execute format(
      'create policy own_organization on %I to tagtrail_api
       using (org_id = current_org_id()) with check (org_id = current_org_id())', tenant_table);
    execute format(
      'create policy every_organization on %I to tagtrail_service using (true) with check (true)', tenant_table);
  end loop;
end $$;

-- The API lists alerts; people acknowledge them.
grant select, update (state, acknowledged_at, acknowledged_by) on alerts to tagtrail_api;

-- Each change of an alert's state is an event of the feed, by the transaction that makes it, whoever does; one that is over
-- when it is found is opened and closed. With its owner's rights: who acknowledges an alert needs none on the feed.
create function tell_alert() returns trigger
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
  return null;
end $$;
revoke execute on function tell_alert from public;
create trigger alerts_inserted_told after insert on alerts for each row execute function tell_alert();
create trigger alerts_updated_told after update on alerts for each row
  when (old.state <> new.state or (old.level is distinct from new.level and new.level = 'alarm' and new.state <> 'closed'))
  execute function tell_alert();

-- Has alerts derived anew, if the organization has rules. With its owner's rights, as it is called by triggers on what many
-- write.
create function revise_alerts(org integer, what text, which integer, from_then timestamptz) returns void
language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  insert into alert_revisions (org_id, subject, subject_id, since)
  select org, what, which, from_then where exists (select from rules where rules.org_id = org)
$$;
revoke execute on function revise_alerts from public;

-- The arguments: what a row is about, the column with its id, and the column with the time since when; `now` for none.
create function revise_alerts_of_row() returns trigger
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
revoke execute on function revise_alerts_of_row from public;

create trigger rules_revise_alerts after insert on rules for each row
  execute function revise_alerts_of_row('organization', '', 'valid_from');
create trigger location_watches_revise_alerts after insert on location_watches for each row
  execute function revise_alerts_of_row('location', 'location_id', 'valid_from');
create trigger antenna_versions_revise_alerts after insert on antenna_versions for each row
  when (new.location_id is not null) execute function revise_alerts_of_row('location', 'location_id', 'since');
create trigger locations_revise_alerts after update on locations for each row
  when ((old.parent_id, old.deleted_at) is distinct from (new.parent_id, new.deleted_at))
  execute function revise_alerts_of_row('location', 'id', 'now');
create trigger sweeps_revise_alerts after insert on sweeps for each row
  execute function revise_alerts_of_row('location', 'location_id', 'began_at');
create trigger reader_spans_revise_alerts after insert on reader_spans for each row
  when (new.state <> 'up') execute function revise_alerts_of_row('reader', 'reader_id', 'started_at');
create trigger reader_spans_changed_revise_alerts after update on reader_spans for each row
  when (new.state <> 'up') execute function revise_alerts_of_row('reader', 'reader_id', 'started_at');
create trigger reader_spans_gone_revise_alerts after delete on reader_spans for each row
  when (old.state <> 'up') execute function revise_alerts_of_row('reader', 'reader_id', 'started_at');
create trigger reader_proofs_revise_alerts after insert on reader_proofs for each row
  execute function revise_alerts_of_row('listening', 'reader_id', 'started_at');
create trigger assets_revise_alerts after update on assets for each row
  when ((old.deleted_at, old.metadata::text) is distinct from (new.deleted_at, new.metadata::text))
  execute function revise_alerts_of_row('asset', 'id', 'now');
create trigger readers_revise_alerts after update on readers for each row
  when (old.deleted_at is distinct from new.deleted_at)
  execute function revise_alerts_of_row('reader', 'id', 'deleted_at');
