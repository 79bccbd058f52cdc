-- What people do with handhelds: submissions of scans, retractions, and sweeps of locations.

-- A submission is answered once: a repeat gets the stored answer.
create table submissions (
  org_id integer not null,
  id text collate "C" not null,
  handheld_id integer not null,
  body_sha256 bytea not null,
  received_at timestamptz not null default now(),
  answer json not null,
  constraint submissions__org_id_id primary key (org_id, id),
  constraint submissions__org_id_handheld_id foreign key (org_id, handheld_id) references handhelds (org_id, id),
  constraint submissions__body_sha256 check (octet_length(body_sha256) = 32)
);
create index submissions__received_at on submissions (received_at);
-- The last submission of each handheld, which the list of handhelds shows.
create index submissions__org_id_handheld_id_received_at on submissions (org_id, handheld_id, received_at);
create trigger submissions_held after insert on submissions referencing new table as new_rows
  for each statement execute function refuse_while_held();

-- What people take back of what they scanned with handhelds (tracking rule 10). Kept for good if it took anything back:
-- it says who did, and when. `indexes`: of scans in the submission, ascending. `handheld_id`: only scans of this handheld
-- are taken back; null for any. `taken_back`: how many scans it has marked so far.
create table retractions (
  org_id integer not null,
  id text collate "C" not null,
  submission_id text collate "C" not null,
  indexes integer[] not null,
  handheld_id integer,
  actor_type text not null,
  actor_id text not null,
  request_id text,
  received_at timestamptz not null,
  taken_back integer not null default 0,
  answer json not null,
  constraint retractions__org_id_id primary key (org_id, id),
  constraint retractions__org_id foreign key (org_id) references organizations (id),
  constraint retractions__org_id_handheld_id foreign key (org_id, handheld_id) references handhelds (org_id, id)
);
create index retractions__org_id_submission_id on retractions (org_id, submission_id);
create index retractions__received_at on retractions (received_at) where taken_back = 0;
create trigger retractions_held after insert on retractions referencing new table as new_rows
  for each statement execute function refuse_while_held();

-- What people found when they swept a location: kept for good, as evidence of what was there and what was not.
--
-- `began_at`, `ended_at`: by this service's clock. `expected`, `found`, `moved_here`, `missing`, `unknown`: how many
-- different assets or tag values each list has, so that a page of sweeps is read without their assets.
-- `unknown_tags`: tag values as they were sent, in their order.
create table sweeps (
  org_id integer not null,
  id text collate "C" not null,
  handheld_id integer not null,
  body_sha256 bytea not null,
  received_at timestamptz not null,
  location_id integer not null,
  began_at timestamptz not null,
  ended_at timestamptz not null,
  include_descendants boolean not null,
  expected integer not null,
  found integer not null,
  moved_here integer not null,
  missing integer not null,
  unknown integer not null,
  unknown_tags text[] not null,
  constraint sweeps__org_id_id primary key (org_id, id),
  constraint sweeps__body_sha256 check (octet_length(body_sha256) = 32),
  constraint sweeps__ended_at check (ended_at >= began_at),
  constraint sweeps__org_id_handheld_id foreign key (org_id, handheld_id) references handhelds (org_id, id),
  constraint sweeps__org_id_location_id foreign key (org_id, location_id) references locations (org_id, id)
);
create index sweeps__org_id_ended_at on sweeps (org_id, ended_at, id);
create index sweeps__org_id_location_id_ended_at on sweeps (org_id, location_id, ended_at);
create trigger sweeps_revise_alerts after insert on sweeps for each row
  execute function revise_alerts_of_row('location', 'location_id', 'began_at');
create trigger sweeps_held after insert on sweeps referencing new table as new_rows
  for each statement execute function refuse_while_held();

-- An asset of a sweep, and the lists that it was in. Without foreign keys: ids are kept as the device sent them, whether
-- or not the organization has such assets, and a sweep has up to 40,000 rows, which are written with it and stay.
create table sweep_assets (
  org_id integer not null,
  sweep_id text collate "C" not null,
  asset_id integer not null,
  expected boolean not null,
  found boolean not null,
  moved_here boolean not null,
  missing boolean not null,
  constraint sweep_assets__org_id_sweep_id_asset_id primary key (org_id, sweep_id, asset_id)
);
-- The sweeps that missed an asset: the question whether an asset is where it was seen last reads nothing else of
-- sweeps of long ago.
create index sweep_assets__org_id_asset_id on sweep_assets (org_id, asset_id)
  where (expected or missing) and not found and not moved_here;
