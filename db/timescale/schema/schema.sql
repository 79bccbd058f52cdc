-- Generated from the migrations by `npm run schema`; for reading, never run.

create table alert_cursors (
  org_id integer not null,
  position bigint not null,
  left_out_assets integer[] not null default '{}'::integer[],
  left_out_readers integer[] not null default '{}'::integer[],
  constraint alert_cursors__org_id PRIMARY KEY (org_id),
  constraint alert_cursors__org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id)
);

create table alert_derivation (
  is_only boolean not null default true,
  derived_to timestamp with time zone not null,
  derived_by uuid,
  derived_at timestamp with time zone not null,
  caught_up_at timestamp with time zone not null default now(),
  constraint alert_derivation__is_only PRIMARY KEY (is_only),
  constraint alert_derivation__only CHECK (is_only)
);

create table alert_faults (
  org_id integer not null,
  derived_to timestamp with time zone not null,
  reason text not null,
  since timestamp with time zone not null default now(),
  constraint alert_faults__org_id PRIMARY KEY (org_id)
);

create table alert_floods (
  org_id integer not null,
  since timestamp with time zone not null,
  until timestamp with time zone not null,
  rule_ids text[] collate "C" not null default '{}'::text[],
  constraint alert_floods__org_id PRIMARY KEY (org_id)
);

create table alert_mail_recipients (
  org_id integer not null,
  user_id integer not null,
  position bigint not null,
  tried_at timestamp with time zone,
  failures smallint not null default 0,
  not_before timestamp with time zone,
  sent_at timestamp with time zone,
  refused_at timestamp with time zone,
  error text,
  done_beyond jsonb not null default '{}'::jsonb,
  constraint alert_mail_recipients__org_id_user_id PRIMARY KEY (org_id, user_id),
  constraint alert_mail_recipients__error CHECK ((char_length(error) <= 300)),
  constraint alert_mail_recipients__org_id FOREIGN KEY (org_id) REFERENCES organizations(id),
  constraint alert_mail_recipients__user_id FOREIGN KEY (user_id) REFERENCES users(id)
);

create table alert_revisions (
  org_id integer not null,
  id bigint generated always as identity not null,
  subject text not null,
  subject_id integer,
  since timestamp with time zone not null,
  is_bulk boolean not null default false,
  constraint alert_revisions__org_id_is_bulk_id PRIMARY KEY (org_id, is_bulk, id),
  constraint alert_revisions__subject CHECK ((subject = ANY (ARRAY['asset'::text, 'reader'::text, 'location'::text, 'listening'::text, 'organization'::text]))),
  constraint alert_revisions__subject_id CHECK (((subject_id IS NULL) = (subject = 'organization'::text)))
);

create table alerts (
  org_id integer not null,
  id text collate "C" not null,
  rule_id text collate "C" not null,
  rule_valid_from timestamp with time zone not null,
  rule_name text not null,
  kind text not null,
  asset_id integer,
  reader_id integer,
  location_id integer,
  level text,
  opened_at timestamp with time zone not null,
  recorded_at timestamp with time zone not null default clock_timestamp(),
  alarm_at timestamp with time zone,
  state text not null default 'open'::text,
  acknowledged_at timestamp with time zone,
  acknowledged_by text,
  closed_at timestamp with time zone,
  because json,
  constraint alerts__org_id_id PRIMARY KEY (org_id, id),
  constraint alerts__acknowledged CHECK (((state <> 'acknowledged'::text) OR (acknowledged_at IS NOT NULL))),
  constraint alerts__closed CHECK (
CASE state
    WHEN 'closed'::text THEN (closed_at IS NOT NULL)
    WHEN 'withdrawn'::text THEN true
    ELSE (closed_at IS NULL)
END),
  constraint alerts__kind CHECK ((kind = ANY (ARRAY['overdue'::text, 'dwell'::text, 'not_allowed'::text, 'must_be'::text, 'reader'::text, 'reading'::text, 'battery_low'::text]))) NOT VALID,
  constraint alerts__level CHECK ((level = ANY (ARRAY['warning'::text, 'alarm'::text]))),
  constraint alerts__org_id_asset_id FOREIGN KEY (org_id, asset_id) REFERENCES assets(org_id, id),
  constraint alerts__org_id_reader_id FOREIGN KEY (org_id, reader_id) REFERENCES readers(org_id, id),
  constraint alerts__state CHECK ((state = ANY (ARRAY['open'::text, 'acknowledged'::text, 'closed'::text, 'withdrawn'::text]))),
  constraint alerts__subject CHECK ((num_nonnulls(asset_id, reader_id) = 1))
);
CREATE UNIQUE INDEX alerts__open_of_asset ON public.alerts USING btree (org_id, rule_id, asset_id) WHERE ((state = ANY (ARRAY['open'::text, 'acknowledged'::text])) AND (asset_id IS NOT NULL));
CREATE UNIQUE INDEX alerts__open_of_reader ON public.alerts USING btree (org_id, rule_id, reader_id) WHERE ((state = ANY (ARRAY['open'::text, 'acknowledged'::text])) AND (reader_id IS NOT NULL));
CREATE INDEX alerts__org_id_asset_id_index ON public.alerts USING btree (org_id, asset_id, opened_at) WHERE (asset_id IS NOT NULL);
CREATE INDEX alerts__org_id_closed_at_index ON public.alerts USING btree (org_id, closed_at);
CREATE INDEX alerts__org_id_opened_at_index ON public.alerts USING btree (org_id, opened_at, id);
CREATE INDEX alerts__org_id_reader_id_index ON public.alerts USING btree (org_id, reader_id, opened_at) WHERE (reader_id IS NOT NULL);
CREATE INDEX alerts__org_id_rule_id_index ON public.alerts USING btree (org_id, rule_id, opened_at);
CREATE INDEX alerts__standing ON public.alerts USING btree (org_id, opened_at, id) INCLUDE (state) WHERE (state = ANY (ARRAY['open'::text, 'acknowledged'::text]));
CREATE TRIGGER alerts_inserted_told AFTER INSERT ON public.alerts FOR EACH ROW EXECUTE FUNCTION tell_alert();
CREATE TRIGGER alerts_updated_told AFTER UPDATE ON public.alerts FOR EACH ROW WHEN (((old.state <> new.state) OR ((new.state <> 'closed'::text) AND (((old.level IS DISTINCT FROM new.level) AND (new.level = 'alarm'::text)) OR ((new.kind = 'overdue'::text) AND (old.alarm_at IS NULL) AND (new.alarm_at IS NOT NULL)))))) EXECUTE FUNCTION tell_alert();

create table antenna_versions (
  org_id integer not null,
  reader_id integer not null,
  port smallint not null,
  since timestamp with time zone not null,
  location_id integer,
  is_enabled boolean not null,
  constraint antenna_versions__org_id_reader_id_port_since PRIMARY KEY (org_id, reader_id, port, since),
  constraint antenna_versions__org_id_reader_id FOREIGN KEY (org_id, reader_id) REFERENCES readers(org_id, id)
);
CREATE INDEX antenna_versions__org_id_location_id_index ON public.antenna_versions USING btree (org_id, location_id);
CREATE TRIGGER antenna_versions_revise_alerts AFTER INSERT ON public.antenna_versions FOR EACH ROW WHEN ((new.location_id IS NOT NULL)) EXECUTE FUNCTION revise_alerts_of_row('location', 'location_id', 'since');

create table antennas (
  org_id integer not null,
  reader_id integer not null,
  port smallint not null,
  location_id integer,
  min_rssi double precision,
  is_enabled boolean not null default true,
  offset_db double precision not null default 0,
  height_m double precision not null default 1,
  name text collate "C",
  device_port integer,
  constraint antennas__org_id_reader_id_port PRIMARY KEY (org_id, reader_id, port),
  constraint antennas__device_port CHECK (((device_port >= 1) AND (device_port <= 65535))) NOT VALID,
  constraint antennas__height_m CHECK (((height_m >= (0)::double precision) AND (height_m <= (100)::double precision))) NOT VALID,
  constraint antennas__name CHECK (((char_length(name) >= 1) AND (char_length(name) <= 64))) NOT VALID,
  constraint antennas__offset_db CHECK (((offset_db >= ('-100'::integer)::double precision) AND (offset_db <= (100)::double precision))) NOT VALID,
  constraint antennas__org_id_location_id FOREIGN KEY (org_id, location_id) REFERENCES locations(org_id, id),
  constraint antennas__org_id_reader_id FOREIGN KEY (org_id, reader_id) REFERENCES readers(org_id, id),
  constraint antennas__port CHECK ((((port > 0) AND (device_port IS NULL)) OR ((port < 0) AND (num_nonnulls(name, device_port) > 0)))) NOT VALID
);
CREATE INDEX antennas__org_id_location_id ON public.antennas USING btree (org_id, location_id);
CREATE UNIQUE INDEX antennas__org_id_reader_id_device_port ON public.antennas USING btree (org_id, reader_id, device_port) WHERE (device_port IS NOT NULL);
CREATE UNIQUE INDEX antennas__org_id_reader_id_name ON public.antennas USING btree (org_id, reader_id, name) WHERE (name IS NOT NULL);
CREATE TRIGGER antennas_changed AFTER INSERT OR DELETE OR UPDATE ON public.antennas FOR EACH ROW EXECUTE FUNCTION notify_registry_changed();
CREATE TRIGGER antennas_inserted_version AFTER INSERT ON public.antennas FOR EACH ROW EXECUTE FUNCTION write_antenna_version();
CREATE TRIGGER antennas_site AFTER UPDATE OF offset_db, height_m ON public.antennas FOR EACH ROW WHEN (((old.offset_db IS DISTINCT FROM new.offset_db) OR (old.height_m IS DISTINCT FROM new.height_m))) EXECUTE FUNCTION raise_location_site();
CREATE TRIGGER antennas_updated_version AFTER UPDATE ON public.antennas FOR EACH ROW WHEN (((old.location_id IS DISTINCT FROM new.location_id) OR (old.is_enabled IS DISTINCT FROM new.is_enabled))) EXECUTE FUNCTION write_antenna_version();

create table api_keys (
  org_id integer not null,
  id text collate "C" not null,
  name text not null,
  scopes text[] not null,
  secret_sha256 bytea not null,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  last_used_at timestamp with time zone,
  constraint api_keys__org_id_id PRIMARY KEY (org_id, id),
  constraint api_keys__id UNIQUE (id),
  constraint api_keys__name CHECK (((char_length(name) >= 1) AND (char_length(name) <= 255))),
  constraint api_keys__org_id FOREIGN KEY (org_id) REFERENCES organizations(id),
  constraint api_keys__secret_sha256 CHECK ((octet_length(secret_sha256) = 32))
);
CREATE TRIGGER api_keys_changed AFTER DELETE OR UPDATE OF revoked_at, expires_at, scopes ON public.api_keys FOR EACH STATEMENT EXECUTE FUNCTION notify_access_changed();

create table asset_photos (
  org_id integer not null,
  asset_id integer not null,
  media_type text not null,
  width integer not null,
  height integer not null,
  image bytea not null,
  sha256 bytea not null,
  created_at timestamp with time zone not null default now(),
  constraint asset_photos__org_id_asset_id PRIMARY KEY (org_id, asset_id),
  constraint asset_photos__height CHECK (((height >= 1) AND (height <= 16384))),
  constraint asset_photos__media_type CHECK ((media_type = ANY (ARRAY['image/png'::text, 'image/jpeg'::text, 'image/webp'::text]))),
  constraint asset_photos__org_id_asset_id_fkey FOREIGN KEY (org_id, asset_id) REFERENCES assets(org_id, id) ON UPDATE CASCADE,
  constraint asset_photos__sha256 CHECK ((octet_length(sha256) = 32)),
  constraint asset_photos__size CHECK (((octet_length(image) >= 1) AND (octet_length(image) <= 5242880))),
  constraint asset_photos__width CHECK (((width >= 1) AND (width <= 16384)))
);

create table asset_views (
  org_id integer not null,
  name text not null,
  query text not null,
  constraint asset_views__org_id_name PRIMARY KEY (org_id, name),
  constraint asset_views__name CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100))),
  constraint asset_views__org_id FOREIGN KEY (org_id) REFERENCES organizations(id),
  constraint asset_views__query CHECK (((char_length(query) >= 1) AND (char_length(query) <= 2000)))
);

create table assets (
  org_id integer not null,
  id integer generated always as identity not null,
  external_key text collate "C" not null,
  name text collate "C" not null,
  description text,
  is_active boolean not null default true,
  valid_from timestamp with time zone not null default now(),
  valid_to timestamp with time zone,
  metadata json not null default '{}'::json,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  deleted_at timestamp with time zone,
  constraint assets__org_id_id PRIMARY KEY (org_id, id),
  constraint assets__description CHECK (((char_length(description) >= 1) AND (char_length(description) <= 1024))),
  constraint assets__external_key CHECK ((external_key ~ '^[A-Za-z0-9-]{1,255}$'::text)),
  constraint assets__metadata CHECK ((json_typeof(metadata) = 'object'::text)),
  constraint assets__name CHECK (((char_length(name) >= 1) AND (char_length(name) <= 255))),
  constraint assets__org_id FOREIGN KEY (org_id) REFERENCES organizations(id)
);
CREATE INDEX assets__fields ON public.assets USING gin (asset_fields(org_id, metadata));
CREATE UNIQUE INDEX assets__org_id_external_key ON public.assets USING btree (org_id, external_key) WHERE (deleted_at IS NULL);
CREATE INDEX assets__org_id_id_deleted ON public.assets USING btree (org_id, id) WHERE (deleted_at IS NOT NULL);
CREATE INDEX assets__org_id_updated_at ON public.assets USING btree (org_id, updated_at) WHERE (updated_at IS NOT NULL);
CREATE INDEX assets__org_id_valid_from ON public.assets USING btree (org_id, valid_from) WHERE (deleted_at IS NULL);
CREATE INDEX assets__org_id_valid_to ON public.assets USING btree (org_id, valid_to, valid_from) WHERE ((deleted_at IS NULL) AND (valid_to IS NOT NULL));
CREATE INDEX assets__searched_text ON public.assets USING gin (org_id, searched_text(name, external_key, description) gin_trgm_ops);
CREATE TRIGGER assets_deleted AFTER DELETE ON public.assets REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_live_rows('asset');
CREATE TRIGGER assets_inserted AFTER INSERT ON public.assets REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_live_rows('asset');
CREATE TRIGGER assets_outdated AFTER UPDATE ON public.assets REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION mark_assets_outdated();
CREATE TRIGGER assets_positions_counted AFTER UPDATE OF deleted_at ON public.assets FOR EACH ROW WHEN (((old.deleted_at IS NULL) <> (new.deleted_at IS NULL))) EXECUTE FUNCTION count_position_of_asset();
CREATE TRIGGER assets_revise_alerts AFTER UPDATE ON public.assets FOR EACH ROW WHEN (((old.deleted_at IS DISTINCT FROM new.deleted_at) OR ((old.metadata)::text IS DISTINCT FROM (new.metadata)::text))) EXECUTE FUNCTION revise_alerts_of_row('asset', 'id', 'now');
CREATE TRIGGER assets_truncated AFTER TRUNCATE ON public.assets FOR EACH STATEMENT EXECUTE FUNCTION count_live_rows('asset');
CREATE TRIGGER assets_updated AFTER UPDATE ON public.assets REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_live_rows('asset');

create table broker_sessions (
  realm text collate "C" not null,
  client_id text collate "C" not null,
  is_divided boolean not null,
  holder text collate "C",
  held_since timestamp with time zone,
  held_until timestamp with time zone,
  is_connected boolean not null default false,
  connected_at timestamp with time zone,
  forgotten_at timestamp with time zone,
  constraint broker_sessions__realm_client_id PRIMARY KEY (realm, client_id)
);

create table broker_subscriptions (
  realm text collate "C" not null,
  client_id text collate "C" not null,
  topic text collate "C" not null,
  constraint broker_subscriptions__realm_client_id_topic PRIMARY KEY (realm, client_id, topic),
  constraint broker_subscriptions__realm_client_id FOREIGN KEY (realm, client_id) REFERENCES broker_sessions(realm, client_id) ON DELETE CASCADE
);

