-- Rules, by which people say that they want to know when something is not where it should be, and the alerts that
-- rules raise.

-- A rule as it was set; rows are never changed, so alerts of the past stay as they are. At an instant the row counts
-- that has the greatest `version` of those with `valid_from` up to then; none of the rule if that one ends it
-- (`is_ended`). So a later setting counts from its `valid_from` on, in place of all that were to count then. Null or
-- empty selects everything.
create table rules (
  org_id integer not null,
  id text collate "C" not null,
  version integer not null,
  valid_from timestamptz not null,
  is_ended boolean not null,
  recorded_at timestamptz not null default now(),
  kind text not null,
  name text not null,
  after_seconds integer,
  then_seconds integer,
  location_id integer,
  hours text,
  time_zone text,
  asset_ids integer[],
  within_location_id integer,
  metadata jsonb not null,
  reader_ids integer[],
  mail_to text[] not null,
  constraint rules__org_id_id_version primary key (org_id, id, version),
  constraint rules__org_id foreign key (org_id) references organizations (id),
  constraint rules__org_id_location_id foreign key (org_id, location_id) references locations (org_id, id),
  constraint rules__org_id_within_location_id
    foreign key (org_id, within_location_id) references locations (org_id, id),
  constraint rules__id check (id ~ '^[0-7][0-9A-HJKMNP-TV-Z]{25}$'),
  constraint rules__version check (version > 0),
  constraint rules__kind check (kind in ('overdue', 'dwell', 'not_allowed', 'must_be', 'reader')),
  constraint rules__name check (char_length(name) between 1 and 255),
  constraint rules__after_seconds check (after_seconds between 0 and 2592000),
  constraint rules__then_seconds check (then_seconds > after_seconds and then_seconds <= 2592000),
  constraint rules__hours check ((hours is null) = (time_zone is null)),
  constraint rules__asset_ids check (cardinality(asset_ids) between 1 and 1000),
  constraint rules__metadata check (jsonb_typeof(metadata) = 'array' and jsonb_array_length(metadata) <= 10),
  constraint rules__reader_ids check (cardinality(reader_ids) between 1 and 1000),
  constraint rules__mail_to check (cardinality(mail_to) <= 20)
);
create trigger rules_revise_alerts after insert on rules for each row
  execute function revise_alerts_of_row('organization', '', 'valid_from');

-- One for each stretch of time in which a rule's condition held for an asset or a reader. All but what people did is
-- derived, from scans, spans of readers, sweeps and rules. `opened_at` is as observed.
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
-- Alerts are kept for good, and those that are not over are what people look at: 8 ms instead of 275 for their list, and 4
-- instead of 277 for their number, of a million alerts with 10,000 of them.
create index alerts__standing on alerts (org_id, opened_at, id) include (state) where state in ('open', 'acknowledged');
-- Those that were open at some time since: 56 ms instead of 500 for the last day.
create index alerts__org_id_closed_at_index on alerts (org_id, closed_at);
create trigger alerts_inserted_told after insert on alerts for each row execute function tell_alert();
create trigger alerts_updated_told after update on alerts for each row
  when (old.state <> new.state
    or (new.state <> 'closed' and ((old.level is distinct from new.level and new.level = 'alarm')
      or (new.kind = 'overdue' and old.alarm_at is null and new.alarm_at is not null))))
  execute function tell_alert();

-- What has to be derived again, and since when: an asset, a reader, assets that were at a location or where a reader
-- listens, or all of the organization. Only ever inserted, so that recorders of late scans never wait for the
-- deriver, which deletes what it has derived.
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

-- Up to when alerts are derived, by which process, which keeps the work as long as it goes on. `caught_up_at`: when a
-- turn last left nothing to derive.
create table alert_derivation (
  is_only boolean not null default true,
  derived_to timestamptz not null,
  derived_by uuid,
  derived_at timestamptz not null,
  caught_up_at timestamptz not null default now(),
  constraint alert_derivation__is_only primary key (is_only),
  constraint alert_derivation__only check (is_only)
);

-- Organizations whose alerts cannot be derived, because of one of their rules or because of what is known of an
-- asset. They are passed over, and tried again ever less often; others' alerts are derived meanwhile. Theirs are
-- derived up to `derived_to`: from then on all of their assets and readers are looked at, until the row is deleted.
create table alert_faults (
  org_id integer not null,
  derived_to timestamptz not null,
  reason text not null,
  since timestamptz not null default now(),
  constraint alert_faults__org_id primary key (org_id)
);

-- Organizations that raised as many alerts within an hour as they may. The rest are raised from `until` on: all
-- alerts since the earliest one that was not raised are derived again then. `rule_ids`: the rules whose alerts wait.
create table alert_floods (
  org_id integer not null,
  since timestamptz not null,
  until timestamptz not null,
  rule_ids text[] collate "C" not null default '{}',
  constraint alert_floods__org_id primary key (org_id)
);

-- E-mail of alerts: a recipient is a cursor into the move feed, as a webhook is, so nothing is queued.
--
-- A member of the organization whom a rule names, or named. Everything up to `position` was sent, was refused for
-- good, or needed no message. `tried_at`: when the last message was begun, be it of another organization's row of the
-- same user; within a minute nobody begins another. `failures`: how often the same message was tried since; not again
-- before `not_before`.
create table alert_mail_recipients (
  org_id integer not null,
  user_id integer not null,
  position bigint not null,
  tried_at timestamptz,
  failures smallint not null default 0,
  not_before timestamptz,
  -- Of the last message that was sent, or refused for good; `error` is what the server said to the latest.
  sent_at timestamptz,
  refused_at timestamptz,
  error text,
  constraint alert_mail_recipients__org_id_user_id primary key (org_id, user_id),
  constraint alert_mail_recipients__org_id foreign key (org_id) references organizations (id),
  constraint alert_mail_recipients__user_id foreign key (user_id) references users (id),
  constraint alert_mail_recipients__error check (char_length(error) <= 300)
);
