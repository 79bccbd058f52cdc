-- From scans to history. `scan_events` holds what was observed and is dropped by age; `location_transitions` (one row
-- per stay) and `positions` (one row per asset) are kept for good.
--
-- The first two are hypertables where TimescaleDB is installed. They have no foreign keys: those deadlock when chunks
-- are created concurrently. The recording transaction resolves and locks what they refer to instead.

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
  -- The retraction that took the scan back; null for all others, which costs their rows no byte. A scan that was taken
  -- back keeps its identity, and makes no history.
  retraction_id text collate "C",
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
do $$
begin
  if exists (select from pg_extension where extname = 'timescaledb') then
    perform create_hypertable('scan_events', 'observed_at',
      chunk_time_interval => interval '1 day', create_default_indexes => false);
  end if;
end $$;
alter table scan_events replica identity full;

-- `duration_seconds`: whole seconds from the previous transition to this one, null on an asset's first.
create table location_transitions (
  org_id integer not null,
  asset_id integer not null,
  observed_at timestamptz not null,
  location_id integer not null,
  duration_seconds bigint,
  -- The scan that decided the transition: the one that counts of its instant. Kept for good, as raw scans are not. As
  -- in `scan_events`, a reader's has reader and antenna, a handheld's has handheld, submission and index.
  received_at timestamptz,
  tag_type text,
  tag_value text collate "C",
  rssi double precision,
  reader_id integer,
  antenna smallint,
  handheld_id integer,
  submission_id text collate "C",
  submission_index integer,
  -- Why the deciding scan counts where smoothing asks for a proof: `no_rival`, `long_enough` or `stronger`. Null where
  -- it asks for none (a handheld's scan, a location that is not smoothed).
  proof text,
  constraint location_transitions__duration_seconds check (duration_seconds >= 0),
  -- Histories are read from the key alone: the location is beside it, so that a report on a month need not visit the
  -- rows, which lie in the order of their recording, each of an asset's on another page: 322 ms of a core instead of
  -- 557 for a location at 1e7.
  constraint location_transitions__org_id_asset_id_observed_at
    primary key (org_id, asset_id, observed_at) include (location_id)
) with (autovacuum_vacuum_insert_scale_factor = 0.01);
do $$
begin
  if exists (select from pg_extension where extname = 'timescaledb') then
    perform create_hypertable('location_transitions', 'observed_at',
      chunk_time_interval => interval '30 days', create_default_indexes => false);
  end if;
end $$;
create trigger location_transitions_added after insert on location_transitions
  for each row when (current_setting('tagtrail.keeps_marks', true) is distinct from 'on')
  execute function keep_history_mark();
create trigger location_transitions_removed after delete on location_transitions
  for each row when (current_setting('tagtrail.keeps_marks', true) is distinct from 'on')
  execute function keep_history_mark();

-- Where an asset is: its last stay. The row is made, without a stay, when the first scan of the asset is recorded.
create table positions (
  org_id integer not null,
  asset_id integer not null,
  location_id integer,
  since timestamptz,
  last_seen timestamptz,
  -- Always true. Processes of commits before the baseline read it, and run on during the upgrade.
  is_in_feed boolean not null default false,
  -- The `recorded_at` of the latest change of the asset's history in the feed: so that it never decreases along an
  -- asset, though the server's clock be set back, or another server with a slower clock take over.
  told_at timestamptz,
  is_of_deleted boolean not null default false,
  constraint positions__org_id_asset_id primary key (org_id, asset_id),
  constraint positions__org_id_asset_id_fkey foreign key (org_id, asset_id) references assets (org_id, id),
  constraint positions__org_id_location_id foreign key (org_id, location_id) references locations (org_id, id)
) with (fillfactor = 70);
create index positions__not_in_feed on positions (org_id, asset_id) where not is_in_feed;
-- The report at a location counts the positions there without those of deleted assets from this index alone.
create index positions__org_id_location_id_is_of_deleted on positions (org_id, location_id, is_of_deleted);
create trigger positions_inserted after insert on positions referencing new table as new_rows
  for each statement execute function count_positions();
create trigger positions_deleted after delete on positions referencing old table as old_rows
  for each statement execute function count_positions();
create trigger positions_truncated after truncate on positions
  for each statement execute function count_positions();

-- How many rows of history an asset has, kept for stretches of it, so that the total of a page costs the stretches
-- and not the rows: 20 to 50 ms for 100,000 rows without.
--
-- A mark stands at an instant, and its `stays` are the rows after the mark before (or the beginning) up to and
-- including that instant. What is later than the last mark is counted itself, and so are the rows at both ends of a
-- period. Who makes marks, and where, matters to the speed only; the recorder makes one for some 500 rows
-- (`mark_histories`). From then on triggers keep them, whoever writes (functions/history.sql).
--
-- Whoever adds or removes rows of an asset's history holds its position; so what a mark was made of does not change
-- meanwhile.
create table history_marks (
  org_id integer not null,
  asset_id integer not null,
  observed_at timestamptz not null,
  stays bigint not null,
  constraint history_marks__org_id_asset_id_observed_at primary key (org_id, asset_id, observed_at) include (stays)
);

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
  -- Who made the setting, beside the change log, in which it would be found only by reading all of an organization's
  -- changes.
  actor_type text,
  actor_id text collate "C",
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
  constraint smoothing_settings__margin_db check (margin_db > 0 and margin_db <= 100),
  constraint smoothing_settings__actor check (num_nonnulls(actor_type, actor_id) in (0, 2))
);
create index smoothing_settings__org_id_location_id_valid_from on smoothing_settings (org_id, location_id, valid_from);

-- Histories that are recomputed from the raw scans, by organization: how far that is (`asset_id`, in ascending order)
-- and when it was finished.
create table history_recomputations (
  org_id integer not null,
  asset_id integer not null default 0,
  finished_at timestamptz,
  constraint history_recomputations__org_id primary key (org_id),
  constraint history_recomputations__org_id_fkey foreign key (org_id) references organizations (id)
);
