-- When readers could be heard, when they were silent, and how locations are watched. Nothing can be said of an asset
-- that is not read, unless somebody was listening where it is.

-- A stretch of messages: of a reader's messages, however many processes heard them, each came within 15 s of the one
-- before. Longer gaps lie between stretches, so that the reader's usual silence can be learned from them, counted as
-- 30 s at least (twice the longest gap but one in a thousand). The last stretch of a reader is in `reader_counters`,
-- since each commit writes that anyway; the stretches before it are here.
--
-- `state`: `up`: messages were received (`messages`: how many); `disconnected`: from its last disconnect from the
-- embedded broker to its next connect, without `ended_at` until then; `silent`: a silence that was derived.
create table reader_spans (
  org_id integer not null,
  reader_id integer not null,
  state text not null,
  started_at timestamptz not null,
  ended_at timestamptz,
  messages bigint,
  constraint reader_spans__org_id_reader_id_state_started_at primary key (org_id, reader_id, state, started_at),
  constraint reader_spans__org_id_reader_id foreign key (org_id, reader_id) references readers (org_id, id),
  constraint reader_spans__state check (state in ('up', 'silent', 'disconnected')),
  constraint reader_spans__ended_at check (ended_at >= started_at),
  constraint reader_spans__messages check ((state = 'up') = (messages is not null)),
  constraint reader_spans__up check (state <> 'up' or ended_at is not null)
);
create unique index reader_spans__org_id_reader_id_open on reader_spans (org_id, reader_id, state)
  where ended_at is null;
create trigger reader_spans_revise_alerts after insert on reader_spans for each row
  when (new.state <> 'up') execute function revise_alerts_of_row('reader', 'reader_id', 'started_at');
create trigger reader_spans_changed_revise_alerts after update on reader_spans for each row
  when (new.state <> 'up') execute function revise_alerts_of_row('reader', 'reader_id', 'started_at');
create trigger reader_spans_gone_revise_alerts after delete on reader_spans for each row
  when (old.state <> 'up' and current_setting('tagtrail.packs_spans', true) is distinct from 'on')
  execute function revise_alerts_of_row('reader', 'reader_id', 'started_at');

-- Days of `reader_spans` that have many rows: of a reader that connects for each message, every message is a stretch
-- and every time between two an absence, up to 11,520 rows a day. Those of a day (UTC) are one row here once they are
-- eight days old. Nothing is rounded or left out: readers of spans of so long ago read both tables.
--
-- Spans are `up` and `disconnected`, each of an hour at most and in order. None of them is the reader's last of its
-- state, so a query for that looks at `reader_spans` only.
create table reader_packed_spans (
  org_id integer not null,
  reader_id integer not null,
  started_at timestamptz not null,
  ended_at timestamptz not null,
  heard_since timestamptz[] not null,
  heard_until timestamptz[] not null,
  heard_messages bigint[] not null,
  away_since timestamptz[] not null,
  away_until timestamptz[] not null,
  constraint reader_packed_spans__org_id_reader_id_started_at primary key (org_id, reader_id, started_at),
  constraint reader_packed_spans__org_id_reader_id foreign key (org_id, reader_id) references readers (org_id, id),
  constraint reader_packed_spans__ended_at check (ended_at >= started_at),
  constraint reader_packed_spans__heard check (
    cardinality(heard_until) = cardinality(heard_since) and cardinality(heard_messages) = cardinality(heard_since)),
  constraint reader_packed_spans__away check (cardinality(away_until) = cardinality(away_since))
);

-- Stretches in which readers were heard, joined so that they are cheap to read: derived from `reader_spans`, of the
-- last eight days.
--
-- Each joins stretches (`up` of `reader_spans`) of which each began before the reader could be missed after the one
-- before. Those from the first row of a reader to the last are all in one of its rows; those before and after are in
-- none. Rows that end later than 15 s before what `silence_revisions` has of the reader count no more, and go with
-- the next turn of deriving, so a late commit locks nothing here.
create table reader_joined_spans (
  org_id integer not null,
  reader_id integer not null,
  started_at timestamptz not null,
  ended_at timestamptz not null,
  constraint reader_joined_spans__org_id_reader_id_started_at primary key (org_id, reader_id, started_at),
  constraint reader_joined_spans__org_id_reader_id foreign key (org_id, reader_id) references readers (org_id, id),
  constraint reader_joined_spans__ended_at check (ended_at >= started_at)
);

-- Readers that are connected to the embedded broker: those still in here when a broker starts were cut off by the end
-- of the one before.
create table reader_connections (
  org_id integer not null,
  reader_id integer not null,
  connected_at timestamptz not null,
  constraint reader_connections__org_id_reader_id primary key (org_id, reader_id),
  constraint reader_connections__org_id_reader_id_fkey foreign key (org_id, reader_id) references readers (org_id, id)
);

-- What a reader had buffered and sent later: reads that it made within 15 s of each other, by its own clock, while no
-- message of it was received. It was listening, whether or not it could be reached. `learned_at`: when the last of
-- them was received.
create table reader_proofs (
  org_id integer not null,
  reader_id integer not null,
  started_at timestamptz not null,
  ended_at timestamptz not null,
  learned_at timestamptz not null,
  constraint reader_proofs__org_id_reader_id_started_at primary key (org_id, reader_id, started_at),
  constraint reader_proofs__org_id_reader_id foreign key (org_id, reader_id) references readers (org_id, id),
  constraint reader_proofs__ended_at check (ended_at >= started_at)
);
create trigger reader_proofs_revise_alerts after insert on reader_proofs for each row
  execute function revise_alerts_of_row('listening', 'reader_id', 'started_at');