create table cell_moves (
  org_id integer not null,
  state text not null,
  other_cell text not null,
  applied pg_lsn,
  started_at timestamp with time zone not null default now(),
  constraint cell_moves__org_id PRIMARY KEY (org_id),
  constraint cell_moves__applied CHECK (((state = 'arriving'::text) = (applied IS NOT NULL))),
  constraint cell_moves__state CHECK ((state = ANY (ARRAY['copying'::text, 'following'::text, 'held'::text, 'moved'::text, 'left'::text, 'arriving'::text])))
);

create table change_days (
  org_id integer not null,
  day date not null,
  first_position bigint not null,
  constraint change_days__org_id_first_position PRIMARY KEY (org_id, first_position) INCLUDE (day)
);

create table change_events (
  org_id integer not null,
  position bigint not null,
  sealed_at timestamp with time zone not null,
  recorded_at timestamp with time zone not null,
  resource text not null,
  resource_id integer not null,
  action text not null,
  constraint change_events__org_id_position PRIMARY KEY (org_id, "position")
);
CREATE TRIGGER change_events_unchanged BEFORE DELETE OR UPDATE ON public.change_events FOR EACH STATEMENT EXECUTE FUNCTION refuse_changes_of_log();

create table change_heads (
  org_id integer not null,
  head bigint not null default 0,
  oldest bigint not null default 1,
  sealed_at timestamp with time zone,
  constraint change_heads__org_id PRIMARY KEY (org_id),
  constraint change_heads__org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id)
) with (fillfactor=10, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=1000, autovacuum_vacuum_cost_delay=0);

create table changes (
  org_id integer,
  at timestamp with time zone not null default clock_timestamp(),
  id bigint generated always as identity not null,
  actor_type text not null,
  actor_id text collate "C" not null,
  request_id text collate "C",
  action text collate "C" not null,
  resource_type text collate "C" not null,
  resource_id text collate "C" not null,
  external_key text collate "C",
  before json,
  after json,
  constraint changes__actor_type CHECK ((actor_type = ANY (ARRAY['key'::text, 'user'::text, 'handheld'::text, 'command_line'::text]))),
  constraint changes__org_id_at_id UNIQUE NULLS NOT DISTINCT (org_id, at, id)
);
CREATE INDEX changes__at_of_address ON public.changes USING btree (at) WHERE ((action = 'sign_in'::text) AND ((after ->> 'address'::text) IS NOT NULL));
CREATE INDEX changes__org_id_actor ON public.changes USING btree (org_id, actor_id, at, id);
CREATE INDEX changes__org_id_resource ON public.changes USING btree (org_id, resource_type, resource_id, at, id);
CREATE TRIGGER changes_held AFTER INSERT ON public.changes REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION refuse_while_held();
CREATE TRIGGER changes_queued AFTER INSERT ON public.changes REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION queue_changes();
CREATE TRIGGER changes_unchanged BEFORE DELETE OR UPDATE ON public.changes FOR EACH STATEMENT EXECUTE FUNCTION refuse_changes_of_log();

create table epcis_captures (
  org_id integer not null,
  id text collate "C" not null,
  api_key_id text not null,
  created_at timestamp with time zone not null default now(),
  finished_at timestamp with time zone,
  proceeds boolean not null,
  event_ids text[],
  hashes text[],
  faults text[],
  events text[],
  errors json not null default '[]'::json,
  reads json,
  constraint epcis_captures__org_id_id PRIMARY KEY (org_id, id),
  constraint epcis_captures__org_id FOREIGN KEY (org_id) REFERENCES organizations(id)
);
CREATE INDEX epcis_captures__unfinished ON public.epcis_captures USING btree (org_id, id) WHERE (finished_at IS NULL);
CREATE TRIGGER epcis_captures_held AFTER INSERT ON public.epcis_captures REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION refuse_while_held();

create table epcis_events (
  org_id integer not null,
  id text collate "C" not null,
  hash text not null,
  captured_at timestamp with time zone not null default now(),
  constraint epcis_events__org_id_id PRIMARY KEY (org_id, id),
  constraint epcis_events__org_id FOREIGN KEY (org_id) REFERENCES organizations(id)
);
CREATE INDEX epcis_events__captured_at ON public.epcis_events USING btree (captured_at);

create table epcis_queries (
  org_id integer not null,
  name text collate "C" not null,
  query json not null,
  created_at timestamp with time zone not null default now(),
  constraint epcis_queries__org_id_name PRIMARY KEY (org_id, name),
  constraint epcis_queries__name CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100))),
  constraint epcis_queries__org_id FOREIGN KEY (org_id) REFERENCES organizations(id)
);

create table external_key_counters (
  org_id integer not null,
  resource text not null,
  last_number bigint not null,
  constraint external_key_counters__org_id_resource PRIMARY KEY (org_id, resource),
  constraint external_key_counters__org_id FOREIGN KEY (org_id) REFERENCES organizations(id),
  constraint external_key_counters__resource CHECK ((resource = ANY (ARRAY['asset'::text, 'location'::text])))
);

create table formats (
  name text collate "C" not null,
  definition jsonb not null,
  created_at timestamp with time zone not null default now(),
  source json not null,
  org_id integer,
  constraint formats__name PRIMARY KEY (name),
  constraint formats__org_id FOREIGN KEY (org_id) REFERENCES organizations(id)
);
CREATE TRIGGER formats_changed AFTER INSERT OR DELETE OR UPDATE ON public.formats FOR EACH ROW EXECUTE FUNCTION notify_registry_changed();

create table handhelds (
  org_id integer not null,
  id integer generated always as identity not null,
  name text not null,
  token_sha256 bytea not null,
  created_at timestamp with time zone not null default now(),
  revoked_at timestamp with time zone,
  expires_at timestamp with time zone,
  last_used_at timestamp with time zone,
  constraint handhelds__org_id_id PRIMARY KEY (org_id, id),
  constraint handhelds__id UNIQUE (id),
  constraint handhelds__name CHECK (((char_length(name) >= 1) AND (char_length(name) <= 255))),
  constraint handhelds__org_id FOREIGN KEY (org_id) REFERENCES organizations(id),
  constraint handhelds__token_sha256 CHECK ((octet_length(token_sha256) = 32))
);
CREATE TRIGGER handhelds_changed AFTER DELETE OR UPDATE OF revoked_at, expires_at, token_sha256 ON public.handhelds FOR EACH STATEMENT EXECUTE FUNCTION notify_access_changed();

create table history_marks (
  org_id integer not null,
  asset_id integer not null,
  observed_at timestamp with time zone not null,
  stays bigint not null,
  constraint history_marks__org_id_asset_id_observed_at PRIMARY KEY (org_id, asset_id, observed_at) INCLUDE (stays)
);

create table history_recomputations (
  org_id integer not null,
  asset_id integer not null default 0,
  finished_at timestamp with time zone,
  setting_id integer not null default 0,
  asset_count integer,
  looked integer not null default 0,
  assets integer not null default 0,
  changed integer not null default 0,
  written bigint not null default 0,
  removed bigint not null default 0,
  constraint history_recomputations__org_id_setting_id PRIMARY KEY (org_id, setting_id),
  constraint history_recomputations__org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id)
);

create table import_parts (
  org_id integer not null,
  import_id integer not null,
  part smallint not null,
  content bytea not null,
  constraint import_parts__org_id_import_id_part PRIMARY KEY (org_id, import_id, part),
  constraint import_parts__org_id_import_id FOREIGN KEY (org_id, import_id) REFERENCES imports(org_id, id) ON DELETE CASCADE
);

create table import_work (
  org_id integer not null,
  import_id integer not null,
  kind text not null,
  seen_at timestamp with time zone not null default now(),
  done_rows integer not null default 0,
  constraint import_work__org_id_import_id PRIMARY KEY (org_id, import_id),
  constraint import_work__kind CHECK ((kind = ANY (ARRAY['checking'::text, 'applying'::text])))
);

create table imports (
  org_id integer not null,
  id integer generated always as identity not null,
  resource text not null,
  file_name text not null,
  bytes integer not null,
  state text not null default 'uploaded'::text,
  outcome json,
  digest bytea,
  user_id text not null,
  created_at timestamp with time zone not null default now(),
  checked_at timestamp with time zone,
  applied_at timestamp with time zone,
  rows integer,
  constraint imports__org_id_id PRIMARY KEY (org_id, id),
  constraint imports__file_name CHECK (((char_length(file_name) >= 1) AND (char_length(file_name) <= 255))),
  constraint imports__org_id FOREIGN KEY (org_id) REFERENCES organizations(id),
  constraint imports__resource CHECK ((resource = ANY (ARRAY['asset'::text, 'location'::text]))),
  constraint imports__state CHECK ((state = ANY (ARRAY['uploaded'::text, 'checked'::text, 'applied'::text])))
);

create table intake_watches (
  id uuid not null,
  started_at timestamp with time zone not null,
  ended_at timestamp with time zone not null,
  constraint intake_watches__id PRIMARY KEY (id),
  constraint intake_watches__ended_at CHECK ((ended_at >= started_at))
);
CREATE INDEX intake_watches__ended_at_index ON public.intake_watches USING btree (ended_at);

create table known_devices (
  user_id integer not null,
  digest bytea not null,
  used_at timestamp with time zone not null default now(),
  constraint known_devices__user_id_digest PRIMARY KEY (user_id, digest),
  constraint known_devices__digest_length CHECK ((octet_length(digest) = 32)),
  constraint known_devices__user_id FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX known_devices__digest ON public.known_devices USING btree (digest);

create table live_row_counts (
  org_id integer not null,
  resource text not null,
  is_active boolean not null,
  slot bigint generated always as identity not null,
  row_count bigint not null,
  constraint live_row_counts__org_id_resource_is_active_slot PRIMARY KEY (org_id, resource, is_active, slot),
  constraint live_row_counts__org_id FOREIGN KEY (org_id) REFERENCES organizations(id),
  constraint live_row_counts__resource CHECK ((resource = ANY (ARRAY['asset'::text, 'location'::text, 'position'::text])))
) with (fillfactor=50);

create table location_settings (
  org_id integer not null,
  id integer generated always as identity not null,
  location_id integer,
  valid_from timestamp with time zone not null,
  procedure text not null,
  certainty double precision,
  tag_dbm double precision,
  actor_type text,
  actor_id text collate "C",
  tag_kinds text collate "C",
  constraint location_settings__org_id_id PRIMARY KEY (org_id, id),
  constraint location_settings__actor CHECK ((num_nonnulls(actor_type, actor_id) = ANY (ARRAY[0, 2]))),
  constraint location_settings__certainty CHECK ((
CASE
    WHEN (procedure = ANY (ARRAY['strength'::text, 'position'::text])) THEN (certainty IS NOT NULL)
    ELSE (certainty IS NULL)
END AND ((certainty >= (0.1)::double precision) AND (certainty <= (10)::double precision)))),
  constraint location_settings__org_id FOREIGN KEY (org_id) REFERENCES organizations(id),
  constraint location_settings__org_id_location_id FOREIGN KEY (org_id, location_id) REFERENCES locations(org_id, id),
  constraint location_settings__procedure CHECK (((procedure = ANY (ARRAY['every'::text, 'strength'::text, 'position'::text])) OR ((procedure = 'inherit'::text) AND (location_id IS NOT NULL)))),
  constraint location_settings__tag_dbm CHECK (((tag_dbm IS NULL) OR ((procedure = 'position'::text) AND ((tag_dbm >= ('-120'::integer)::double precision) AND (tag_dbm <= (20)::double precision))))),
  constraint location_settings__tag_kinds CHECK (((tag_kinds IS NULL) OR ((procedure = 'position'::text) AND ((char_length(tag_kinds) >= 1) AND (char_length(tag_kinds) <= 2000))))) NOT VALID
);
CREATE INDEX location_settings__org_id_location_id_valid_from ON public.location_settings USING btree (org_id, location_id, valid_from);
CREATE TRIGGER location_settings_site AFTER INSERT ON public.location_settings REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION begin_location_sites();
CREATE TRIGGER location_settings_site_deleted AFTER DELETE ON public.location_settings REFERENCING OLD TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION raise_location_sites();

create table location_sites (
  org_id integer not null,
  version bigint not null default 1,
  scans_dropped_before timestamp with time zone,
  layout bigint not null default 1,
  constraint location_sites__org_id PRIMARY KEY (org_id),
  constraint location_sites__org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id)
);

