import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { personalColumns } from '../support/personal-data.ts';
import { ROOT } from './command-blocks.ts';

/** Columns of text that say nothing about a person. A new one has its place here, or on the page. */
const ABOUT_THINGS: Readonly<Record<string, string>> = {
  alert_faults: 'reason',
  alert_floods: 'rule_ids',
  alert_mail_recipients: 'done_beyond',
  alert_revisions: 'subject',
  alerts: 'id rule_id rule_name kind level state because',
  antennas: 'name',
  api_keys: 'id name scopes secret_sha256',
  asset_photos: 'media_type image sha256',
  asset_views: 'name query',
  assets: 'external_key name description metadata',
  broker_sessions: 'realm client_id holder',
  broker_subscriptions: 'realm client_id topic',
  cell_moves: 'state other_cell',
  change_events: 'resource action',
  changes: 'request_id action resource_type resource_id',
  epcis_queries: 'name query',
  external_key_counters: 'resource',
  epcis_captures: 'id api_key_id event_ids hashes faults events errors reads',
  epcis_events: 'id hash',
  formats: 'name definition source',
  handhelds: 'token_sha256',
  import_parts: 'content',
  import_work: 'kind',
  imports: 'resource file_name state outcome digest',
  live_row_counts: 'resource',
  location_transitions: 'tag_type submission_id proof',
  location_versions: 'external_key name gln biz_step disposition',
  location_watches: 'mode coverage',
  locations: 'external_key name description gln biz_step disposition',
  moves: 'kind',
  mqtt_consumers: 'name password_sha256',
  mqtt_feeds: 'target',
  mqtt_topics: 'topic digest',
  normal_key_collisions: 'normal_key',
  organizations: 'name',
  plans: 'name media_type image sha256',
  publishing_faults: 'topic reason',
  reader_counters: 'heard_late',
  reader_expectations: 'origin',
  reader_flaws: 'rssi_example time_example readings_example',
  reader_spans: 'state',
  readers: 'name topic format time_policy identity_policy mqtt_username mqtt_password_sha256',
  received_messages: 'digest',
  rejected_messages: 'topic reason payload_sha256 kind',
  retractions: 'id submission_id request_id answer',
  rules: 'id kind name hours time_zone metadata reading',
  scan_events: 'tag_type submission_id retraction_id',
  schema_migrations: 'name',
  sealing_faults: 'reason',
  printers: 'name address',
  serial_ranges: 'ai base',
  silence_faults: 'reason',
  location_settings: 'procedure tag_kinds',
  smoothing_settings: 'mode',
  submissions: 'id body_sha256 answer',
  sweep_assets: 'sweep_id',
  sweeps: 'id body_sha256',
  tags: 'tag_type value tag_key normal_key',
  unknown_tags: 'tag_type tag_key',
  unplaced_antennas: 'name',
  unsealed_changes: 'resource action',
  unsealed_moves: 'kind',
  user_links: 'purpose',
  webhook_attempts: 'event_id error answer',
  webhook_secrets: 'key_id sealed',
  webhooks: 'name url types state state_reason epcis',
};

describe('the page of personal data', () => {
  const schema = readFileSync(join(ROOT, 'db/timescale/schema/schema.sql'), 'utf8');
  const tables = [...schema.matchAll(/^create table (\w+) \(\n(.*?)^\)/gms)];
  const personal = personalColumns();

  it('names every column that may say something about a person', () => {
    const columns = tables.flatMap(([, table, text = '']) =>
      [...text.matchAll(TEXT_OR_USER)].map(([, ofText, ofUser]) => `${table}.${ofText ?? ofUser}`),
    );
    const known = [
      ...personal.map(({ name }) => name),
      ...Object.entries(ABOUT_THINGS).flatMap(([table, names]) =>
        names.split(' ').map((name) => `${table}.${name}`),
      ),
    ];
    expect(tables.length).to.be.above(70);
    expect([...new Set(columns)].toSorted()).to.deep.equal(known.toSorted());
  });

  it('says of each what erasing a person makes of it', () => {
    expect(personal.filter(({ whenErased }) => !/^(deleted|nameless|stays)/.test(whenErased))).to.deep.equal(
      [],
    );
  });
});

/** What has room for more than numbers, instants and flags; and whatever refers to users. */
const TEXT_OR_USER =
  /^ {2}(\w+) (?:text|json|jsonb|bytea|inet|cidr|xml|character varying|name)\b|FOREIGN KEY \((\w+)\) REFERENCES users\(/gm;
