-- Generated from the migrations by `npm run schema`; for reading, never run.

create table antennas (
  org_id integer not null,
  reader_id integer not null,
  port smallint not null,
  location_id integer,
  min_rssi double precision,
  is_enabled boolean not null default true,
  constraint antennas__org_id_reader_id_port PRIMARY KEY (org_id, reader_id, port),
  constraint antennas__org_id_location_id FOREIGN KEY (org_id, location_id) REFERENCES locations(org_id, id),
  constraint antennas__org_id_reader_id FOREIGN KEY (org_id, reader_id) REFERENCES readers(org_id, id),
  constraint antennas__port CHECK ((port > 0))
);
CREATE INDEX antennas__org_id_location_id ON public.antennas USING btree (org_id, location_id);
CREATE TRIGGER antennas_changed AFTER INSERT OR DELETE OR UPDATE ON public.antennas FOR EACH STATEMENT EXECUTE FUNCTION notify_registry_changed();

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
CREATE UNIQUE INDEX assets__org_id_external_key ON public.assets USING btree (org_id, external_key) WHERE (deleted_at IS NULL);

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
  constraint formats__name PRIMARY KEY (name)
);
CREATE TRIGGER formats_changed AFTER INSERT OR DELETE OR UPDATE ON public.formats FOR EACH STATEMENT EXECUTE FUNCTION notify_registry_changed();

create table handhelds (
  org_id integer not null,
  id integer generated always as identity not null,
  name text not null,
  token_sha256 bytea not null,
  created_at timestamp with time zone not null default now(),
  revoked_at timestamp with time zone,
  constraint handhelds__org_id_id PRIMARY KEY (org_id, id),
  constraint handhelds__id UNIQUE (id),
  constraint handhelds__name CHECK (((char_length(name) >= 1) AND (char_length(name) <= 255))),
  constraint handhelds__org_id FOREIGN KEY (org_id) REFERENCES organizations(id),
  constraint handhelds__token_sha256 CHECK ((octet_length(token_sha256) = 32))
);
CREATE TRIGGER handhelds_changed AFTER DELETE OR UPDATE OF revoked_at, token_sha256 ON public.handhelds FOR EACH STATEMENT EXECUTE FUNCTION notify_access_changed();

create table location_transitions (
  org_id integer not null,
  asset_id integer not null,
  observed_at timestamp with time zone not null,
  location_id integer not null,
  duration_seconds bigint,
  constraint location_transitions__org_id_asset_id_observed_at PRIMARY KEY (org_id, asset_id, observed_at),
  constraint location_transitions__duration_seconds CHECK ((duration_seconds >= 0))
);

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
  constraint locations__org_id_id PRIMARY KEY (org_id, id),
  constraint locations__description CHECK (((char_length(description) >= 1) AND (char_length(description) <= 1024))),
  constraint locations__external_key CHECK ((external_key ~ '^[A-Za-z0-9-]{1,255}$'::text)),
  constraint locations__name CHECK (((char_length(name) >= 1) AND (char_length(name) <= 255))),
  constraint locations__org_id FOREIGN KEY (org_id) REFERENCES organizations(id),
  constraint locations__org_id_parent_id FOREIGN KEY (org_id, parent_id) REFERENCES locations(org_id, id),
  constraint locations__parent_id CHECK ((parent_id <> id))
);
CREATE UNIQUE INDEX locations__org_id_external_key ON public.locations USING btree (org_id, external_key) WHERE (deleted_at IS NULL);
CREATE INDEX locations__org_id_parent_id ON public.locations USING btree (org_id, parent_id);

create table organizations (
  id integer generated always as identity not null,
  name text not null,
  created_at timestamp with time zone not null default now(),
  deleted_at timestamp with time zone,
  constraint organizations__id PRIMARY KEY (id),
  constraint organizations__name CHECK (((char_length(name) >= 1) AND (char_length(name) <= 255)))
);
CREATE TRIGGER organizations_changed AFTER DELETE OR UPDATE OF deleted_at ON public.organizations FOR EACH STATEMENT EXECUTE FUNCTION notify_access_changed();
CREATE TRIGGER organizations_registry_changed AFTER DELETE OR UPDATE OF deleted_at ON public.organizations FOR EACH STATEMENT EXECUTE FUNCTION notify_registry_changed();