create table location_transitions (
  org_id integer not null,
  asset_id integer not null,
  observed_at timestamp with time zone not null,
  location_id integer not null,
  duration_seconds bigint,
  received_at timestamp with time zone,
  tag_type text,
  tag_value text collate "C",
  rssi double precision,
  reader_id integer,
  antenna smallint,
  handheld_id integer,
  submission_id text collate "C",
  submission_index integer,
  proof text,
  position_plan_location_id integer,
  position_x real,
  position_y real,
  position_radius real,
  constraint location_transitions__org_id_asset_id_observed_at PRIMARY KEY (org_id, asset_id, observed_at) INCLUDE (location_id),
  constraint location_transitions__duration_seconds CHECK ((duration_seconds >= 0))
) with (autovacuum_vacuum_insert_scale_factor=0.01);
CREATE TRIGGER location_transitions_added AFTER INSERT ON public.location_transitions FOR EACH ROW WHEN ((current_setting('tagtrail.keeps_marks'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION keep_history_mark();
CREATE TRIGGER location_transitions_removed AFTER DELETE ON public.location_transitions FOR EACH ROW WHEN ((current_setting('tagtrail.keeps_marks'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION keep_history_mark();

create table location_versions (
  org_id integer not null,
  location_id integer not null,
  since timestamp with time zone not null,
  external_key text collate "C" not null,
  name text collate "C" not null,
  parent_id integer,
  is_deleted boolean not null,
  gln text,
  biz_step text,
  disposition text,
  constraint location_versions__org_id_location_id_since PRIMARY KEY (org_id, location_id, since)
);
CREATE INDEX location_versions__parent ON public.location_versions USING btree (org_id, parent_id) WHERE (parent_id IS NOT NULL);

create table location_watches (
  org_id integer not null,
  location_id integer not null,
  valid_from timestamp with time zone not null,
  mode text not null,
  max_gap_seconds integer,
  is_learned boolean not null,
  coverage text not null,
  constraint location_watches__org_id_location_id_valid_from PRIMARY KEY (org_id, location_id, valid_from),
  constraint location_watches__coverage CHECK ((coverage = ANY (ARRAY['all'::text, 'any'::text]))),
  constraint location_watches__is_learned CHECK ((is_learned OR (mode = 'portal'::text) OR (max_gap_seconds IS NOT NULL))),
  constraint location_watches__max_gap_seconds CHECK (((max_gap_seconds >= 1) AND (max_gap_seconds <= 86400))),
  constraint location_watches__mode CHECK ((mode = ANY (ARRAY['portal'::text, 'continuous'::text]))),
  constraint location_watches__org_id_location_id FOREIGN KEY (org_id, location_id) REFERENCES locations(org_id, id),
  constraint location_watches__portal CHECK (((mode = 'continuous'::text) OR ((max_gap_seconds IS NULL) AND (NOT is_learned))))
);
CREATE TRIGGER location_watches_revise_alerts AFTER INSERT ON public.location_watches FOR EACH ROW EXECUTE FUNCTION revise_alerts_of_row('location', 'location_id', 'valid_from');

create table locations (
  org_id integer not null,
  id integer generated always as identity not null,
  external_key text collate "C" not null,
  name text collate "C" not null,
  description text,
  parent_id integer,
  is_active boolean not null default true,
  valid_from timestamp with time zone not null default now(),
  valid_to timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  deleted_at timestamp with time zone,
  gln text,
  biz_step text,
  disposition text,
  constraint locations__org_id_id PRIMARY KEY (org_id, id),
  constraint locations__biz_step CHECK (((char_length(biz_step) >= 1) AND (char_length(biz_step) <= 255))),
  constraint locations__description CHECK (((char_length(description) >= 1) AND (char_length(description) <= 1024))),
  constraint locations__disposition CHECK (((char_length(disposition) >= 1) AND (char_length(disposition) <= 255))),
  constraint locations__external_key CHECK ((external_key ~ '^[A-Za-z0-9-]{1,255}$'::text)),
  constraint locations__gln CHECK (((char_length(gln) >= 1) AND (char_length(gln) <= 34))),
  constraint locations__name CHECK (((char_length(name) >= 1) AND (char_length(name) <= 255))),
  constraint locations__org_id FOREIGN KEY (org_id) REFERENCES organizations(id),
  constraint locations__org_id_parent_id FOREIGN KEY (org_id, parent_id) REFERENCES locations(org_id, id),
  constraint locations__parent_id CHECK ((parent_id <> id))
);
CREATE UNIQUE INDEX locations__org_id_external_key ON public.locations USING btree (org_id, external_key) WHERE (deleted_at IS NULL);
CREATE INDEX locations__org_id_external_key_deleted ON public.locations USING btree (org_id, external_key, deleted_at) WHERE (deleted_at IS NOT NULL);
CREATE INDEX locations__org_id_parent_id ON public.locations USING btree (org_id, parent_id) WHERE (parent_id IS NOT NULL);
CREATE INDEX locations__org_id_updated_at ON public.locations USING btree (org_id, updated_at) WHERE (updated_at IS NOT NULL);
CREATE INDEX locations__org_id_valid_from ON public.locations USING btree (org_id, valid_from) WHERE (deleted_at IS NULL);
CREATE INDEX locations__org_id_valid_to ON public.locations USING btree (org_id, valid_to, valid_from) WHERE ((deleted_at IS NULL) AND (valid_to IS NOT NULL));
CREATE INDEX locations__searched_text ON public.locations USING gin (org_id, searched_text(name, external_key, description) gin_trgm_ops);
CREATE TRIGGER locations_deleted AFTER DELETE ON public.locations REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_live_rows('location');
CREATE TRIGGER locations_deleted_revise_rules AFTER UPDATE ON public.locations FOR EACH ROW WHEN (((old.deleted_at IS NULL) AND (new.deleted_at IS NOT NULL))) EXECUTE FUNCTION revise_rules_of_location();
CREATE TRIGGER locations_inserted AFTER INSERT ON public.locations REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_live_rows('location');
CREATE TRIGGER locations_inserted_version AFTER INSERT ON public.locations REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION write_location_versions();
CREATE TRIGGER locations_outdated AFTER UPDATE ON public.locations REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION mark_locations_outdated();
CREATE TRIGGER locations_revise_alerts AFTER UPDATE ON public.locations FOR EACH ROW WHEN (((old.parent_id IS DISTINCT FROM new.parent_id) OR (old.deleted_at IS DISTINCT FROM new.deleted_at))) EXECUTE FUNCTION revise_alerts_of_row('location', 'id', 'now');
CREATE TRIGGER locations_site_inserted AFTER INSERT ON public.locations REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION raise_location_sites();
CREATE TRIGGER locations_site_updated AFTER UPDATE ON public.locations REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION raise_sites_of_moved_locations();
CREATE TRIGGER locations_truncated AFTER TRUNCATE ON public.locations FOR EACH STATEMENT EXECUTE FUNCTION count_live_rows('location');
CREATE TRIGGER locations_updated AFTER UPDATE ON public.locations REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_live_rows('location');
CREATE TRIGGER locations_updated_version AFTER UPDATE ON public.locations REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION write_location_versions();

create table memberships (
  user_id integer not null,
  org_id integer not null,
  role text not null,
  created_at timestamp with time zone not null default now(),
  constraint memberships__org_id_user_id PRIMARY KEY (org_id, user_id),
  constraint memberships__org_id FOREIGN KEY (org_id) REFERENCES organizations(id),
  constraint memberships__role CHECK ((role = ANY (ARRAY['viewer'::text, 'operator'::text, 'admin'::text]))),
  constraint memberships__user_id FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX memberships__user_id_org_id ON public.memberships USING btree (user_id, org_id);
CREATE TRIGGER memberships_changed AFTER INSERT OR DELETE OR UPDATE ON public.memberships FOR EACH ROW EXECUTE FUNCTION notify_access_changed();

create table move_days (
  org_id integer not null,
  day date not null,
  first_position bigint not null,
  constraint move_days__org_id_first_position PRIMARY KEY (org_id, first_position) INCLUDE (day)
);

create table move_heads (
  org_id integer not null,
  head bigint not null default 0,
  oldest bigint not null default 1,
  sealed_at timestamp with time zone,
  complete_since timestamp with time zone,
  constraint move_heads__org_id PRIMARY KEY (org_id),
  constraint move_heads__org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id)
) with (fillfactor=10, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=1000, autovacuum_vacuum_cost_delay=0);

create table moves (
  org_id integer not null,
  position bigint not null,
  sealed_at timestamp with time zone not null,
  asset_id integer,
  kind text not null,
  part integer not null,
  parts integer not null,
  recorded_at timestamp with time zone not null,
  location_id integer,
  since timestamp with time zone,
  last_seen timestamp with time zone,
  previous_location_id integer,
  duration_seconds bigint,
  rows json,
  constraint moves__org_id_position PRIMARY KEY (org_id, "position", sealed_at),
  constraint moves__kind CHECK ((((asset_id IS NOT NULL) AND (kind = ANY (ARRAY['moved'::text, 'corrected'::text]))) OR ((asset_id IS NULL) AND (kind = ANY (ARRAY['alert_opened'::text, 'alert_acknowledged'::text, 'alert_closed'::text, 'alert_withdrawn'::text])))))
);
CREATE INDEX moves__alerts ON public.moves USING btree (org_id, "position") WHERE (asset_id IS NULL);
CREATE INDEX moves__corrections ON public.moves USING btree (org_id, asset_id, "position") WHERE ((rows IS NOT NULL) AND (asset_id IS NOT NULL));
CREATE INDEX moves__org_id_asset_id ON public.moves USING btree (org_id, asset_id, "position");
CREATE TRIGGER moves_unchanged BEFORE DELETE OR UPDATE ON public.moves FOR EACH STATEMENT EXECUTE FUNCTION refuse_changes_of_log();

create table mqtt_consumers (
  org_id integer not null,
  id integer generated always as identity not null,
  name text collate "C" not null,
  password_sha256 bytea not null,
  created_at timestamp with time zone not null default now(),
  last_used_at timestamp with time zone,
  constraint mqtt_consumers__org_id_id PRIMARY KEY (org_id, id),
  constraint mqtt_consumers__id UNIQUE (id),
  constraint mqtt_consumers__name CHECK (((char_length(name) >= 1) AND (char_length(name) <= 255))),
  constraint mqtt_consumers__org_id FOREIGN KEY (org_id) REFERENCES organizations(id),
  constraint mqtt_consumers__password_sha256 CHECK ((octet_length(password_sha256) = 32))
);

create table mqtt_feeds (
  org_id integer not null,
  target text not null,
  position bigint not null,
  snapshot_after integer,
  settle_seconds smallint not null default 0,
  constraint mqtt_feeds__org_id PRIMARY KEY (org_id),
  constraint mqtt_feeds__org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id)
);

create table mqtt_outdated (
  org_id integer not null,
  asset_id integer not null default 0,
  location_id integer not null default 0,
  mark bigint not null default ((pg_current_xact_id())::text)::bigint,
  done_after integer not null default 0,
  constraint mqtt_outdated__org_id_asset_id_location_id PRIMARY KEY (org_id, asset_id, location_id)
);

create table mqtt_topics (
  org_id integer not null,
  asset_id integer not null,
  topic text collate "C" not null,
  digest bytea,
  told_at timestamp with time zone,
  sent_at timestamp with time zone,
  constraint mqtt_topics__org_id_asset_id_topic PRIMARY KEY (org_id, asset_id, topic)
);
CREATE INDEX mqtt_topics__org_id_topic ON public.mqtt_topics USING btree (org_id, topic);

create table newest_readings (
  org_id integer not null,
  tag_id integer not null,
  battery_percent double precision,
  battery_percent_at timestamp with time zone,
  battery_volts double precision,
  battery_volts_at timestamp with time zone,
  temperature_c double precision,
  temperature_c_at timestamp with time zone,
  humidity_percent double precision,
  humidity_percent_at timestamp with time zone,
  button double precision,
  button_at timestamp with time zone,
  motion double precision,
  motion_at timestamp with time zone,
  constraint newest_readings__org_id_tag_id PRIMARY KEY (org_id, tag_id),
  constraint newest_readings__org_id_tag_id_fkey FOREIGN KEY (org_id, tag_id) REFERENCES tags(org_id, id) ON UPDATE CASCADE
) with (fillfactor=50);

create table normal_key_collisions (
  org_id integer not null,
  normal_key text collate "C" not null,
  found_at timestamp with time zone not null default now(),
  constraint normal_key_collisions__org_id_normal_key PRIMARY KEY (org_id, normal_key),
  constraint normal_key_collisions__org_id FOREIGN KEY (org_id) REFERENCES organizations(id)
);

create table normal_key_progress (
  org_id integer not null,
  tag_id integer not null,
  constraint normal_key_progress__org_id PRIMARY KEY (org_id),
  constraint normal_key_progress__org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(id)
);

create table organizations (
  id integer generated always as identity not null,
  name text not null,
  created_at timestamp with time zone not null default now(),
  deleted_at timestamp with time zone,
  held_at timestamp with time zone,
  constraint organizations__id PRIMARY KEY (id),
  constraint organizations__held_at CHECK (((held_at IS NULL) OR (deleted_at IS NOT NULL))),
  constraint organizations__name CHECK (((char_length(name) >= 1) AND (char_length(name) <= 255)))
);
CREATE INDEX organizations__held ON public.organizations USING btree (id) WHERE (held_at IS NOT NULL);
CREATE TRIGGER organizations_changed AFTER DELETE OR UPDATE OF deleted_at, name ON public.organizations FOR EACH STATEMENT EXECUTE FUNCTION notify_access_changed();
CREATE TRIGGER organizations_registry_changed AFTER DELETE OR UPDATE OF deleted_at ON public.organizations FOR EACH ROW EXECUTE FUNCTION notify_registry_changed();

create table plan_antennas (
  org_id integer not null,
  plan_id integer not null,
  reader_id integer not null,
  port smallint not null,
  x double precision not null,
  y double precision not null,
  constraint plan_antennas__org_id_plan_id_reader_id_port PRIMARY KEY (org_id, plan_id, reader_id, port),
  constraint plan_antennas__org_id_plan_id FOREIGN KEY (org_id, plan_id) REFERENCES plans(org_id, id),
  constraint plan_antennas__org_id_reader_id_port FOREIGN KEY (org_id, reader_id, port) REFERENCES antennas(org_id, reader_id, port),
  constraint plan_antennas__point CHECK ((((x >= (0)::double precision) AND (x <= (1)::double precision)) AND ((y >= (0)::double precision) AND (y <= (1)::double precision))))
);
CREATE INDEX plan_antennas__org_id_reader_id_port ON public.plan_antennas USING btree (org_id, reader_id, port);
CREATE TRIGGER plan_antennas_site_deleted AFTER DELETE ON public.plan_antennas REFERENCING OLD TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION raise_location_sites();
CREATE TRIGGER plan_antennas_site_inserted AFTER INSERT ON public.plan_antennas REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION raise_location_sites();
CREATE TRIGGER plan_antennas_site_updated AFTER UPDATE ON public.plan_antennas REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION raise_location_sites();

create table plan_places (
  org_id integer not null,
  plan_id integer not null,
  location_id integer not null,
  points real[] not null,
  constraint plan_places__org_id_plan_id_location_id PRIMARY KEY (org_id, plan_id, location_id),
  constraint plan_places__org_id_location_id FOREIGN KEY (org_id, location_id) REFERENCES locations(org_id, id),
  constraint plan_places__org_id_plan_id FOREIGN KEY (org_id, plan_id) REFERENCES plans(org_id, id),
  constraint plan_places__points CHECK ((((cardinality(points) = 2) OR ((cardinality(points) >= 6) AND (cardinality(points) <= 200))) AND ((cardinality(points) % 2) = 0) AND (array_ndims(points) = 1) AND ((0)::double precision <= ALL (points)) AND ((1)::double precision >= ALL (points))))
);
CREATE INDEX plan_places__org_id_location_id ON public.plan_places USING btree (org_id, location_id);
CREATE TRIGGER plan_places_site_deleted AFTER DELETE ON public.plan_places REFERENCING OLD TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION raise_location_sites();
CREATE TRIGGER plan_places_site_inserted AFTER INSERT ON public.plan_places REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION raise_location_sites();
CREATE TRIGGER plan_places_site_updated AFTER UPDATE ON public.plan_places REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION raise_location_sites();

create table plans (
  org_id integer not null,
  id integer generated always as identity not null,
  location_id integer,
  name text not null,
  media_type text not null,
  width integer not null,
  height integer not null,
  image bytea not null,
  sha256 bytea not null,
  version integer not null default 1,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  scale_points double precision[],
  scale_metres double precision,
  constraint plans__org_id_id PRIMARY KEY (org_id, id),
  constraint plans__height CHECK (((height >= 1) AND (height <= 16384))),
  constraint plans__media_type CHECK ((media_type = ANY (ARRAY['image/png'::text, 'image/jpeg'::text, 'image/webp'::text]))),
  constraint plans__name CHECK (((char_length(name) >= 1) AND (char_length(name) <= 255))),
  constraint plans__org_id FOREIGN KEY (org_id) REFERENCES organizations(id),
  constraint plans__org_id_location_id FOREIGN KEY (org_id, location_id) REFERENCES locations(org_id, id),
  constraint plans__scale CHECK (((num_nonnulls(scale_points, scale_metres) = ANY (ARRAY[0, 2])) AND ((scale_points IS NULL) OR ((cardinality(scale_points) = 4) AND (array_ndims(scale_points) = 1) AND ((0)::double precision <= ALL (scale_points)) AND ((1)::double precision >= ALL (scale_points)))) AND ((scale_metres IS NULL) OR ((scale_metres > (0)::double precision) AND (scale_metres <= (10000)::double precision))))) NOT VALID,
  constraint plans__sha256 CHECK ((octet_length(sha256) = 32)),
  constraint plans__size CHECK (((octet_length(image) >= 1) AND (octet_length(image) <= 5242880))),
  constraint plans__width CHECK (((width >= 1) AND (width <= 16384)))
);
CREATE INDEX plans__org_id_location_id ON public.plans USING btree (org_id, location_id);
CREATE TRIGGER plans_site AFTER UPDATE OF location_id, scale_points, scale_metres, width, height ON public.plans FOR EACH ROW WHEN ((((((old.location_id IS DISTINCT FROM new.location_id) OR (old.scale_points IS DISTINCT FROM new.scale_points)) OR (old.scale_metres IS DISTINCT FROM new.scale_metres)) OR (old.width IS DISTINCT FROM new.width)) OR (old.height IS DISTINCT FROM new.height))) EXECUTE FUNCTION raise_location_site();

create table positions (
  org_id integer not null,
  asset_id integer not null,
  location_id integer,
  since timestamp with time zone,
  last_seen timestamp with time zone,
  is_in_feed boolean not null default false,
  told_at timestamp with time zone,
  is_of_deleted boolean not null default false,
  position_plan_location_id integer,
  position_x real,
  position_y real,
  position_radius real,
  position_observed_at timestamp with time zone,
  constraint positions__org_id_asset_id PRIMARY KEY (org_id, asset_id),
  constraint positions__org_id_asset_id_fkey FOREIGN KEY (org_id, asset_id) REFERENCES assets(org_id, id),
  constraint positions__org_id_location_id FOREIGN KEY (org_id, location_id) REFERENCES locations(org_id, id)
) with (fillfactor=70);
CREATE INDEX positions__not_in_feed ON public.positions USING btree (org_id, asset_id) WHERE (NOT is_in_feed);
CREATE INDEX positions__org_id_location_id_is_of_deleted ON public.positions USING btree (org_id, location_id, is_of_deleted);
CREATE INDEX positions__org_id_position_plan_location_id ON public.positions USING btree (org_id, position_plan_location_id) WHERE (position_plan_location_id IS NOT NULL);
CREATE TRIGGER positions_deleted AFTER DELETE ON public.positions REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_positions();
CREATE TRIGGER positions_inserted AFTER INSERT ON public.positions REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_positions();
CREATE TRIGGER positions_truncated AFTER TRUNCATE ON public.positions FOR EACH STATEMENT EXECUTE FUNCTION count_positions();

create table printers (
  org_id integer not null,
  name text collate "C" not null,
  address text not null,
  created_at timestamp with time zone not null default now(),
  constraint printers__org_id_name PRIMARY KEY (org_id, name),
  constraint printers__address CHECK (((char_length(address) >= 1) AND (char_length(address) <= 255))),
  constraint printers__name CHECK (((char_length(name) >= 1) AND (char_length(name) <= 255))),
  constraint printers__org_id FOREIGN KEY (org_id) REFERENCES organizations(id)
);

create table publishing_faults (
  org_id integer not null,
  topic text,
  reason text not null,
  since timestamp with time zone not null default now(),
  constraint publishing_faults__org_id PRIMARY KEY (org_id)
);

create table reader_connections (
  org_id integer not null,
  reader_id integer not null,
  connected_at timestamp with time zone not null,
  constraint reader_connections__org_id_reader_id PRIMARY KEY (org_id, reader_id),
  constraint reader_connections__org_id_reader_id_fkey FOREIGN KEY (org_id, reader_id) REFERENCES readers(org_id, id)
);

create table reader_counters (
  org_id integer not null,
  reader_id integer not null,
  messages bigint not null default 0,
  messages_rejected bigint not null default 0,
  reads bigint not null default 0,
  recorded bigint not null default 0,
  duplicates bigint not null default 0,
  unknown bigint not null default 0,
  unplaced bigint not null default 0,
  rejected bigint not null default 0,
  ignored bigint not null default 0,
  last_message_at timestamp with time zone,
  throttled_ms bigint not null default 0,
  clock_minute integer,
  clock_offsets_ms bigint[] not null default '{}'::bigint[],
  heard_since timestamp with time zone,
  heard_until timestamp with time zone,
  heard_messages bigint,
  heard_late jsonb,
  in_time_at timestamp with time zone,
  late_at timestamp with time zone,
  in_time_before timestamp with time zone,
  constraint reader_counters__org_id_reader_id PRIMARY KEY (org_id, reader_id),
  constraint reader_counters__org_id_reader_id_fkey FOREIGN KEY (org_id, reader_id) REFERENCES readers(org_id, id),
  constraint reader_counters__reads CHECK ((reads = ((((recorded + duplicates) + unknown) + unplaced) + rejected)))
) with (fillfactor=50);
CREATE TRIGGER reader_counters_first_heard AFTER INSERT ON public.reader_counters FOR EACH ROW WHEN ((new.heard_late IS NOT NULL)) EXECUTE FUNCTION keep_first_stretches();
CREATE TRIGGER reader_counters_first_revise AFTER INSERT ON public.reader_counters FOR EACH ROW WHEN ((new.heard_since IS NOT NULL)) EXECUTE FUNCTION revise_silences_of_first();
CREATE TRIGGER reader_counters_heard BEFORE UPDATE ON public.reader_counters FOR EACH ROW WHEN (((new.heard_since IS DISTINCT FROM old.heard_since) OR (new.heard_late IS NOT NULL))) EXECUTE FUNCTION keep_heard_stretches();
CREATE TRIGGER reader_counters_in_time_before BEFORE UPDATE ON public.reader_counters FOR EACH ROW WHEN ((new.in_time_before IS NOT NULL)) EXECUTE FUNCTION end_delays();

create table reader_delays (
  org_id integer not null,
  reader_id integer not null,
  started_at timestamp with time zone not null,
  ended_at timestamp with time zone not null,
  constraint reader_delays__org_id_reader_id_started_at PRIMARY KEY (org_id, reader_id, started_at),
  constraint reader_delays__ended_at CHECK ((ended_at >= started_at)),
  constraint reader_delays__org_id_reader_id FOREIGN KEY (org_id, reader_id) REFERENCES readers(org_id, id)
);
CREATE TRIGGER reader_delays_revise_alerts AFTER INSERT ON public.reader_delays FOR EACH ROW EXECUTE FUNCTION revise_alerts_of_row('listening', 'reader_id', 'started_at');

create table reader_expectations (
  org_id integer not null,
  reader_id integer not null,
  origin text not null,
  valid_from timestamp with time zone not null default clock_timestamp(),
  seconds integer,
  constraint reader_expectations__org_id_reader_id_origin_valid_from PRIMARY KEY (org_id, reader_id, origin, valid_from),
  constraint reader_expectations__learned CHECK (((origin = 'set'::text) OR (seconds IS NOT NULL))),
  constraint reader_expectations__org_id_reader_id FOREIGN KEY (org_id, reader_id) REFERENCES readers(org_id, id),
  constraint reader_expectations__origin CHECK ((origin = ANY (ARRAY['set'::text, 'learned'::text]))),
  constraint reader_expectations__seconds CHECK (((seconds >= 15) AND (seconds <= 86400)))
);
CREATE TRIGGER reader_expectations_revise AFTER INSERT ON public.reader_expectations FOR EACH ROW EXECUTE FUNCTION revise_silences_of_expectation();

create table reader_flaws (
  org_id integer not null,
  reader_id integer not null,
  rssi_unusable bigint not null default 0,
  rssi_example text,
  time_unreadable bigint not null default 0,
  time_example text,
  time_unreadable_at timestamp with time zone,
  clock_unset bigint not null default 0,
  clock_unset_at timestamp with time zone,
  near_misses bigint not null default 0,
  near_miss_kept_at timestamp with time zone,
  readings_unusable bigint not null default 0,
  readings_example text,
  readings_unusable_at timestamp with time zone,
  pushes_refused bigint not null default 0,
  constraint reader_flaws__org_id_reader_id PRIMARY KEY (org_id, reader_id),
  constraint reader_flaws__org_id_reader_id_fkey FOREIGN KEY (org_id, reader_id) REFERENCES readers(org_id, id)
) with (fillfactor=50);

create table reader_joined_spans (
  org_id integer not null,
  reader_id integer not null,
  started_at timestamp with time zone not null,
  ended_at timestamp with time zone not null,
  constraint reader_joined_spans__org_id_reader_id_started_at PRIMARY KEY (org_id, reader_id, started_at),
  constraint reader_joined_spans__ended_at CHECK ((ended_at >= started_at)),
  constraint reader_joined_spans__org_id_reader_id FOREIGN KEY (org_id, reader_id) REFERENCES readers(org_id, id)
);

create table reader_packed_spans (
  org_id integer not null,
  reader_id integer not null,
  started_at timestamp with time zone not null,
  ended_at timestamp with time zone not null,
  heard_since timestamp with time zone[] not null,
  heard_until timestamp with time zone[] not null,
  heard_messages bigint[] not null,
  away_since timestamp with time zone[] not null,
  away_until timestamp with time zone[] not null,
  constraint reader_packed_spans__org_id_reader_id_started_at PRIMARY KEY (org_id, reader_id, started_at),
  constraint reader_packed_spans__away CHECK ((cardinality(away_until) = cardinality(away_since))),
  constraint reader_packed_spans__ended_at CHECK ((ended_at >= started_at)),
  constraint reader_packed_spans__heard CHECK (((cardinality(heard_until) = cardinality(heard_since)) AND (cardinality(heard_messages) = cardinality(heard_since)))),
  constraint reader_packed_spans__org_id_reader_id FOREIGN KEY (org_id, reader_id) REFERENCES readers(org_id, id)
);

create table reader_proofs (
  org_id integer not null,
  reader_id integer not null,
  started_at timestamp with time zone not null,
  ended_at timestamp with time zone not null,
  learned_at timestamp with time zone not null,
  constraint reader_proofs__org_id_reader_id_started_at PRIMARY KEY (org_id, reader_id, started_at),
  constraint reader_proofs__ended_at CHECK ((ended_at >= started_at)),
  constraint reader_proofs__org_id_reader_id FOREIGN KEY (org_id, reader_id) REFERENCES readers(org_id, id)
);
CREATE TRIGGER reader_proofs_revise_alerts AFTER INSERT ON public.reader_proofs FOR EACH ROW EXECUTE FUNCTION revise_alerts_of_row('listening', 'reader_id', 'started_at');

create table reader_spans (
  org_id integer not null,
  reader_id integer not null,
  state text not null,
  started_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  messages bigint,
  constraint reader_spans__org_id_reader_id_state_started_at PRIMARY KEY (org_id, reader_id, state, started_at),
  constraint reader_spans__ended_at CHECK ((ended_at >= started_at)),
  constraint reader_spans__messages CHECK (((state = 'up'::text) = (messages IS NOT NULL))),
  constraint reader_spans__org_id_reader_id FOREIGN KEY (org_id, reader_id) REFERENCES readers(org_id, id),
  constraint reader_spans__state CHECK ((state = ANY (ARRAY['up'::text, 'silent'::text, 'disconnected'::text]))),
  constraint reader_spans__up CHECK (((state <> 'up'::text) OR (ended_at IS NOT NULL)))
);
CREATE UNIQUE INDEX reader_spans__org_id_reader_id_open ON public.reader_spans USING btree (org_id, reader_id, state) WHERE (ended_at IS NULL);
CREATE TRIGGER reader_spans_changed_revise_alerts AFTER UPDATE ON public.reader_spans FOR EACH ROW WHEN ((new.state <> 'up'::text)) EXECUTE FUNCTION revise_alerts_of_row('reader', 'reader_id', 'started_at');
CREATE TRIGGER reader_spans_gone_revise_alerts AFTER DELETE ON public.reader_spans FOR EACH ROW WHEN (((old.state <> 'up'::text) AND (current_setting('tagtrail.packs_spans'::text, true) IS DISTINCT FROM 'on'::text))) EXECUTE FUNCTION revise_alerts_of_row('reader', 'reader_id', 'started_at');
CREATE TRIGGER reader_spans_revise_alerts AFTER INSERT ON public.reader_spans FOR EACH ROW WHEN ((new.state <> 'up'::text)) EXECUTE FUNCTION revise_alerts_of_row('reader', 'reader_id', 'started_at');

create table readers (
  org_id integer not null,
  id integer generated always as identity not null,
  name text not null,
  topic text not null,
  format text not null,
  time_policy text,
  identity_policy text,
  report_unknown boolean,
  mqtt_username text collate "C" not null,
  mqtt_password_sha256 bytea not null,
  created_at timestamp with time zone not null default now(),
  deleted_at timestamp with time zone,
  last_used_at timestamp with time zone,
  constraint readers__org_id_id PRIMARY KEY (org_id, id),
  constraint readers__identity_policy CHECK ((identity_policy = ANY (ARRAY['mac'::text, 'ibeacon'::text, 'eddystone'::text, 'raw'::text]))),
  constraint readers__mqtt_password_sha256 CHECK ((octet_length(mqtt_password_sha256) = 32)),
  constraint readers__mqtt_username UNIQUE (mqtt_username),
  constraint readers__name CHECK (((char_length(name) >= 1) AND (char_length(name) <= 255))),
  constraint readers__org_id FOREIGN KEY (org_id) REFERENCES organizations(id),
  constraint readers__time_policy CHECK ((time_policy = ANY (ARRAY['device'::text, 'receive'::text])))
);
CREATE INDEX readers__fixed_levels ON public.readers USING btree ("left"(regexp_replace(topic, '(^|/)[+#](/.*)?$'::text, ''::text), 512) COLLATE "C") WHERE (deleted_at IS NULL);
CREATE INDEX readers__id ON public.readers USING btree (id);
CREATE INDEX readers__org_id_deleted_at ON public.readers USING btree (org_id, deleted_at) WHERE (deleted_at IS NOT NULL);
CREATE UNIQUE INDEX readers__org_id_name ON public.readers USING btree (org_id, name) WHERE (deleted_at IS NULL);
CREATE TRIGGER readers_changed AFTER INSERT OR DELETE OR UPDATE OF org_id, id, name, topic, format, time_policy, identity_policy, report_unknown, mqtt_username, mqtt_password_sha256, created_at, deleted_at ON public.readers FOR EACH ROW EXECUTE FUNCTION notify_registry_changed();
CREATE TRIGGER readers_deleted_revise AFTER UPDATE ON public.readers FOR EACH ROW WHEN (((new.deleted_at IS NOT NULL) AND (old.deleted_at IS NULL))) EXECUTE FUNCTION revise_silences_of_deleted();
CREATE TRIGGER readers_revise_alerts AFTER UPDATE ON public.readers FOR EACH ROW WHEN ((old.deleted_at IS DISTINCT FROM new.deleted_at)) EXECUTE FUNCTION revise_alerts_of_row('reader', 'id', 'deleted_at');

create table received_messages (
  org_id integer not null,
  digest bytea not null,
  received_at timestamp with time zone not null,
  is_redelivery boolean not null default false,
  constraint received_messages__org_id_digest PRIMARY KEY (org_id, digest),
  constraint received_messages__org_id FOREIGN KEY (org_id) REFERENCES organizations(id)
);
CREATE INDEX received_messages__received_at ON public.received_messages USING btree (received_at);

create table refused_sign_ins (
  period timestamp with time zone not null,
  kind text collate "C" not null,
  name text collate "C" not null,
  count bigint not null,
  last_at timestamp with time zone not null,
  address text not null,
  constraint refused_sign_ins__period_kind_name PRIMARY KEY (period, kind, name),
  constraint refused_sign_ins__address CHECK ((char_length(address) <= 100)),
  constraint refused_sign_ins__kind CHECK ((kind = ANY (ARRAY['reader'::text, 'reader_mqtt_5'::text, 'reader_taken_over'::text, 'key'::text, 'handheld'::text, 'user'::text]))),
  constraint refused_sign_ins__name CHECK ((char_length(name) <= 255))
);

create table rejected_messages (
  id bigint generated always as identity not null,
  org_id integer,
  reader_id integer,
  topic text not null,
  reason text not null,
  received_at timestamp with time zone not null,
  payload bytea not null,
  bytes bigint not null,
  payload_sha256 bytea not null,
  replayed_at timestamp with time zone,
  is_whole boolean not null default false,
  dismissed_at timestamp with time zone,
  kind text not null default 'rejected'::text,
  constraint rejected_messages__id PRIMARY KEY (id),
  constraint rejected_messages__kind CHECK ((kind = ANY (ARRAY['rejected'::text, 'near_miss'::text]))) NOT VALID,
  constraint rejected_messages__org_id FOREIGN KEY (org_id) REFERENCES organizations(id),
  constraint rejected_messages__org_id_reader_id FOREIGN KEY (org_id, reader_id) REFERENCES readers(org_id, id)
);
CREATE INDEX rejected_messages__open ON public.rejected_messages USING btree (org_id, id) WHERE ((replayed_at IS NULL) AND (dismissed_at IS NULL));
CREATE INDEX rejected_messages__org_id_id ON public.rejected_messages USING btree (COALESCE(org_id, 0), id);
CREATE INDEX rejected_messages__org_id_reader_id_id ON public.rejected_messages USING btree (org_id, reader_id, id);

create table retractions (
  org_id integer not null,
  id text collate "C" not null,
  submission_id text collate "C" not null,
  indexes integer[] not null,
  handheld_id integer,
  actor_type text not null,
  actor_id text not null,
  request_id text,
  received_at timestamp with time zone not null,
  taken_back integer not null default 0,
  answer json not null,
  constraint retractions__org_id_id PRIMARY KEY (org_id, id),
  constraint retractions__org_id FOREIGN KEY (org_id) REFERENCES organizations(id),
  constraint retractions__org_id_handheld_id FOREIGN KEY (org_id, handheld_id) REFERENCES handhelds(org_id, id)
);
CREATE INDEX retractions__org_id_submission_id ON public.retractions USING btree (org_id, submission_id);
CREATE INDEX retractions__received_at ON public.retractions USING btree (received_at) WHERE (taken_back = 0);
CREATE TRIGGER retractions_held AFTER INSERT ON public.retractions REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION refuse_while_held();

create table rules (
  org_id integer not null,
  id text collate "C" not null,
  version integer not null,
  valid_from timestamp with time zone not null,
  is_ended boolean not null,
  recorded_at timestamp with time zone not null default now(),
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
  reading text,
  above double precision,
  below double precision,
  hysteresis double precision,
  constraint rules__org_id_id_version PRIMARY KEY (org_id, id, version),
  constraint rules__after_seconds CHECK (((after_seconds >= 0) AND (after_seconds <= 2592000))),
  constraint rules__asset_ids CHECK (((cardinality(asset_ids) >= 1) AND (cardinality(asset_ids) <= 1000))),
  constraint rules__hours CHECK (((hours IS NULL) = (time_zone IS NULL))),
  constraint rules__hysteresis CHECK (((hysteresis IS NULL) OR ((hysteresis >= (0)::double precision) AND (reading IS NOT NULL)))) NOT VALID,
  constraint rules__id CHECK ((id ~ '^[0-7][0-9A-HJKMNP-TV-Z]{25}$'::text)),
  constraint rules__kind CHECK ((kind = ANY (ARRAY['overdue'::text, 'dwell'::text, 'not_allowed'::text, 'must_be'::text, 'reader'::text, 'reading'::text, 'battery_low'::text]))) NOT VALID,
  constraint rules__mail_to CHECK ((cardinality(mail_to) <= 20)),
  constraint rules__metadata CHECK (((jsonb_typeof(metadata) = 'array'::text) AND (jsonb_array_length(metadata) <= 10))),
  constraint rules__name CHECK (((char_length(name) >= 1) AND (char_length(name) <= 255))),
  constraint rules__org_id FOREIGN KEY (org_id) REFERENCES organizations(id),
  constraint rules__org_id_location_id FOREIGN KEY (org_id, location_id) REFERENCES locations(org_id, id),
  constraint rules__org_id_within_location_id FOREIGN KEY (org_id, within_location_id) REFERENCES locations(org_id, id),
  constraint rules__reader_ids CHECK (((cardinality(reader_ids) >= 1) AND (cardinality(reader_ids) <= 1000))),
  constraint rules__reading CHECK (((num_nonnulls(above, below) =
CASE
    WHEN (reading IS NULL) THEN 0
    ELSE 1
END) AND ((kind = ANY (ARRAY['reading'::text, 'battery_low'::text])) = (reading IS NOT NULL)))) NOT VALID,
  constraint rules__then_seconds CHECK (((then_seconds > after_seconds) AND (then_seconds <= 2592000))),
  constraint rules__version CHECK ((version > 0))
);
CREATE INDEX rules__of_readings ON public.rules USING btree (org_id) WHERE (reading IS NOT NULL);
CREATE TRIGGER rules_revise_alerts AFTER INSERT ON public.rules FOR EACH ROW EXECUTE FUNCTION revise_alerts_of_row('organization', '', 'valid_from');

create table scan_events (
  org_id integer not null,
  asset_id integer not null,
  location_id integer not null,
  observed_at timestamp with time zone not null,
  received_at timestamp with time zone not null,
  time_is_received boolean not null,
  tag_type text not null,
  tag_value text collate "C" not null,
  rssi double precision,
  reader_id integer,
  antenna smallint,
  handheld_id integer,
  submission_id text collate "C",
  submission_index integer,
  retraction_id text collate "C",
  constraint scan_events__source CHECK ((((num_nonnulls(reader_id, antenna) = 2) AND (num_nonnulls(handheld_id, submission_id, submission_index) = 0)) OR ((num_nonnulls(reader_id, antenna) = 0) AND (num_nonnulls(handheld_id, submission_id, submission_index) = 3))))
);
CREATE INDEX scan_events__asset ON public.scan_events USING btree (org_id, asset_id, observed_at);
CREATE UNIQUE INDEX scan_events__reader ON public.scan_events USING btree (org_id, observed_at, reader_id, antenna, tag_type, tag_value) WHERE (reader_id IS NOT NULL);
CREATE UNIQUE INDEX scan_events__submission ON public.scan_events USING btree (org_id, observed_at, submission_id, submission_index) WHERE (submission_id IS NOT NULL);

create table schema_migrations (
  name text not null,
  applied_at timestamp with time zone not null default now(),
  constraint schema_migrations_pkey PRIMARY KEY (name)
);

create table sealing_faults (
  org_id integer not null,
  move_id bigint,
  reason text not null,
  since timestamp with time zone not null default now(),
  constraint sealing_faults__org_id PRIMARY KEY (org_id)
);

create table serial_ranges (
  org_id integer not null,
  ai text collate "C" not null,
  base text collate "C" not null,
  prefix_length smallint not null,
  filter smallint not null,
  next_serial bigint not null,
  last_serial bigint not null,
  created_at timestamp with time zone not null default now(),
  constraint serial_ranges__org_id_ai_base PRIMARY KEY (org_id, ai, base),
  constraint serial_ranges__ai CHECK ((ai = ANY (ARRAY['00'::text, '01'::text, '8003'::text, '8004'::text]))),
  constraint serial_ranges__base CHECK ((base ~ '^[0-9]{6,14}$'::text)),
  constraint serial_ranges__filter CHECK (((filter >= 0) AND (filter <= 7))),
  constraint serial_ranges__next_serial CHECK (((next_serial >= 0) AND (next_serial <= (last_serial + 1)))),
  constraint serial_ranges__org_id FOREIGN KEY (org_id) REFERENCES organizations(id),
  constraint serial_ranges__prefix_length CHECK (((prefix_length >= 6) AND (prefix_length <= 12)))
);

create table sessions (
  id bigint generated always as identity not null,
  digest bytea not null,
  user_id integer not null,
  began_at timestamp with time zone not null default now(),
  used_at timestamp with time zone not null default now(),
  ends_at timestamp with time zone not null,
  address text not null,
  user_agent text not null,
  constraint sessions__id PRIMARY KEY (id),
  constraint sessions__address CHECK ((char_length(address) <= 100)),
  constraint sessions__digest UNIQUE (digest),
  constraint sessions__digest_length CHECK ((octet_length(digest) = 32)),
  constraint sessions__user_agent CHECK ((char_length(user_agent) <= 255)),
  constraint sessions__user_id FOREIGN KEY (user_id) REFERENCES users(id)
) with (fillfactor=80);
CREATE INDEX sessions__user_id_used_at ON public.sessions USING btree (user_id, used_at);
CREATE TRIGGER sessions_changed AFTER DELETE ON public.sessions FOR EACH ROW WHEN ((old.ends_at > now())) EXECUTE FUNCTION notify_access_changed();

create table silence_derivation (
  is_only boolean not null default true,
  derived_to timestamp with time zone not null,
  derived_by uuid,
  derived_at timestamp with time zone not null,
  constraint silence_derivation__is_only PRIMARY KEY (is_only),
  constraint silence_derivation__only CHECK (is_only)
);

create table silence_faults (
  org_id integer not null,
  reason text not null,
  since timestamp with time zone not null default now(),
  constraint silence_faults__org_id PRIMARY KEY (org_id)
);

create table silence_revisions (
  org_id integer not null,
  reader_id integer not null,
  since timestamp with time zone not null,
  constraint silence_revisions__org_id_reader_id PRIMARY KEY (org_id, reader_id),
  constraint silence_revisions__org_id_reader_id_fkey FOREIGN KEY (org_id, reader_id) REFERENCES readers(org_id, id)
);
CREATE TRIGGER silence_revisions_drop_joined AFTER DELETE ON public.silence_revisions REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION drop_joined_stretches();

create table smoothing_settings (
  org_id integer not null,
  id integer generated always as identity not null,
  location_id integer,
  valid_from timestamp with time zone not null,
  mode text not null,
  window_seconds integer,
  min_seconds integer,
  margin_db double precision,
  actor_type text,
  actor_id text collate "C",
  constraint smoothing_settings__org_id_id PRIMARY KEY (org_id, id),
  constraint smoothing_settings__actor CHECK ((num_nonnulls(actor_type, actor_id) = ANY (ARRAY[0, 2]))),
  constraint smoothing_settings__margin_db CHECK (((margin_db > (0)::double precision) AND (margin_db <= (100)::double precision))),
  constraint smoothing_settings__min_seconds CHECK (((min_seconds >= 1) AND (min_seconds <= window_seconds))),
  constraint smoothing_settings__mode CHECK (((mode = ANY (ARRAY['on'::text, 'off'::text])) OR ((mode = 'inherit'::text) AND (location_id IS NOT NULL)))),
  constraint smoothing_settings__on CHECK (
CASE
    WHEN (mode = 'on'::text) THEN ((window_seconds IS NOT NULL) AND (num_nonnulls(min_seconds, margin_db) > 0))
    ELSE (num_nonnulls(window_seconds, min_seconds, margin_db) = 0)
END),
  constraint smoothing_settings__org_id FOREIGN KEY (org_id) REFERENCES organizations(id),
  constraint smoothing_settings__org_id_location_id FOREIGN KEY (org_id, location_id) REFERENCES locations(org_id, id),
  constraint smoothing_settings__window_seconds CHECK (((window_seconds >= 1) AND (window_seconds <= 600)))
);
CREATE INDEX smoothing_settings__org_id_location_id_valid_from ON public.smoothing_settings USING btree (org_id, location_id, valid_from);

create table submissions (
  org_id integer not null,
  id text collate "C" not null,
  handheld_id integer not null,
  body_sha256 bytea not null,
  received_at timestamp with time zone not null default now(),
  answer json not null,
  constraint submissions__org_id_id PRIMARY KEY (org_id, id),
  constraint submissions__body_sha256 CHECK ((octet_length(body_sha256) = 32)),
  constraint submissions__org_id_handheld_id FOREIGN KEY (org_id, handheld_id) REFERENCES handhelds(org_id, id)
);
CREATE INDEX submissions__org_id_handheld_id_received_at ON public.submissions USING btree (org_id, handheld_id, received_at);
CREATE INDEX submissions__received_at ON public.submissions USING btree (received_at);
CREATE TRIGGER submissions_held AFTER INSERT ON public.submissions REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION refuse_while_held();

create table sweep_assets (
  org_id integer not null,
  sweep_id text collate "C" not null,
  asset_id integer not null,
  expected boolean not null,
  found boolean not null,
  moved_here boolean not null,
  missing boolean not null,
  constraint sweep_assets__org_id_sweep_id_asset_id PRIMARY KEY (org_id, sweep_id, asset_id)
);
CREATE INDEX sweep_assets__org_id_asset_id ON public.sweep_assets USING btree (org_id, asset_id) WHERE ((expected OR missing) AND (NOT found) AND (NOT moved_here));

create table sweeps (
  org_id integer not null,
  id text collate "C" not null,
  handheld_id integer not null,
  body_sha256 bytea not null,
  received_at timestamp with time zone not null,
  location_id integer not null,
  began_at timestamp with time zone not null,
  ended_at timestamp with time zone not null,
  include_descendants boolean not null,
  expected integer not null,
  found integer not null,
  moved_here integer not null,
  missing integer not null,
  unknown integer not null,
  unknown_tags text[] not null,
  constraint sweeps__org_id_id PRIMARY KEY (org_id, id),
  constraint sweeps__body_sha256 CHECK ((octet_length(body_sha256) = 32)),
  constraint sweeps__ended_at CHECK ((ended_at >= began_at)),
  constraint sweeps__org_id_handheld_id FOREIGN KEY (org_id, handheld_id) REFERENCES handhelds(org_id, id),
  constraint sweeps__org_id_location_id FOREIGN KEY (org_id, location_id) REFERENCES locations(org_id, id)
);
CREATE INDEX sweeps__org_id_ended_at ON public.sweeps USING btree (org_id, ended_at, id);
CREATE INDEX sweeps__org_id_location_id_ended_at ON public.sweeps USING btree (org_id, location_id, ended_at);
CREATE TRIGGER sweeps_held AFTER INSERT ON public.sweeps REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION refuse_while_held();
CREATE TRIGGER sweeps_revise_alerts AFTER INSERT ON public.sweeps FOR EACH ROW EXECUTE FUNCTION revise_alerts_of_row('location', 'location_id', 'began_at');

create table tag_readings (
  org_id integer not null,
  asset_id integer not null,
  tag_id integer not null,
  observed_at timestamp with time zone not null,
  battery_percent double precision,
  battery_volts double precision,
  temperature_c double precision,
  humidity_percent double precision,
  button double precision,
  motion double precision,
  constraint tag_readings__org_id_asset_id_observed_at_tag_id PRIMARY KEY (org_id, asset_id, observed_at, tag_id)
) with (autovacuum_vacuum_insert_scale_factor=0.01);

create table tags (
  org_id integer not null,
  id integer generated always as identity not null,
  tag_type text not null,
  value text collate "C" not null,
  tag_key text collate "C" not null,
  asset_id integer,
  location_id integer,
  attached_at timestamp with time zone not null default now(),
  detached_at timestamp with time zone,
  normal_key text collate "C",
  constraint tags__org_id_id PRIMARY KEY (org_id, id),
  constraint tags__asset_id_location_id CHECK ((num_nonnulls(asset_id, location_id) = 1)),
  constraint tags__org_id_asset_id FOREIGN KEY (org_id, asset_id) REFERENCES assets(org_id, id),
  constraint tags__org_id_location_id FOREIGN KEY (org_id, location_id) REFERENCES locations(org_id, id),
  constraint tags__tag_key CHECK ((tag_key <> ''::text)),
  constraint tags__value CHECK (((char_length(value) >= 1) AND (char_length(value) <= 255)))
);
CREATE INDEX tags__detached_normal_key ON public.tags USING btree (org_id, normal_key) WHERE ((detached_at IS NOT NULL) AND (normal_key IS NOT NULL));
CREATE INDEX tags__org_id_asset_id ON public.tags USING btree (org_id, asset_id);
CREATE INDEX tags__org_id_location_id ON public.tags USING btree (org_id, location_id) WHERE (location_id IS NOT NULL);
CREATE INDEX tags__org_id_normal_key ON public.tags USING btree (org_id, normal_key) WHERE ((detached_at IS NULL) AND (normal_key IS NOT NULL));
CREATE INDEX tags__org_id_tag_type_tag_key ON public.tags USING btree (org_id, tag_type, tag_key) WHERE (detached_at IS NULL);
CREATE UNIQUE INDEX tags__org_id_tag_type_value ON public.tags USING btree (org_id, tag_type, value) WHERE (detached_at IS NULL);
CREATE INDEX tags__searched_text ON public.tags USING gin (org_id, folded(value) gin_trgm_ops) WHERE (detached_at IS NULL);
CREATE TRIGGER tags_revise_alerts AFTER UPDATE ON public.tags REFERENCING OLD TABLE AS old_tags NEW TABLE AS new_tags FOR EACH STATEMENT EXECUTE FUNCTION revise_alerts_of_detached_tags();

create table unknown_tags (
  org_id integer not null,
  tag_type text not null,
  tag_key text collate "C" not null,
  value text collate "C" not null,
  ambiguous boolean not null,
  count bigint not null,
  first_seen timestamp with time zone not null,
  last_seen timestamp with time zone not null,
  reader_id integer,
  antenna smallint,
  rssi double precision,
  location_id integer,
  ignored_at timestamp with time zone,
  constraint unknown_tags__org_id_tag_type_tag_key PRIMARY KEY (org_id, tag_type, tag_key),
  constraint unknown_tags__org_id FOREIGN KEY (org_id) REFERENCES organizations(id),
  constraint unknown_tags__org_id_reader_id FOREIGN KEY (org_id, reader_id) REFERENCES readers(org_id, id)
);
CREATE INDEX unknown_tags__org_id_last_seen ON public.unknown_tags USING btree (org_id, last_seen);

create table unplaced_antennas (
  org_id integer not null,
  reader_id integer not null,
  name text collate "C" not null,
  reads bigint not null,
  last_read_at timestamp with time zone not null,
  constraint unplaced_antennas__org_id_reader_id_name PRIMARY KEY (org_id, reader_id, name),
  constraint unplaced_antennas__org_id_reader_id FOREIGN KEY (org_id, reader_id) REFERENCES readers(org_id, id)
);

create table unsealed_changes (
  id bigint generated always as identity not null,
  part integer not null default 1,
  parts integer not null default 1,
  org_id integer not null,
  recorded_at timestamp with time zone not null,
  resource text not null,
  resource_id integer not null,
  action text not null,
  constraint unsealed_changes__org_id_id_part PRIMARY KEY (org_id, id, part)
) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=5000, autovacuum_vacuum_cost_delay=0, autovacuum_vacuum_insert_threshold=-1, autovacuum_analyze_scale_factor=0, autovacuum_analyze_threshold=2000000000, vacuum_truncate=off);

create table unsealed_moves (
  id bigint generated always as identity not null,
  part integer not null default 1,
  parts integer not null default 1,
  org_id integer not null,
  asset_id integer,
  kind text not null,
  recorded_at timestamp with time zone not null,
  location_id integer,
  since timestamp with time zone,
  last_seen timestamp with time zone,
  previous_location_id integer,
  duration_seconds bigint,
  rows json,
  constraint unsealed_moves__org_id_id_part PRIMARY KEY (org_id, id, part)
) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=5000, autovacuum_vacuum_cost_delay=0, autovacuum_vacuum_insert_threshold=-1, autovacuum_analyze_scale_factor=0, autovacuum_analyze_threshold=2000000000, vacuum_truncate=off);

create table user_links (
  id bigint generated always as identity not null,
  digest bytea not null,
  purpose text not null,
  user_id integer,
  org_id integer,
  role text,
  email text collate "C",
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  made_by integer,
  made_in integer,
  constraint user_links__id PRIMARY KEY (id),
  constraint user_links__digest UNIQUE (digest),
  constraint user_links__digest_length CHECK ((octet_length(digest) = 32)),
  constraint user_links__email CHECK ((((char_length(email) >= 3) AND (char_length(email) <= 254)) AND (email = lower(email)))),
  constraint user_links__made_by FOREIGN KEY (made_by) REFERENCES users(id),
  constraint user_links__made_in FOREIGN KEY (made_in) REFERENCES organizations(id),
  constraint user_links__maker CHECK ((num_nonnulls(made_by, made_in) = ANY (ARRAY[0, 2]))),
  constraint user_links__org_id FOREIGN KEY (org_id) REFERENCES organizations(id),
  constraint user_links__purpose CHECK (
CASE purpose
    WHEN 'first'::text THEN ((org_id IS NOT NULL) AND (role = 'admin'::text) AND (user_id IS NULL) AND (email IS NULL))
    WHEN 'invite'::text THEN ((org_id IS NOT NULL) AND (role IS NOT NULL) AND (user_id IS NULL) AND (email IS NOT NULL))
    ELSE ((purpose = ANY (ARRAY['reset'::text, 'sign_in'::text])) AND (user_id IS NOT NULL) AND (org_id IS NULL) AND (role IS NULL) AND (email IS NULL))
END),
  constraint user_links__role CHECK ((role = ANY (ARRAY['viewer'::text, 'operator'::text, 'admin'::text]))),
  constraint user_links__user_id FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX user_links__expires_at ON public.user_links USING btree (expires_at);
CREATE INDEX user_links__org_id ON public.user_links USING btree (org_id);
CREATE INDEX user_links__user_id ON public.user_links USING btree (user_id);

create table users (
  id integer generated always as identity not null,
  email text collate "C" not null,
  name text not null,
  password text collate "C",
  issuer text collate "C",
  subject text collate "C",
  is_disabled boolean not null default false,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint users__id PRIMARY KEY (id),
  constraint users__email UNIQUE (email),
  constraint users__email_case CHECK ((email = lower(email))),
  constraint users__email_length CHECK (((char_length(email) >= 3) AND (char_length(email) <= 254))),
  constraint users__issuer_subject UNIQUE (issuer, subject),
  constraint users__name CHECK (((char_length(name) >= 1) AND (char_length(name) <= 255))),
  constraint users__password CHECK ((char_length(password) <= 255)),
  constraint users__subject CHECK ((((issuer IS NULL) = (subject IS NULL)) AND (char_length(issuer) <= 2048) AND (char_length(subject) <= 255)))
);
CREATE TRIGGER users_changed AFTER DELETE OR UPDATE OF email, name, password, is_disabled ON public.users FOR EACH ROW EXECUTE FUNCTION notify_access_changed();

create table webhook_attempts (
  org_id integer not null,
  webhook_id integer not null,
  id bigint generated always as identity not null,
  at timestamp with time zone not null,
  event_id text not null,
  position bigint,
  attempt smallint not null,
  status smallint,
  error text,
  milliseconds integer not null,
  answer text,
  constraint webhook_attempts__org_id_webhook_id_id PRIMARY KEY (org_id, webhook_id, id),
  constraint webhook_attempts__org_id_webhook_id FOREIGN KEY (org_id, webhook_id) REFERENCES webhooks(org_id, id)
);

create table webhook_deliverers (
  id uuid not null,
  alive_until timestamp with time zone not null,
  constraint webhook_deliverers__id PRIMARY KEY (id)
);

create table webhook_lanes (
  org_id integer not null,
  webhook_id integer not null,
  lane smallint not null,
  position bigint not null,
  attempted_position bigint,
  attempts smallint not null default 0,
  due_at timestamp with time zone,
  deliverer uuid,
  is_reset boolean not null default false,
  constraint webhook_lanes__org_id_webhook_id_lane PRIMARY KEY (org_id, webhook_id, lane),
  constraint webhook_lanes__lane CHECK (((lane >= 0) AND (lane <= 7))),
  constraint webhook_lanes__org_id_webhook_id FOREIGN KEY (org_id, webhook_id) REFERENCES webhooks(org_id, id)
) with (fillfactor=50);

create table webhook_secrets (
  org_id integer not null,
  webhook_id integer not null,
  id integer generated always as identity not null,
  key_id text collate "C" not null,
  sealed bytea not null,
  created_at timestamp with time zone not null default now(),
  constraint webhook_secrets__org_id_webhook_id_id PRIMARY KEY (org_id, webhook_id, id),
  constraint webhook_secrets__org_id_webhook_id FOREIGN KEY (org_id, webhook_id) REFERENCES webhooks(org_id, id)
);

create table webhook_settled (
  org_id integer not null,
  webhook_id integer not null,
  lane smallint not null,
  subject integer not null,
  first_position bigint not null,
  last_position bigint not null,
  constraint webhook_settled__org_id_webhook_id_lane_subject PRIMARY KEY (org_id, webhook_id, lane, subject),
  constraint webhook_settled__org_id_webhook_id FOREIGN KEY (org_id, webhook_id) REFERENCES webhooks(org_id, id),
  constraint webhook_settled__positions CHECK ((first_position <= last_position))
);
CREATE INDEX webhook_settled__last_position ON public.webhook_settled USING btree (org_id, webhook_id, lane, last_position);

create table webhooks (
  org_id integer not null,
  id integer generated always as identity not null,
  name text not null,
  url text not null,
  types text[],
  location_id integer,
  state text not null default 'on'::text,
  state_reason text,
  state_at timestamp with time zone not null default now(),
  revision integer not null default 1,
  created_at timestamp with time zone not null default now(),
  deleted_at timestamp with time zone,
  settle_seconds smallint not null default 0,
  epcis json,
  constraint webhooks__org_id_id PRIMARY KEY (org_id, id),
  constraint webhooks__name CHECK (((char_length(name) >= 1) AND (char_length(name) <= 255))),
  constraint webhooks__org_id FOREIGN KEY (org_id) REFERENCES organizations(id),
  constraint webhooks__org_id_location_id FOREIGN KEY (org_id, location_id) REFERENCES locations(org_id, id),
  constraint webhooks__settle_seconds CHECK (((settle_seconds >= 0) AND (settle_seconds <= 60))) NOT VALID,
  constraint webhooks__state CHECK ((state = ANY (ARRAY['on'::text, 'off'::text, 'paused'::text]))),
  constraint webhooks__state_reason CHECK ((state_reason = ANY (ARRAY['gone'::text, 'undeliverable'::text, 'expired'::text]))),
  constraint webhooks__url CHECK (((char_length(url) >= 1) AND (char_length(url) <= 2048)))
);
CREATE UNIQUE INDEX webhooks__id ON public.webhooks USING btree (id);

create view own_readings with (security_barrier=true) as
 SELECT org_id,
    asset_id,
    tag_id,
    observed_at,
    battery_percent,
    battery_volts,
    temperature_c,
    humidity_percent,
    button,
    motion
   FROM tag_readings
  WHERE (org_id = current_org_id());

CREATE OR REPLACE FUNCTION public.add_live_rows(of_resource text, of_org_id integer, of_is_active boolean, change bigint)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  most constant bigint := case of_resource when 'asset' then 10000000 when 'location' then 1000000 end;
begin
  update live_row_counts set row_count = row_count + change
  where org_id = of_org_id and resource = of_resource and is_active = of_is_active and slot = (
    select slot from live_row_counts
    where org_id = of_org_id and resource = of_resource and is_active = of_is_active
    order by slot limit 1
    for no key update skip locked
  );
  if not found then
    insert into live_row_counts (org_id, resource, is_active, row_count)
    values (of_org_id, of_resource, of_is_active, change);
  end if;
  if change > 0 and most < (
    select sum(row_count) from live_row_counts where org_id = of_org_id and resource = of_resource
  ) then
    raise exception using errcode = 'TT001', message = format(
      'Organization %s would have more than %s %ss, the maximum; delete some first', of_org_id, most, of_resource
    );
  end if;
end $function$
;

CREATE OR REPLACE FUNCTION public.asset_fields(org_id integer, metadata json)
 RETURNS bigint[]
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE COST 10000
AS $function$
begin
  if metadata::text = '{}' then
    return '{}';
  end if;
  return array(
    select hashtextextended(concat(org_id, ':', char_length(key), ':', key, coalesce(last, 'null')), 0)
    from (
      select key, (array_agg(value order by place desc))[1] as last
      from (
        select key, value, place from json_each_text(metadata) with ordinality as each (key, value, place) limit 500
      ) given
      group by key
    ) field
  );
end $function$
;

CREATE OR REPLACE FUNCTION public.begin_location_sites()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  if current_setting('tagtrail.copying', true) is distinct from 'on' then
    insert into location_sites as stored (org_id) select distinct org_id from new_rows order by org_id
    on conflict (org_id) do update set version = stored.version + 1;
  end if;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.cell_number()
 RETURNS integer
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  select case when seqmax - seqmin = 49999999 then ((seqmin - 1) / 50000000 + 1)::integer end
  from pg_sequence where seqrelid = pg_get_serial_sequence('public.organizations', 'id')::regclass
$function$
;

CREATE OR REPLACE FUNCTION public.count_live_rows()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  case tg_op
    when 'INSERT' then
      perform add_live_rows(tg_argv[0], org_id, is_active, count(*))
      from new_rows where deleted_at is null group by org_id, is_active;
    when 'UPDATE' then
      perform add_live_rows(tg_argv[0], org_id, is_active, sum(change))
      from (
        select org_id, is_active, 1 as change from new_rows where deleted_at is null
        union all
        select org_id, is_active, -1 from old_rows where deleted_at is null
      ) changed
      group by org_id, is_active having sum(change) <> 0;
    when 'DELETE' then
      perform add_live_rows(tg_argv[0], org_id, is_active, -count(*))
      from old_rows where deleted_at is null group by org_id, is_active;
    when 'TRUNCATE' then
      delete from live_row_counts where resource = tg_argv[0];
  end case;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.count_position_of_asset()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  -- Waits for whoever is making its position, and keeps others from it.
  perform from assets where org_id = new.org_id and id = new.id for update;
  -- By its primary key, whatever statistics say.
  update positions set is_of_deleted = new.deleted_at is not null
  where ctid = (
    select ctid from positions
    where org_id = new.org_id and asset_id between new.id and new.id order by asset_id limit 1 for no key update
  );
  if found then
    perform add_live_rows('position', new.org_id, true, case when new.deleted_at is null then 1 else -1 end);
  end if;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.count_positions()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  case tg_op
    when 'INSERT' then
      perform add_live_rows('position', asset.org_id, true, count(*))
      from new_rows position
      join assets asset on asset.org_id = position.org_id and asset.id = position.asset_id
      where asset.deleted_at is null group by asset.org_id;
      -- The asset may have been deleted while its first position waited for that.
      update positions set is_of_deleted = true
      where ctid = any (array(
        select position.ctid from (select * from new_rows where not is_of_deleted) made
        cross join lateral (
          select from assets
          where org_id = made.org_id and id between made.asset_id and made.asset_id and deleted_at is not null
          order by id limit 1
        ) asset
        cross join lateral (
          select ctid from positions
          where org_id = made.org_id and asset_id between made.asset_id and made.asset_id order by asset_id limit 1
        ) position
      ));
    when 'DELETE' then
      perform add_live_rows('position', asset.org_id, true, -count(*))
      from old_rows position
      join assets asset on asset.org_id = position.org_id and asset.id = position.asset_id
      where asset.deleted_at is null group by asset.org_id;
    when 'TRUNCATE' then
      delete from live_row_counts where resource = 'position';
  end case;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.create_search_indexes()
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
begin
  begin
    create extension if not exists pg_trgm;
    create extension if not exists btree_gin;
  exception when insufficient_privilege or undefined_file or feature_not_supported then
    return false;
  end;
  create index if not exists assets__searched_text on assets
    using gin (org_id, searched_text(name, external_key, description) gin_trgm_ops);
  create index if not exists locations__searched_text on locations
    using gin (org_id, searched_text(name, external_key, description) gin_trgm_ops);
  create index if not exists tags__searched_text on tags
    using gin (org_id, folded(value) gin_trgm_ops) where detached_at is null;
  return true;
end $function$
;

CREATE OR REPLACE FUNCTION public.current_org_id()
 RETURNS integer
 LANGUAGE sql
 STABLE
RETURN (NULLIF(current_setting('tagtrail.org_id'::text, true), ''::text))::integer
;

CREATE OR REPLACE FUNCTION public.delay_listening(org integer, reader integer, since timestamp with time zone, until timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  joined record;
begin
  select count(*) as rows, min(started_at) as started_at, max(ended_at) as ended_at into joined
  from reader_delays delay
  where delay.org_id = org and delay.reader_id = reader and delay.started_at <= until and delay.ended_at >= since
    and delay.started_at >= coalesce((
      select max(before.started_at) from reader_delays before
      where before.org_id = org and before.reader_id = reader and before.started_at <= since), '-infinity');
  if joined.rows = 1 and joined.started_at <= since then
    update reader_delays set ended_at = until
    where org_id = org and reader_id = reader and started_at = joined.started_at and ended_at < until;
    return;
  end if;
  delete from reader_delays
  where org_id = org and reader_id = reader and started_at between joined.started_at and joined.ended_at;
  insert into reader_delays (org_id, reader_id, started_at, ended_at)
  values (org, reader, least(since, joined.started_at), greatest(until, joined.ended_at));
end $function$
;

CREATE OR REPLACE FUNCTION public.drop_chunks_before(hypertable text, until timestamp with time zone)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  dropped bigint;
begin
  if hypertable not in ('scan_events', 'moves', 'tag_readings') then
    raise exception 'no chunks of % may be dropped', hypertable using errcode = 'insufficient_privilege';
  end if;
  execute 'select count(*) from drop_chunks($1::regclass, older_than => $2)' into dropped using hypertable, until;
  return dropped;
end $function$
;

CREATE OR REPLACE FUNCTION public.drop_joined_stretches()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from reader_joined_spans span using gone
  where span.org_id = gone.org_id and span.reader_id = gone.reader_id
    and span.ended_at >= gone.since - interval '15 seconds';
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.end_delays()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  gap constant interval := interval '15 seconds';
  is_known boolean;
begin
  delete from reader_delays delay
  where delay.org_id = new.org_id and delay.reader_id = new.reader_id and delay.started_at < new.in_time_before
    and delay.ended_at > new.in_time_before and delay.ended_at <= new.in_time_before + gap;
  is_known := found;
  update reader_delays delay set started_at = new.in_time_before
  where delay.org_id = new.org_id and delay.reader_id = new.reader_id and delay.started_at < new.in_time_before
    and delay.ended_at > new.in_time_before;
  if is_known or found then
    perform revise_alerts(new.org_id, 'listening', new.reader_id, new.in_time_before);
  end if;
  new.in_time_before := null;
  return new;
end $function$
;

CREATE OR REPLACE FUNCTION public.find_assets_by_metadata(of_org_id integer, wanted json, with_not_in_effect boolean, with_deleted boolean, of_activity boolean)
 RETURNS TABLE(id integer, external_key text, name text, created_at timestamp with time zone, updated_at timestamp with time zone)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_indexscan TO 'off'
 SET enable_indexonlyscan TO 'off'
 SET enable_bitmapscan TO 'on'
 SET plan_cache_mode TO 'force_generic_plan'
 SET work_mem TO '64MB'
 SET jit TO 'off'
AS $function$
declare
  fields bigint[] := asset_fields(of_org_id, wanted);
begin
  if of_org_id is distinct from current_org_id() then
    return;
  end if;
  return query
    select asset.id, asset.external_key, asset.name, asset.created_at, asset.updated_at from assets asset
    where asset.org_id = of_org_id and asset_fields(asset.org_id, asset.metadata) @> fields
      and is_listed(asset.valid_from, asset.valid_to, asset.deleted_at, asset.is_active,
        with_not_in_effect, with_deleted, of_activity);
end $function$
;

CREATE OR REPLACE FUNCTION public.find_assets_by_text(of_org_id integer, searched text, with_not_in_effect boolean, with_deleted boolean, of_activity boolean)
 RETURNS TABLE(id integer, external_key text, name text, created_at timestamp with time zone, updated_at timestamp with time zone)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_indexscan TO 'off'
 SET enable_indexonlyscan TO 'off'
 SET enable_bitmapscan TO 'on'
 SET seq_page_cost TO '0'
 SET random_page_cost TO '0'
 SET cpu_tuple_cost TO '0'
 SET cpu_operator_cost TO '0'
 SET cpu_index_tuple_cost TO '1'
 SET plan_cache_mode TO 'force_generic_plan'
 SET jit TO 'off'
AS $function$
declare
  pattern text := '%' || regexp_replace(folded(searched), '([\\%_])', '\\\1', 'g') || '%';
  has_trigram boolean := folded(searched) ~ '[a-z0-9]{3}';
  tagged integer[];
begin
  if of_org_id is distinct from current_org_id() then
    return;
  end if;
  if has_trigram and has_most_rows(of_org_id, 'assets') then
    return query
      select asset.id, asset.external_key, asset.name, asset.created_at, asset.updated_at from assets asset
      where asset.org_id + 0 = of_org_id
        and searched_text(asset.name, asset.external_key, asset.description) like pattern
        and is_listed(asset.valid_from, asset.valid_to, asset.deleted_at, asset.is_active,
          with_not_in_effect, with_deleted, of_activity);
  else
    return query
      select asset.id, asset.external_key, asset.name, asset.created_at, asset.updated_at from assets asset
      where asset.org_id = of_org_id
        and searched_text(asset.name, asset.external_key, asset.description) like pattern
        and is_listed(asset.valid_from, asset.valid_to, asset.deleted_at, asset.is_active,
          with_not_in_effect, with_deleted, of_activity);
  end if;
  if has_trigram and has_most_rows(of_org_id, 'tags') then
    tagged := array(
      select distinct tag.asset_id from tags tag
      where tag.org_id + 0 = of_org_id and tag.asset_id is not null and tag.detached_at is null
        and folded(tag.value) like pattern
      order by tag.asset_id);
  else
    tagged := array(
      select distinct tag.asset_id from tags tag
      where tag.org_id = of_org_id and tag.asset_id is not null and tag.detached_at is null
        and folded(tag.value) like pattern
      order by tag.asset_id);
  end if;
  if cardinality(tagged) = 0 then
    return;
  end if;
  perform set_config('enable_indexscan', 'on', true), set_config('enable_bitmapscan', 'off', true);
  return query
    select asset.* from unnest(tagged) as found (id) cross join lateral (
      select asset.id, asset.external_key, asset.name, asset.created_at, asset.updated_at from assets asset
      where asset.org_id = of_org_id and asset.id = found.id
        and searched_text(asset.name, asset.external_key, asset.description) not like pattern
        and is_listed(asset.valid_from, asset.valid_to, asset.deleted_at, asset.is_active,
          with_not_in_effect, with_deleted, of_activity)
      offset 0
    ) asset;
end $function$
;

CREATE OR REPLACE FUNCTION public.find_by_text(of_resource text, of_org_id integer, searched text)
 RETURNS SETOF integer
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER ROWS 100
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare
  pattern text := '%' || regexp_replace(folded(searched), '([\\%_])', '\\\1', 'g') || '%';
begin
  if of_org_id is distinct from current_org_id() then
    return;
  end if;
  case of_resource
    when 'asset' then
      return query execute
        'select id from assets
         where org_id = $1 and searched_text(name, external_key, description) like $2
         union
         select asset_id from tags
         where org_id = $1 and asset_id is not null and detached_at is null and folded(value) like $2'
        using of_org_id, pattern;
    when 'location' then
      return query execute
        'select id from locations
         where org_id = $1 and searched_text(name, external_key, description) like $2
         union
         select location_id from tags
         where org_id = $1 and location_id is not null and detached_at is null and folded(value) like $2'
        using of_org_id, pattern;
  end case;
end $function$
;

CREATE OR REPLACE FUNCTION public.folded(text_to_fold text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (octet_length(text_to_fold) = char_length(text_to_fold)) THEN lower((text_to_fold COLLATE pg_c_utf8)) WHEN (lower(upper((NORMALIZE(text_to_fold, NFKC) COLLATE pg_c_utf8))) !~ '[ŉǰΐΰևẖẗẘẙẚὐὒὔὖᾀᾁᾂᾃᾄᾅᾆᾇᾐᾑᾒᾓᾔᾕᾖᾗᾠᾡᾢᾣᾤᾥᾦᾧᾲᾳᾴᾶᾷῂῃῄῆῇῒΐῖῗῢΰῤῦῧῲῳῴῶῷﬀﬁﬂﬃﬄﬅﬆﬓﬔﬕﬖﬗ]'::text) THEN replace(lower(upper((NORMALIZE(text_to_fold, NFKC) COLLATE pg_c_utf8))), 'ß'::text, 'ss'::text) ELSE folded_by_letter(replace(lower(upper((NORMALIZE(text_to_fold, NFKC) COLLATE pg_c_utf8))), 'ß'::text, 'ss'::text)) END
;

CREATE OR REPLACE FUNCTION public.folded_by_letter(text_to_fold text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN (SELECT string_agg(COALESCE(('{"ŉ": "ʼn", "ǰ": "ǰ", "ΐ": "ΐ", "ΰ": "ΰ", "և": "եւ", "ẖ": "ẖ", "ẗ": "ẗ", "ẘ": "ẘ", "ẙ": "ẙ", "ẚ": "aʾ", "ὐ": "ὐ", "ὒ": "ὒ", "ὔ": "ὔ", "ὖ": "ὖ", "ᾀ": "ἀι", "ᾁ": "ἁι", "ᾂ": "ἂι", "ᾃ": "ἃι", "ᾄ": "ἄι", "ᾅ": "ἅι", "ᾆ": "ἆι", "ᾇ": "ἇι", "ᾐ": "ἠι", "ᾑ": "ἡι", "ᾒ": "ἢι", "ᾓ": "ἣι", "ᾔ": "ἤι", "ᾕ": "ἥι", "ᾖ": "ἦι", "ᾗ": "ἧι", "ᾠ": "ὠι", "ᾡ": "ὡι", "ᾢ": "ὢι", "ᾣ": "ὣι", "ᾤ": "ὤι", "ᾥ": "ὥι", "ᾦ": "ὦι", "ᾧ": "ὧι", "ᾲ": "ὰι", "ᾳ": "αι", "ᾴ": "άι", "ᾶ": "ᾶ", "ᾷ": "ᾶι", "ῂ": "ὴι", "ῃ": "ηι", "ῄ": "ήι", "ῆ": "ῆ", "ῇ": "ῆι", "ῒ": "ῒ", "ΐ": "ΐ", "ῖ": "ῖ", "ῗ": "ῗ", "ῢ": "ῢ", "ΰ": "ΰ", "ῤ": "ῤ", "ῦ": "ῦ", "ῧ": "ῧ", "ῲ": "ὼι", "ῳ": "ωι", "ῴ": "ώι", "ῶ": "ῶ", "ῷ": "ῶι", "ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st", "ﬓ": "մն", "ﬔ": "մե", "ﬕ": "մի", "ﬖ": "վն", "ﬗ": "մխ"}'::jsonb ->> split.letter), split.letter), ''::text ORDER BY split.place) AS string_agg FROM regexp_split_to_table(folded_by_letter.text_to_fold, ''::text) WITH ORDINALITY split(letter, place))
;

CREATE OR REPLACE FUNCTION public.has_most_rows(of_org_id integer, of_table text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_sort TO 'off'
 SET enable_indexscan TO 'on'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  last_id bigint := pg_sequence_last_value(pg_get_serial_sequence(of_table, 'id')::regclass);
begin
  -- The organization's part of a small table is read in a millisecond.
  if of_org_id is distinct from current_org_id() or last_id is null or last_id < 50000 then
    return false;
  end if;
  return 21 <= case of_table
    when 'assets' then (
      select count(*) from (select n * last_id / 33 as id from generate_series(1, 32) n) wanted
      cross join lateral (
        select id from assets where org_id = of_org_id and id >= wanted.id order by id limit 1) there
      where there.id = wanted.id)
    when 'tags' then (
      select count(*) from (select n * last_id / 33 as id from generate_series(1, 32) n) wanted
      cross join lateral (
        select id from tags where org_id = of_org_id and id >= wanted.id order by id limit 1) there
      where there.id = wanted.id)
  end;
end $function$
;

CREATE OR REPLACE FUNCTION public.is_listed(valid_from timestamp with time zone, valid_to timestamp with time zone, deleted_at timestamp with time zone, is_active boolean, with_not_in_effect boolean, with_deleted boolean, of_activity boolean)
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN ((with_not_in_effect OR ((valid_from <= now()) AND ((valid_to IS NULL) OR (valid_to > now())))) AND (with_deleted OR (deleted_at IS NULL)) AND ((of_activity IS NULL) OR (is_active = of_activity)))
;

CREATE OR REPLACE FUNCTION public.keep_first_stretches()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update reader_counters set heard_late = heard_late where org_id = new.org_id and reader_id = new.reader_id;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.keep_heard_stretches()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  gap constant interval := interval '15 seconds';
  late record;
  joined record;
begin
  if old.heard_until is null or new.heard_since < old.heard_since then
    perform revise_silences(new.org_id, new.reader_id, new.heard_since);
  end if;
  if new.heard_since > old.heard_until then
    insert into reader_spans (org_id, reader_id, state, started_at, ended_at, messages)
    values (old.org_id, old.reader_id, 'up', old.heard_since, old.heard_until, old.heard_messages);
    if new.heard_late is null then
      return new;
    end if;
  end if;
  for late in
    select time_of_micros((stretch ->> 0)::bigint) as since, time_of_micros((stretch ->> 1)::bigint) as until,
      (stretch ->> 2)::bigint as messages
    from jsonb_array_elements(new.heard_late) stretch
  loop
    perform revise_silences(new.org_id, new.reader_id, late.since);
    joined := take_heard_stretches(new.org_id, new.reader_id, late.since - gap, late.until + gap);
    insert into reader_spans (org_id, reader_id, state, started_at, ended_at, messages)
    values (new.org_id, new.reader_id, 'up', least(late.since, joined.since), greatest(late.until, joined.until),
      late.messages + joined.messages);
  end loop;
  joined := take_heard_stretches(new.org_id, new.reader_id, new.heard_since - gap, new.heard_until + gap);
  new.heard_since := least(new.heard_since, joined.since);
  new.heard_until := greatest(new.heard_until, joined.until);
  new.heard_messages := new.heard_messages + joined.messages;
  new.heard_late := null;
  return new;
end $function$
;

CREATE OR REPLACE FUNCTION public.keep_history_mark()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  changed public.location_transitions := case when tg_op = 'INSERT' then new else old end;
begin
  update public.history_marks set stays = stays + case when tg_op = 'INSERT' then 1 else -1 end
  where org_id = changed.org_id and asset_id = changed.asset_id and observed_at = (
    select mark.observed_at from public.history_marks mark
    where mark.org_id = changed.org_id and mark.asset_id = changed.asset_id
      and mark.observed_at >= changed.observed_at
    order by mark.observed_at limit 1
  );
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.last_seen_before(of_org_id integer, of_asset_id integer, since timestamp with time zone, until timestamp with time zone, known_before timestamp with time zone)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
AS $function$
begin
  if of_org_id is distinct from current_org_id() then
    return null;
  end if;
  return (
    select scan.observed_at from scan_events scan
    where scan.org_id = of_org_id and scan.asset_id = of_asset_id
      and scan.observed_at >= since and scan.observed_at < until
      and (known_before is null or scan.received_at < known_before)
      and (scan.retraction_id is null or exists (
        select from retractions
        where retractions.org_id = of_org_id and retractions.id = scan.retraction_id
          and retractions.received_at >= known_before
      ))
    order by scan.observed_at desc limit 1
  );
end $function$
;

CREATE OR REPLACE FUNCTION public.latest_scanned(of_org_id integer, scans integer)
 RETURNS TABLE(asset_id integer, last_seen timestamp with time zone)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER ROWS 400
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
AS $function$
begin
  if of_org_id is distinct from current_org_id() then
    return;
  end if;
  return query
    select seen.asset_id, seen.at
    from (
      select latest.asset_id, max(latest.observed_at) as at, min(min(latest.observed_at)) over () as oldest
      from (
        select * from (
          (select scan.asset_id, scan.observed_at from scan_events scan
            where scan.org_id = of_org_id and scan.reader_id is not null
            order by scan.observed_at desc limit scans)
          union all
          (select scan.asset_id, scan.observed_at from scan_events scan
            where scan.org_id = of_org_id and scan.submission_id is not null and scan.retraction_id is null
            order by scan.observed_at desc limit scans)
        ) each_source
        order by observed_at desc limit scans
      ) latest
      group by latest.asset_id
    ) seen
    where seen.at > seen.oldest;
end $function$
;

CREATE OR REPLACE FUNCTION public.locations_below(of_org_id integer, root_id integer)
 RETURNS TABLE(id integer, place integer)
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  ids integer[];
  following integer[];
  places integer[];
  at integer;
  visited integer := 0;
begin
  with recursive tree as (
    (
      select location.id, location.parent_id, lower(location.external_key) as folded_key, location.external_key,
        lead(location.id) over siblings as behind
      from locations location
      where location.org_id = of_org_id and location.parent_id = root_id
      window siblings as (order by lower(location.external_key), location.external_key, location.id)
      union all
      select location.id, location.parent_id, lower(location.external_key), location.external_key,
        lead(location.id) over siblings
      from locations location
      where root_id is null and location.org_id = of_org_id and location.parent_id is null
      window siblings as (order by lower(location.external_key), location.external_key, location.id)
    )
    union all
    select child.id, child.parent_id, child.folded_key, child.external_key, coalesce(child.behind, tree.behind)
    from tree cross join lateral (
      select location.id, location.parent_id, lower(location.external_key) as folded_key, location.external_key,
        lead(location.id) over (order by lower(location.external_key), location.external_key, location.id) as behind
      from locations location
      where location.org_id = of_org_id and location.parent_id = tree.id
    ) child
  ),
  numbered as (
    select *, row_number() over (order by tree.parent_id, folded_key, external_key, tree.id)::integer as number from tree
  ),
  first_children as (
    select distinct on (parent_id) parent_id, number from numbered order by parent_id, number
  )
  select array_agg(each.id order by each.number),
    array_agg(coalesce(child.number, behind.number) order by each.number),
    min(each.number) filter (where each.parent_id is not distinct from root_id)
  into ids, following, at
  from numbered each
  left join first_children child on child.parent_id = each.id
  left join numbered behind on behind.id = each.behind;
  places := array_fill(0, array[coalesce(cardinality(ids), 0)]);
  while at is not null loop
    visited := visited + 1;
    places[at] := visited;
    at := following[at];
  end loop;
  return query select * from unnest(ids, places);
end $function$
;

CREATE OR REPLACE FUNCTION public.logged_value(value json)
 RETURNS json
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (octet_length((value)::text) <= 8192) THEN value ELSE json_build_object('left_out', json_build_object('bytes', octet_length((value)::text), 'sha256', encode(sha256(convert_to((value)::text, 'UTF8'::name)), 'hex'::text))) END
;

CREATE OR REPLACE FUNCTION public.mark_assets_outdated()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_nestloop TO 'off'
AS $function$
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
end $function$
;

CREATE OR REPLACE FUNCTION public.mark_histories(org_ids integer[], asset_ids integer[], instants timestamp with time zone[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  made record;
  before timestamptz;
  counted bigint;
begin
  for made in
    select * from unnest(org_ids, asset_ids, instants) as given (org_id, asset_id, observed_at) order by 1, 2, 3
  loop
    continue when exists (
      select from history_marks
      where org_id = made.org_id and asset_id = made.asset_id and observed_at = made.observed_at
    ) or not exists (
      select from location_transitions
      where org_id = made.org_id and asset_id = made.asset_id and observed_at = made.observed_at);
    before := coalesce((
      select observed_at from history_marks
      where org_id = made.org_id and asset_id = made.asset_id and observed_at < made.observed_at
      order by observed_at desc limit 1), '-infinity');
    counted := (
      select count(*) from location_transitions
      where org_id = made.org_id and asset_id = made.asset_id
        and observed_at > before and observed_at <= made.observed_at);
    update history_marks set stays = stays - counted
    where org_id = made.org_id and asset_id = made.asset_id and observed_at = (
      select observed_at from history_marks
      where org_id = made.org_id and asset_id = made.asset_id and observed_at > made.observed_at
      order by observed_at limit 1);
    insert into history_marks (org_id, asset_id, observed_at, stays)
    values (made.org_id, made.asset_id, made.observed_at, counted);
  end loop;
end $function$
;

CREATE OR REPLACE FUNCTION public.mark_locations_outdated()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_nestloop TO 'off'
AS $function$
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
end $function$
;

CREATE OR REPLACE FUNCTION public.member_addresses(of_org_id integer, addresses text[])
 RETURNS SETOF text
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
  select account.email from memberships membership
  join users account on account.id = membership.user_id
  where membership.org_id = of_org_id and membership.org_id = coalesce(current_org_id(), of_org_id)
    and account.email = any (addresses);
$function$
;

CREATE OR REPLACE FUNCTION public.micros_of_time(at timestamp with time zone)
 RETURNS bigint
 LANGUAGE sql
 STABLE STRICT
RETURN ((EXTRACT(epoch FROM at) * (1000000)::numeric))::bigint
;

CREATE OR REPLACE FUNCTION public.notify_access_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_notify('access_changed', '');
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.notify_registry_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  changed jsonb;
begin
  if tg_table_name = 'formats' then
    perform pg_notify('registry_changed', 'formats');
    return null;
  end if;
  changed := to_jsonb(coalesce(new, old));
  perform pg_notify('registry_changed', case tg_table_name
    when 'organizations' then 'organization ' || (changed ->> 'id')
    when 'readers' then 'reader ' || (changed ->> 'id')
    else 'reader ' || (changed ->> 'reader_id')
  end);
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.prove_listening(org integer, reader integer, since timestamp with time zone, until timestamp with time zone, learned timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  gap constant interval := interval '15 seconds';
  jitter constant interval := interval '2 seconds';
  joined record;
begin
  if (
    select ended_at >= until from reader_proofs
    where org_id = org and reader_id = reader and started_at <= since
    order by started_at desc limit 1
  ) or (
    exists (
      select from reader_counters counted
      where counted.org_id = org and counted.reader_id = reader
        and counted.heard_since <= since and counted.heard_until >= until
    ) or (
      select ended_at >= until from reader_spans
      where org_id = org and reader_id = reader and state = 'up' and started_at <= since
      order by started_at desc limit 1
    )
  ) and not coalesce((
    select ended_at >= since from reader_delays
    where org_id = org and reader_id = reader and started_at <= until
    order by started_at desc limit 1
  ), false) then
    return;
  end if;
  update reader_proofs proof set ended_at = until, learned_at = greatest(learned, proof.learned_at)
  where proof.org_id = org and proof.reader_id = reader and proof.started_at = (
      select max(before.started_at) from reader_proofs before
      where before.org_id = org and before.reader_id = reader and before.started_at <= until + gap)
    and proof.started_at <= since and proof.ended_at >= since - gap
    and until - proof.ended_at <= learned - proof.learned_at + jitter;
  if found then
    return;
  end if;
  with taken as (
    delete from reader_proofs proof
    where proof.org_id = org and proof.reader_id = reader and proof.ended_at >= since - gap
      and proof.started_at <= until + gap
      and proof.started_at >= coalesce((
        select before.started_at from reader_proofs before
        where before.org_id = org and before.reader_id = reader and before.started_at < since - gap
        order by before.started_at desc limit 1), '-infinity')
    returning proof.started_at, proof.ended_at, proof.learned_at
  )
  select min(taken.started_at) as started_at, max(taken.ended_at) as ended_at, max(taken.learned_at) as learned_at
  into joined from taken;
  insert into reader_proofs (org_id, reader_id, started_at, ended_at, learned_at)
  values (org, reader, least(since, joined.started_at), greatest(until, joined.ended_at),
    greatest(learned, joined.learned_at));
end $function$
;

CREATE OR REPLACE FUNCTION public.queue_changes()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  -- A copy of the database brings the events themselves.
  if current_setting('tagtrail.copying', true) = 'on' then
    return null;
  end if;
  insert into unsealed_changes (org_id, recorded_at, resource, resource_id, action)
  select org_id, at, resource_type, resource_id::integer, action from new_rows
  where org_id is not null and resource_type in ('asset', 'location')
    and action in ('create', 'update', 'rename', 'delete', 'attach_tag', 'detach_tag')
  order by id;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.raise_location_site()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  update location_sites set version = version + 1, layout = layout + 1 where org_id = new.org_id;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.raise_location_sites()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  if current_setting('tagtrail.copying', true) is distinct from 'on' then
    update location_sites set version = version + 1,
      layout = layout + (tg_table_name not in ('location_settings', 'locations'))::integer
    where org_id = any (array(select distinct org_id from new_rows order by org_id));
  end if;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.raise_sites_of_moved_locations()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
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
end $function$
;

CREATE OR REPLACE FUNCTION public.reads_apart(of_org_id integer, asset_ids integer[], sinces timestamp with time zone[], begun_by timestamp with time zone[], aparts interval[], known_until timestamp with time zone, most integer)
 RETURNS TABLE(asset_id integer, since timestamp with time zone, until timestamp with time zone)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET jit TO 'off'
AS $function$
  with recursive leap as (
    select given.asset_id, given.begun_by, given.apart, null::timestamptz[] as reads, coalesce((
        select position.last_seen from positions position
        where position.org_id = of_org_id and position.asset_id = given.asset_id and position.last_seen <= given.since
      ), (
        select scan.observed_at from scan_events scan
        where scan.org_id = of_org_id and scan.asset_id = given.asset_id and scan.observed_at <= given.since
          and scan.observed_at < known_until and scan.retraction_id is null
        order by scan.observed_at desc limit 1
      ), (
        select scan.observed_at from scan_events scan
        where scan.org_id = of_org_id and scan.asset_id = given.asset_id and scan.observed_at > given.since
          and scan.observed_at < known_until and scan.retraction_id is null
        order by scan.observed_at limit 1
      )) as reached
    from unnest(asset_ids, sinces, begun_by, aparts) as given (asset_id, since, begun_by, apart)
    where of_org_id = current_org_id()
    union all
    select leap.asset_id, leap.begun_by, leap.apart, next.reads,
      coalesce(near.at, nullif(next.reads[cardinality(next.reads)], leap.reached))
    from leap
    cross join lateral (
      select (
        select scan.observed_at from scan_events scan
        where scan.org_id = of_org_id and scan.asset_id = leap.asset_id and scan.observed_at > leap.reached
          and scan.observed_at < least(leap.reached + leap.apart, known_until) and scan.retraction_id is null
        order by scan.observed_at desc limit 1
      ) as at
      offset 0
    ) near
    cross join lateral (
      select case when near.at is null then leap.reached || array(
        select scan.observed_at from scan_events scan
        where scan.org_id = of_org_id and scan.asset_id = leap.asset_id and scan.observed_at > leap.reached
          and scan.observed_at < known_until and scan.retraction_id is null
        order by scan.observed_at limit 100
      ) end as reads
      offset 0
    ) next
    where leap.reached <= leap.begun_by
  )
  select leap.asset_id, pair.since, pair.until
  from leap cross join lateral (
    select read as since, lead(read) over (order by place) as until
    from unnest(leap.reads) with ordinality as each (read, place)
  ) pair
  where pair.since <= leap.begun_by
    and case when pair.until is null then leap.reached is null else pair.until >= pair.since + leap.apart end
  limit most
$function$
;

CREATE OR REPLACE FUNCTION public.recount_histories()
 RETURNS void
 LANGUAGE sql
AS $function$
  lock table location_transitions in share row exclusive mode;
  delete from history_marks;
  insert into history_marks (org_id, asset_id, observed_at, stays)
  select org_id, asset_id, observed_at, 512
  from (
    select org_id, asset_id, observed_at,
      row_number() over (partition by org_id, asset_id order by observed_at) as number
    from location_transitions
  ) numbered
  where number % 512 = 0;
$function$
;

CREATE OR REPLACE FUNCTION public.recount_live_rows()
 RETURNS void
 LANGUAGE sql
AS $function$
  lock table locations, assets, positions in share row exclusive mode;
  delete from live_row_counts;
  insert into live_row_counts (org_id, resource, is_active, row_count)
  select org_id, 'location', is_active, count(*) from locations where deleted_at is null group by org_id, is_active
  union all
  select org_id, 'asset', is_active, count(*) from assets where deleted_at is null group by org_id, is_active
  union all
  select asset.org_id, 'position', true, count(*)
  from positions position join assets asset on asset.org_id = position.org_id and asset.id = position.asset_id
  where asset.deleted_at is null group by asset.org_id;
$function$
;

CREATE OR REPLACE FUNCTION public.refuse_changes_of_log()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if current_setting('tagtrail.retention', true) is distinct from 'on' then
    raise exception 'rows of % are never changed', tg_table_name using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.refuse_while_held()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  if exists (select from organizations where held_at is not null and id in (select org_id from new_rows)) then
    raise exception 'the organization moves to another cell' using errcode = 'read_only_sql_transaction';
  end if;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.revise_alerts(org integer, what text, which integer, from_then timestamp with time zone)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
  insert into alert_revisions (org_id, subject, subject_id, since)
  select org, what, which, from_then where exists (select from rules where rules.org_id = org)
$function$
;

CREATE OR REPLACE FUNCTION public.revise_alerts_of_detached_tags()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
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
end $function$
;

CREATE OR REPLACE FUNCTION public.revise_alerts_of_row()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare
  changed constant jsonb := to_jsonb(case when tg_op = 'DELETE' then old else new end);
begin
  if current_setting('tagtrail.copying', true) is distinct from 'on' then
    perform revise_alerts((changed ->> 'org_id')::integer, tg_argv[0], (changed ->> tg_argv[1])::integer,
      case tg_argv[2] when 'now' then clock_timestamp() else (changed ->> tg_argv[2])::timestamptz end);
  end if;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.revise_rules_of_location()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  if current_setting('tagtrail.copying', true) is distinct from 'on'
    and exists (select from rules where rules.org_id = new.org_id and rules.location_id = new.id)
  then
    perform revise_alerts(new.org_id, 'organization', null, new.deleted_at);
  end if;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.revise_silences(org integer, reader integer, from_then timestamp with time zone)
 RETURNS void
 LANGUAGE sql
AS $function$
  insert into silence_revisions as kept (org_id, reader_id, since) values (org, reader, from_then)
  on conflict (org_id, reader_id) do update set since = least(kept.since, excluded.since)
$function$
;

CREATE OR REPLACE FUNCTION public.revise_silences_of_deleted()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform revise_silences(new.org_id, new.id, new.deleted_at);
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.revise_silences_of_expectation()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform revise_silences(new.org_id, new.reader_id, new.valid_from);
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.revise_silences_of_first()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform revise_silences(new.org_id, new.reader_id, new.heard_since);
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.searched_text(name text, external_key text, description text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN folded(((((name || ''::text) || external_key) || ''::text) || COALESCE(description, ''::text)))
;

CREATE OR REPLACE FUNCTION public.take_heard_stretches(org integer, reader integer, earliest timestamp with time zone, latest timestamp with time zone, OUT since timestamp with time zone, OUT until timestamp with time zone, OUT messages bigint)
 RETURNS record
 LANGUAGE sql
AS $function$
  with taken as (
    delete from reader_spans span
    where org_id = org and reader_id = reader and state = 'up' and ended_at >= earliest and started_at <= latest
      and started_at >= coalesce((
        select before.started_at from reader_spans before
        where before.org_id = org and before.reader_id = reader and before.state = 'up'
          and before.started_at < earliest
        order by before.started_at desc limit 1), '-infinity')
    returning span.started_at, span.ended_at, span.messages
  )
  select min(started_at), max(ended_at), coalesce(sum(taken.messages), 0)::bigint from taken
$function$
;

CREATE OR REPLACE FUNCTION public.tell_alert()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
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
end $function$
;

CREATE OR REPLACE FUNCTION public.time_of_micros(micros bigint)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE STRICT
RETURN ('1970-01-01 00:00:00+00'::timestamp with time zone + ((micros)::double precision * '00:00:00.000001'::interval))
;

CREATE OR REPLACE FUNCTION public.unsealed_since(of_org_id integer, instant timestamp with time zone)
 RETURNS TABLE(asset_id integer, id bigint, part integer, since timestamp with time zone, rows json)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER ROWS 100
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  if of_org_id is distinct from current_org_id() then
    return;
  end if;
  return query
    select unsealed.asset_id, unsealed.id, unsealed.part, unsealed.since, unsealed.rows
    from unsealed_moves unsealed
    where unsealed.org_id = of_org_id and unsealed.recorded_at >= instant;
end $function$
;

CREATE OR REPLACE FUNCTION public.write_antenna_version()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  -- A copy of the database brings the versions themselves.
  if current_setting('tagtrail.copying', true) = 'on' then
    return null;
  end if;
  insert into antenna_versions (org_id, reader_id, port, since, location_id, is_enabled)
  values (new.org_id, new.reader_id, new.port,
    greatest(clock_timestamp(), (
      select latest.since + interval '1 microsecond' from antenna_versions latest
      where latest.org_id = new.org_id and latest.reader_id = new.reader_id and latest.port = new.port
      order by latest.since desc limit 1)),
    new.location_id, new.is_enabled);
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.write_location_versions()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET enable_nestloop TO 'off'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
AS $function$
begin
  -- A copy of the database brings the versions themselves.
  if current_setting('tagtrail.copying', true) = 'on' then
    return null;
  end if;
  if tg_op = 'INSERT' then
    insert into location_versions (
      org_id, location_id, since, external_key, name, parent_id, is_deleted, gln, biz_step, disposition)
    select org_id, id, created_at, external_key, name, parent_id, deleted_at is not null, gln, biz_step, disposition
    from new_rows where id > 0;
  else
    insert into location_versions as stored (
      org_id, location_id, since, external_key, name, parent_id, is_deleted, gln, biz_step, disposition)
    select after.org_id, after.id,
      case when before.id is null or after.created_at = now() then after.created_at
        else greatest(clock_timestamp(), (
          select latest.since + interval '1 microsecond' from location_versions latest
          where latest.org_id = after.org_id and latest.location_id = after.id
          order by latest.since desc limit 1
        )) end,
      after.external_key, after.name, after.parent_id, after.deleted_at is not null,
      after.gln, after.biz_step, after.disposition
    from new_rows after left join old_rows before on before.org_id = after.org_id and before.id = after.id
    where after.id > 0 and (
      before.id is null
      or (before.external_key, before.name, before.parent_id, before.deleted_at is null,
          before.gln, before.biz_step, before.disposition)
        is distinct from (after.external_key, after.name, after.parent_id, after.deleted_at is null,
          after.gln, after.biz_step, after.disposition)
    )
    on conflict (org_id, location_id, since) do update set
      external_key = excluded.external_key, name = excluded.name, parent_id = excluded.parent_id,
      is_deleted = excluded.is_deleted, gln = excluded.gln, biz_step = excluded.biz_step,
      disposition = excluded.disposition;
  end if;
  return null;
end $function$
;
