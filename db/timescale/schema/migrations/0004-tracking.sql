-- From scans to history. `scan_events` holds what was observed and is dropped by age; `location_transitions` (one
-- row per stay) and `positions` (one row per asset) are kept for good.
--
-- The first two are hypertables where TimescaleDB is installed. They have no foreign keys: those deadlock when
-- chunks are created concurrently. The recording transaction resolves and locks what they refer to instead.

-- The application counts time in whole microseconds since 1970. Both functions are exact and are inlined.
create function time_of_micros(micros bigint) returns timestamptz language sql stable strict
  return timestamptz 'epoch' + micros * interval '1 microsecond';
create function micros_of_time(at timestamptz) returns bigint language sql stable strict
  return (extract(epoch from at) * 1000000)::bigint;

-- A fixed reader's scan has reader and antenna, a handheld's has handheld, submission and index. `tag_value` is the
-- value of the tag that the read resolved to: with it a read stays the same read when its tag is attached anew.
create table scan_events (
  org_id integer not null,
  asset_id integer not null,
  location_id integer not null,
  observed_at timestamptz not null,
  received_at timestamptz not null,
  time_is_received boolean not null,
  tag_type text not null,
  tag_value text collate "C" not null,
  rssi double precision,
  reader_id integer,
  antenna smallint,
  handheld_id integer,
  submission_id text collate "C",
  submission_index integer,
  constraint scan_events__source check (
    (num_nonnulls(reader_id, antenna) = 2 and num_nonnulls(handheld_id, submission_id, submission_index) = 0)
    or (num_nonnulls(reader_id, antenna) = 0 and num_nonnulls(handheld_id, submission_id, submission_index) = 3)
  )
);
-- Identity of a scan. The time comes second, so that new entries land at the end of the index.
create unique index scan_events__reader on scan_events
  (org_id, observed_at, reader_id, antenna, tag_type, tag_value) where reader_id is not null;
create unique index scan_events__submission on scan_events
  (org_id, observed_at, submission_id, submission_index) where submission_id is not null;
create index scan_events__asset on scan_events (org_id, asset_id, observed_at);

-- `duration_seconds`: whole seconds from the previous transition to this one, null on an asset's first.
create table location_transitions (
  org_id integer not null,
  asset_id integer not null,
  observed_at timestamptz not null,
  location_id integer not null,
  duration_seconds bigint,
  constraint location_transitions__org_id_asset_id_observed_at primary key (org_id, asset_id, observed_at),
  constraint location_transitions__duration_seconds check (duration_seconds >= 0)
);

-- Where an asset is: its last stay. The row is made, without a stay, when the first scan of the asset is recorded.
create table positions (
  org_id integer not null,
  asset_id integer not null,
  location_id integer,
  since timestamptz,
  last_seen timestamptz,
  constraint positions__org_id_asset_id primary key (org_id, asset_id),
  constraint positions__org_id_asset_id_fkey foreign key (org_id, asset_id) references assets (org_id, id),
  constraint positions__org_id_location_id foreign key (org_id, location_id) references locations (org_id, id)
) with (fillfactor = 70);
create index positions__org_id_location_id on positions (org_id, location_id);

do $$
begin
  if exists (select from pg_extension where extname = 'timescaledb') then
    perform create_hypertable('scan_events', 'observed_at',
      chunk_time_interval => interval '1 day', create_default_indexes => false);
    perform create_hypertable('location_transitions', 'observed_at',
      chunk_time_interval => interval '30 days', create_default_indexes => false);
  end if;
end $$;