-- When a reader's reads came late, so that hearing it proved nothing: a clock that is behind, or reads that were
-- buffered.
--
-- From the last message with reads in time, or from the newest read in the first that came late if that is later, up
-- to the last message that did. A message's reads are late if the newest is older than 15 s when it is received. What
-- is within 15 s of a message in time is left out: old reads are sent between new ones then. Rows of a reader do not
-- overlap.
create table reader_delays (
  org_id integer not null,
  reader_id integer not null,
  started_at timestamptz not null,
  ended_at timestamptz not null,
  constraint reader_delays__org_id_reader_id_started_at primary key (org_id, reader_id, started_at),
  constraint reader_delays__org_id_reader_id foreign key (org_id, reader_id) references readers (org_id, id),
  constraint reader_delays__ended_at check (ended_at >= started_at)
);
-- A row that only grows changes nothing that was said: what it takes away, the reads that came prove.
create trigger reader_delays_revise_alerts after insert on reader_delays for each row
  execute function revise_alerts_of_row('listening', 'reader_id', 'started_at');

-- How long a reader may say nothing before it is silent, dated: a row is never changed, so past silences stay as they
-- are. `set` by somebody (null `seconds`: what is learned counts again), or `learned`. At least as long as the gap
-- within a stretch of messages, since shorter silences are not kept.
create table reader_expectations (
  org_id integer not null,
  reader_id integer not null,
  origin text not null,
  valid_from timestamptz not null default clock_timestamp(),
  seconds integer,
  constraint reader_expectations__org_id_reader_id_origin_valid_from
    primary key (org_id, reader_id, origin, valid_from),
  constraint reader_expectations__org_id_reader_id foreign key (org_id, reader_id) references readers (org_id, id),
  constraint reader_expectations__origin check (origin in ('set', 'learned')),
  constraint reader_expectations__seconds check (seconds between 15 and 86400),
  constraint reader_expectations__learned check (origin = 'set' or seconds is not null)
);
create trigger reader_expectations_revise after insert on reader_expectations for each row
  execute function revise_silences_of_expectation();

-- Up to when silences are derived, by which process, which keeps the work as long as it goes on.
create table silence_derivation (
  is_only boolean not null default true,
  derived_to timestamptz not null,
  derived_by uuid,
  derived_at timestamptz not null,
  constraint silence_derivation__is_only primary key (is_only),
  constraint silence_derivation__only check (is_only)
);

-- Readers whose silences since then have to be derived again: something was recorded out of order, or the expectation
-- changed.
create table silence_revisions (
  org_id integer not null,
  reader_id integer not null,
  since timestamptz not null,
  constraint silence_revisions__org_id_reader_id primary key (org_id, reader_id),
  constraint silence_revisions__org_id_reader_id_fkey foreign key (org_id, reader_id) references readers (org_id, id)
);
create trigger silence_revisions_drop_joined after delete on silence_revisions
  referencing old table as gone for each statement execute function drop_joined_stretches();

-- Organizations whose silences of readers cannot be derived, for `doctor`: they are passed over, and tried again ever less often.
create table silence_faults (
  org_id integer not null,
  reason text not null,
  since timestamptz not null default now(),
  constraint silence_faults__org_id primary key (org_id)
);

-- When processes of ingestion could hear: connected to their broker, and every message received until then committed. A row
-- for each stretch of a process, kept up every second. While there is none, nobody is silent.
create table intake_watches (
  id uuid not null,
  started_at timestamptz not null,
  ended_at timestamptz not null,
  constraint intake_watches__id primary key (id),
  constraint intake_watches__ended_at check (ended_at >= started_at)
);
create index intake_watches__ended_at_index on intake_watches (ended_at);

-- How a location is watched, from `valid_from` until its next row; rows are never changed, so the past stays as it
-- was. `portal`: things pass, as at a location without a row. `continuous`: what is there is read again and again, at
-- the latest after `max_gap_seconds` (`is_learned`: by past reads there; null: not known yet), while `coverage` of
-- its antennas are up.
create table location_watches (
  org_id integer not null,
  location_id integer not null,
  valid_from timestamptz not null,
  mode text not null,
  max_gap_seconds integer,
  is_learned boolean not null,
  coverage text not null,
  constraint location_watches__org_id_location_id_valid_from primary key (org_id, location_id, valid_from),
  constraint location_watches__org_id_location_id foreign key (org_id, location_id) references locations (org_id, id),
  constraint location_watches__mode check (mode in ('portal', 'continuous')),
  constraint location_watches__max_gap_seconds check (max_gap_seconds between 1 and 86400),
  constraint location_watches__portal check (mode = 'continuous' or (max_gap_seconds is null and not is_learned)),
  constraint location_watches__is_learned check (is_learned or mode = 'portal' or max_gap_seconds is not null),
  constraint location_watches__coverage check (coverage in ('all', 'any'))
);
create trigger location_watches_revise_alerts after insert on location_watches for each row
  execute function revise_alerts_of_row('location', 'location_id', 'valid_from');