create table positions (
  org_id integer not null,
  asset_id integer not null,
  location_id integer,
  since timestamp with time zone,
  last_seen timestamp with time zone,
  constraint positions__org_id_asset_id PRIMARY KEY (org_id, asset_id),
  constraint positions__org_id_asset_id_fkey FOREIGN KEY (org_id, asset_id) REFERENCES assets(org_id, id),
  constraint positions__org_id_location_id FOREIGN KEY (org_id, location_id) REFERENCES locations(org_id, id)
) with (fillfactor=70);
CREATE INDEX positions__org_id_location_id ON public.positions USING btree (org_id, location_id);

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
  constraint reader_counters__org_id_reader_id PRIMARY KEY (org_id, reader_id),
  constraint reader_counters__org_id_reader_id_fkey FOREIGN KEY (org_id, reader_id) REFERENCES readers(org_id, id),
  constraint reader_counters__reads CHECK ((reads = ((((recorded + duplicates) + unknown) + unplaced) + rejected)))
) with (fillfactor=50);

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
  constraint readers__org_id_id PRIMARY KEY (org_id, id),
  constraint readers__identity_policy CHECK ((identity_policy = ANY (ARRAY['mac'::text, 'ibeacon'::text, 'eddystone'::text, 'raw'::text]))),
  constraint readers__mqtt_password_sha256 CHECK ((octet_length(mqtt_password_sha256) = 32)),
  constraint readers__mqtt_username UNIQUE (mqtt_username),
  constraint readers__name CHECK (((char_length(name) >= 1) AND (char_length(name) <= 255))),
  constraint readers__org_id FOREIGN KEY (org_id) REFERENCES organizations(id),
  constraint readers__time_policy CHECK ((time_policy = ANY (ARRAY['device'::text, 'receive'::text])))
);
CREATE UNIQUE INDEX readers__org_id_name ON public.readers USING btree (org_id, name) WHERE (deleted_at IS NULL);
CREATE TRIGGER readers_changed AFTER INSERT OR DELETE OR UPDATE ON public.readers FOR EACH STATEMENT EXECUTE FUNCTION notify_registry_changed();

create table received_messages (
  org_id integer not null,
  digest bytea not null,
  received_at timestamp with time zone not null,
  constraint received_messages__org_id_digest PRIMARY KEY (org_id, digest),
  constraint received_messages__org_id FOREIGN KEY (org_id) REFERENCES organizations(id)
);
CREATE INDEX received_messages__received_at ON public.received_messages USING btree (received_at);

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
  constraint rejected_messages__id PRIMARY KEY (id),
  constraint rejected_messages__org_id FOREIGN KEY (org_id) REFERENCES organizations(id),
  constraint rejected_messages__org_id_reader_id FOREIGN KEY (org_id, reader_id) REFERENCES readers(org_id, id)
);
CREATE INDEX rejected_messages__org_id_id ON public.rejected_messages USING btree (COALESCE(org_id, 0), id);

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
CREATE INDEX submissions__received_at ON public.submissions USING btree (received_at);

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
  constraint tags__org_id_id PRIMARY KEY (org_id, id),
  constraint tags__asset_id_location_id CHECK ((num_nonnulls(asset_id, location_id) = 1)),
  constraint tags__org_id_asset_id FOREIGN KEY (org_id, asset_id) REFERENCES assets(org_id, id),
  constraint tags__org_id_location_id FOREIGN KEY (org_id, location_id) REFERENCES locations(org_id, id),
  constraint tags__tag_key CHECK ((tag_key <> ''::text)),
  constraint tags__value CHECK (((char_length(value) >= 1) AND (char_length(value) <= 255)))
);
CREATE INDEX tags__org_id_asset_id ON public.tags USING btree (org_id, asset_id) WHERE (detached_at IS NULL);
CREATE INDEX tags__org_id_location_id ON public.tags USING btree (org_id, location_id) WHERE (detached_at IS NULL);
CREATE INDEX tags__org_id_tag_type_tag_key ON public.tags USING btree (org_id, tag_type, tag_key) WHERE (detached_at IS NULL);
CREATE UNIQUE INDEX tags__org_id_tag_type_value ON public.tags USING btree (org_id, tag_type, value) WHERE (detached_at IS NULL);

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
  constraint unknown_tags__org_id_tag_type_tag_key PRIMARY KEY (org_id, tag_type, tag_key),
  constraint unknown_tags__org_id FOREIGN KEY (org_id) REFERENCES organizations(id),
  constraint unknown_tags__org_id_reader_id FOREIGN KEY (org_id, reader_id) REFERENCES readers(org_id, id)
);
CREATE INDEX unknown_tags__org_id_last_seen ON public.unknown_tags USING btree (org_id, last_seen);

CREATE OR REPLACE FUNCTION public.current_org_id()
 RETURNS integer
 LANGUAGE sql
 STABLE
RETURN (NULLIF(current_setting('tagtrail.org_id'::text, true), ''::text))::integer
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
begin
  perform pg_notify('registry_changed', '');
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.time_of_micros(micros bigint)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE STRICT
RETURN ('1970-01-01 00:00:00+00'::timestamp with time zone + ((micros)::double precision * '00:00:00.000001'::interval))
;
