-- Row-level security and privileges: the second of two layers that keep organizations apart. The first is that every query
-- names its organization; this one holds if a query forgets to. The roles are those of roles.sql.

-- The tables of organizations.
do $$
declare
  tenant_table text;
begin
  foreach tenant_table in array array[
    'alert_cursors', 'alert_faults', 'alert_floods', 'alert_mail_recipients', 'alert_revisions', 'alerts',
    'antenna_versions', 'antennas', 'api_keys', 'assets', 'changes', 'external_key_counters', 'handhelds',
    'history_marks', 'history_recomputations', 'import_parts', 'import_work', 'imports', 'live_row_counts',
    'location_transitions', 'location_versions', 'location_watches', 'locations', 'move_days', 'move_heads',
    'moves', 'mqtt_consumers', 'mqtt_feeds', 'mqtt_outdated', 'mqtt_topics', 'plan_places', 'plans', 'positions',
    'publishing_faults', 'reader_connections', 'reader_counters', 'reader_delays', 'reader_expectations',
    'reader_joined_spans', 'reader_packed_spans', 'reader_proofs', 'reader_spans', 'readers', 'received_messages',
    'rejected_messages', 'retractions', 'rules', 'sealing_faults', 'silence_faults', 'silence_revisions',
    'smoothing_settings', 'submissions', 'sweep_assets', 'sweeps', 'tags', 'unknown_tags', 'webhook_attempts',
    'webhook_lanes', 'webhook_secrets', 'webhooks'
  ] loop
    execute format('alter table %I enable row level security, force row level security', tenant_table);
    execute format(
      'create policy own_organization on %I to tagtrail_api
       using (org_id = current_org_id()) with check (org_id = current_org_id())', tenant_table);
    execute format(
      'create policy every_organization on %I to tagtrail_service using (true) with check (true)', tenant_table);
  end loop;
end $$;

alter table organizations enable row level security, force row level security;
create policy own_organization on organizations to tagtrail_api using (id = current_org_id());
create policy every_organization on organizations to tagtrail_service using (true) with check (true);

alter table cell_moves enable row level security, force row level security;
create policy every_organization on cell_moves to tagtrail_service using (true) with check (true);

-- Raw scans and the queue of the move feed have no policy: they are written by COPY, which row-level security refuses. The
-- API has no business with them, and so no privilege.

-- People and what lets them in.
do $$
declare
  people_table text;
begin
  foreach people_table in array array['users', 'memberships', 'sessions', 'user_links', 'known_devices'] loop
    execute format('alter table %I enable row level security, force row level security', people_table);
    execute format('create policy people on %I to tagtrail_people using (true) with check (true)', people_table);
    execute format(
      'create policy every_organization on %I to tagtrail_service using (true) with check (true)', people_table);
  end loop;
end $$;
create policy people on organizations for select to tagtrail_people using (true);
create policy people on changes for insert to tagtrail_people with check (true);
create policy people on alert_mail_recipients to tagtrail_people using (true);

create policy look_up on api_keys to tagtrail_access using (true) with check (true);
create policy look_up on organizations to tagtrail_access using (true);
create policy look_up on handhelds to tagtrail_access using (true);

grant usage on schema public to tagtrail_api, tagtrail_access, tagtrail_people, tagtrail_service;

-- The API: what it changes,
grant select, insert, update on assets, locations, tags, external_key_counters, api_keys to tagtrail_api;
grant usage on sequence placeholder_ids to tagtrail_api;
grant select, insert on changes to tagtrail_api;
grant select, delete, update (ignored_at) on unknown_tags to tagtrail_api;
grant select, insert, update, delete on plans, imports, import_work to tagtrail_api;
grant select, insert, delete on plan_places, import_parts to tagtrail_api;
grant select, insert, update, delete on webhook_lanes to tagtrail_api;
grant select, insert, update on webhooks, mqtt_outdated to tagtrail_api;
grant select, insert, delete on webhook_secrets, webhook_attempts to tagtrail_api;
grant select, insert on rules to tagtrail_api;
grant select, update (state, acknowledged_at, acknowledged_by) on alerts to tagtrail_api;
-- and what it reports.
grant select on organizations, live_row_counts, location_versions, positions, location_transitions, history_marks to tagtrail_api;
grant select on moves, move_heads, move_days, mqtt_feeds to tagtrail_api;
grant select on sweeps, sweep_assets to tagtrail_api;
grant select on location_watches, antenna_versions, reader_spans, reader_packed_spans, reader_joined_spans, reader_proofs,
  reader_delays, reader_expectations, silence_revisions to tagtrail_api;
grant select (org_id, id, name) on handhelds to tagtrail_api;
grant select (org_id, id, name, deleted_at) on readers to tagtrail_api;
grant select (org_id, reader_id, heard_since, heard_until, in_time_at) on reader_counters to tagtrail_api;

-- Looking credentials up.
grant select on api_keys, organizations to tagtrail_access;
grant update (last_used_at) on api_keys to tagtrail_access;
grant select (org_id, id, token_sha256, revoked_at, expires_at, last_used_at), update (last_used_at) on handhelds
  to tagtrail_access;
grant select, insert, update, delete on refused_sign_ins to tagtrail_access;
-- The processes watch how much of each sequence of ids is used.
grant select on sequence assets_id_seq, locations_id_seq, tags_id_seq, organizations_id_seq, readers_id_seq,
  handhelds_id_seq, smoothing_settings_id_seq to tagtrail_access;

-- Signing people in.
grant select, insert, update on users to tagtrail_people;
grant usage on sequence users_id_seq to tagtrail_people;
grant select, insert, update, delete on memberships, sessions, user_links, known_devices, refused_sign_ins to tagtrail_people;
grant select on organizations to tagtrail_people;
grant insert on changes to tagtrail_people;
-- Who is no member any more has no e-mail of alerts waiting.
grant select (org_id, user_id), delete on alert_mail_recipients to tagtrail_people;

-- Processes sign in by a login that has these four roles. What the owner alone may do is migrating, and dropping chunks,
-- which `drop_chunks_before` does for them.
grant select, insert, update, delete on all tables in schema public to tagtrail_service;
grant usage, select, update on all sequences in schema public to tagtrail_service;
revoke insert, update, delete on schema_migrations from tagtrail_service;
-- Tables of later migrations.
alter default privileges in schema public grant select, insert, update, delete on tables to tagtrail_service;
alter default privileges in schema public grant usage, select, update on sequences to tagtrail_service;
