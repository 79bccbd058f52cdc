-- Smoothing keeps an asset from bouncing between antennas whose ranges overlap. A setting holds for scans observed from
-- `valid_from` on, until the next one of the same organization or location; rows are never changed, so that history
-- stays a function of the scans whenever they arrive. Without a row nothing is smoothed.
--
-- `mode`: on; off; inherit (a location only: as the organization has it). `location_id` null is the organization's.
create table smoothing_settings (
  org_id integer not null,
  id integer generated always as identity,
  location_id integer,
  valid_from timestamptz not null,
  mode text not null,
  window_seconds integer,
  min_seconds integer,
  margin_db double precision,
  constraint smoothing_settings__org_id_id primary key (org_id, id),
  constraint smoothing_settings__org_id foreign key (org_id) references organizations (id),
  constraint smoothing_settings__org_id_location_id foreign key (org_id, location_id)
    references locations (org_id, id),
  constraint smoothing_settings__mode check (mode in ('on', 'off') or (mode = 'inherit' and location_id is not null)),
  constraint smoothing_settings__on check (
    case when mode = 'on'
      then window_seconds is not null and num_nonnulls(min_seconds, margin_db) > 0
      else num_nonnulls(window_seconds, min_seconds, margin_db) = 0
    end),
  constraint smoothing_settings__window_seconds check (window_seconds between 1 and 600),
  constraint smoothing_settings__min_seconds check (min_seconds between 1 and window_seconds),
  constraint smoothing_settings__margin_db check (margin_db > 0 and margin_db <= 100)
);
create index smoothing_settings__org_id_location_id_valid_from on smoothing_settings (org_id, location_id, valid_from);

-- Like raw scans it is no business of the API, which gets no privilege.
alter table smoothing_settings enable row level security, force row level security;
create policy own_organization on smoothing_settings to tagtrail_api
  using (org_id = current_org_id()) with check (org_id = current_org_id());
create policy every_organization on smoothing_settings to tagtrail_service using (true) with check (true);
