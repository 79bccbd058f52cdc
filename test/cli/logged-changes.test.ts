import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ASSET_COLUMNS, type Columns, LOCATION_COLUMNS } from '../../domain/master-data/columns.ts';
import { newSecretsKey } from '../../domain/webhooks/secrets/secrets-key.ts';
import { commandLineOn, typed, wholeCommandLine } from '../support/command-line.ts';
import { useDatabase } from '../support/database.ts';
import { Site } from '../support/site.ts';
import { unsaid } from '../support/unsaid-columns.ts';

const RANGE = ['--ai', '00', '--base', '10614141', '--prefix-length', '7', '--first', '1', '--last', '9'];

/** These change nothing that people set up. */
const NO_WRITES = [
  'alert-list',
  'changes-list',
  'database-backup',
  'database-checksums',
  'doctor',
  'mcp',
  'export-assets',
  'export-dwell',
  'export-locations',
  'export-positions',
  'export-stays',
  'format-list',
  'format-show',
  'format-try',
  'handheld-list',
  'key-list',
  'label-ranges',
  'printer-list',
  'locate-list',
  'locate-try',
  'mail-test',
  'mqtt-consumer-list',
  'org-export',
  'org-list',
  'reader-list',
  'reader-antennas',
  'rejected-list',
  'rejected-show',
  'rule-list',
  'rule-try',
  'unknown-tags-list',
  'user-list',
  'webhook-attempts',
  'webhook-list',
  'webhook-test',
  'why',
  // Of two cells: test/cli/cell.test.ts.
  'cell-give-up',
  'cell-move',
  'cell-number',
  'cell-route',
  // Of a whole database, or an organization, with its log.
  'database-copy',
  'database-restore',
  'org-import',
  'migrate',
  // Makes histories anew from scans that nobody changes.
  'history-recompute',
  // Sets its site up by what the API and other commands use.
  'simulate',
];

/** What they change belongs to no organization, or to none that there still is. */
const OF_INSTALLATION = ['format-add', 'org-erase'];

const COMMANDS = typed(await wholeCommandLine()).map((words) => words.join('-'));
const WRITING = COMMANDS.filter((command) => !NO_WRITES.includes(command));

type Logged = [action: string, resource: string, before: unknown, after: unknown];

interface Write {
  args: string[];
  logs: Logged[];
  /** Nothing is left to change the second time. */
  isRepeatable?: boolean;
}

const TIME = 'a time';

function withoutTimes(name: string, value: unknown): unknown {
  if (name === 'reason') {
    return String(value).split(':')[0];
  }
  return /_(at|from)$/.test(name) && value !== null && Date.parse(String(value)) > 0 ? TIME : value;
}

describe('every command that changes something', () => {
  const database = useDatabase();
  const { tagtrail, json } = commandLineOn(() => database, { SECRETS_KEY: newSecretsKey() });
  const folder = mkdtempSync('/tmp/tagtrail-changes-');
  after(() => rmSync(folder, { recursive: true }));
  let site: Site;
  let org: string;
  before(async () => {
    site = await Site.create(database);
    org = String(site.orgId);
    await site.location('DOCK');
  });
  let lastId = 0;
  /** What was logged since it was last asked. */
  async function logged() {
    const rows = await database.rows<{
      org_id: number | null;
      id: number;
      actor_type: string;
      actor_id: string;
      request_id: string | null;
      action: string;
      resource_type: string;
      resource_id: string;
      external_key: string | null;
      before: string | null;
      after: string | null;
    }>('select * from changes where id > $1 order by id', [lastId]);
    lastId = rows.at(-1)?.id ?? lastId;
    return rows.map((row) => ({
      ...row,
      what:
        row.action === 'create' && row.external_key === null
          ? row.resource_type
          : `${row.resource_type} ${row.external_key ?? row.resource_id}`,
      before: row.before && JSON.parse(row.before, withoutTimes),
      after: row.after && JSON.parse(row.after, withoutTimes),
    }));
  }
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const format = (path: string) => ({
    name: 'own',
    description: 'ours',
    decode: 'json',
    rules: [{ each: '/*', fields: { tag_type: [{ const: 'rfid' }], value: [{ item: path }] } }],
  });
  const rejected = async () => {
    const [row] = await database.rows<{ id: number }>(
      `insert into rejected_messages (org_id, topic, reason, received_at, bytes, payload, payload_sha256)
       values ($1, 'nobody', 'no reader has the topic', now(), 1, 'x', sha256('x')) returning id`,
      [site.orgId],
    );
    return String(row?.id);
  };
  const unknown = (value: string) =>
    database.rows(
      `insert into unknown_tags (org_id, tag_type, tag_key, value, ambiguous, first_seen, last_seen, count)
       values ($1, 'rfid', $2, $2, false, now(), now(), 1)`,
      [site.orgId, value],
    );
  const rule = () => json('rule', 'add', '--org', org, '--kind', 'dwell', '--at', 'DOCK', '--after', '5m');
  const RULE = {
    ...{ kind: 'dwell', name: 'dwell DOCK', after_seconds: 300, then_seconds: null },
    ...{ reading: null, above: null, below: null, hysteresis: null },
    ...{ location_external_key: 'DOCK', hours: null, time_zone: null, asset_external_keys: null },
    ...{ within_location_external_key: null, metadata: [], reader_ids: null, mail_to: [] },
    ...{ valid_from: TIME, ends_at: null },
  };
  const locating = (more: object) => ({
    locating: {
      procedure: 'strength',
      certainty: 1,
      tag_dbm: null,
      tag_kinds: null,
      valid_from: TIME,
      ...more,
    },
  });
  const link = (purpose: string, of: { email: string; role?: string }): Logged => [
    'create',
    `link ${of.email}`,
    null,
    { purpose, ...of, expires_at: TIME },
  ];
  const user = async (name: string) => {
    const email = `${name}@example.com`;
    await json('user', 'create', '--email', email, '--name', name, '--org', org, '--role', 'viewer');
    return email;
  };
  const item = (columns: Columns, name: string) => ({ ...unsaid(columns), name, valid_from: TIME });

  const WRITES: Record<string, () => Promise<Write>> = {
    'org-create': async () => ({
      args: ['--name', 'Another'],
      logs: [['create', 'organization', null, { name: 'Another' }]],
    }),
    'org-rename': async () => {
      const { orgId } = await Site.create(database, 'Before');
      return {
        args: ['--org', String(orgId), '--name', 'After'],
        logs: [['update', `organization ${orgId}`, { name: 'Before' }, { name: 'After' }]],
        isRepeatable: true,
      };
    },
    'org-delete': async () => {
      const { orgId } = await Site.create(database, 'Gone');
      return {
        args: ['--org', String(orgId)],
        logs: [['delete', `organization ${orgId}`, { deleted_at: null }, { deleted_at: TIME }]],
      };
    },
    'org-erase': async () => {
      const { orgId } = await Site.create(database, 'Erased');
      await database.rows('update organizations set deleted_at = now() where id = $1', [orgId]);
      return {
        args: ['--org', String(orgId), '--confirm', 'Erased'],
        logs: [['erase', `organization ${orgId}`, null, null]],
      };
    },
    'alert-acknowledge': async () => {
      const asset = await site.asset('ALERTED');
      await database.rows(
        `insert into alerts (org_id, id, rule_id, rule_valid_from, rule_name, kind, asset_id, opened_at, because)
         values ($1, 'A', 'R', now(), 'R', 'not_allowed', $2, now(), '{}')`,
        [site.orgId, asset],
      );
      return {
        args: ['--org', org, '--alert', 'A'],
        logs: [['acknowledge', 'alert A', { state: 'open' }, { state: 'acknowledged' }]],
        isRepeatable: true,
      };
    },
    'key-create': async () => ({
      args: ['--org', org, '--name', 'erp', '--scopes', 'assets:read'],
      logs: [['create', 'api_key', null, { name: 'erp', scopes: ['assets:read'], expires_at: null }]],
    }),
    'key-revoke': async () => {
      const key = await json('key', 'create', '--org', org, '--name', 'erp', '--scopes', 'assets:read');
      return {
        args: ['--id', key.id],
        logs: [['revoke', `api_key ${key.id}`, { revoked_at: null }, { revoked_at: TIME }]],
        isRepeatable: true,
      };
    },
    'handheld-create': async () => ({
      args: ['--org', org, '--name', 'gun'],
      logs: [['create', 'handheld', null, { name: 'gun', expires_at: null }]],
    }),
    'handheld-rename': async () => {
      const { id } = await json('handheld', 'create', '--org', org, '--name', 'gun');
      return {
        args: ['--id', String(id), '--name', 'gun 2'],
        logs: [['update', `handheld ${id}`, { name: 'gun' }, { name: 'gun 2' }]],
        isRepeatable: true,
      };
    },
    'handheld-revoke': async () => {
      const { id } = await json('handheld', 'create', '--org', org, '--name', 'gun');
      return {
        args: ['--id', String(id)],
        logs: [['revoke', `handheld ${id}`, { revoked_at: null }, { revoked_at: TIME }]],
        isRepeatable: true,
      };
    },
    'mqtt-consumer-create': async () => ({
      args: ['--org', org, '--name', 'Node-RED'],
      logs: [['create', 'mqtt_consumer', null, { name: 'Node-RED' }]],
    }),
    'mqtt-consumer-delete': async () => {
      const { id } = await json('mqtt-consumer', 'create', '--org', org, '--name', 'Node-RED');
      return {
        args: ['--consumer', String(id)],
        logs: [['delete', `mqtt_consumer ${id}`, { name: 'Node-RED' }, null]],
      };
    },
    'user-create': async () => ({
      args: ['--email', 'Ann@example.com', '--name', 'Ann', '--org', org, '--role', 'viewer'],
      logs: [
        ['create', 'user ann@example.com', null, { email: 'ann@example.com', name: 'Ann' }],
        ['create', 'membership ann@example.com', null, { role: 'viewer' }],
        link('reset', { email: 'ann@example.com' }),
      ],
    }),
    'user-invite': async () => ({
      args: ['--email', 'new@example.com', '--org', org, '--role', 'operator'],
      logs: [link('invite', { email: 'new@example.com', role: 'operator' })],
    }),
    'user-role': async () => {
      const email = await user('role');
      return {
        args: ['--email', email, '--org', org, '--role', 'admin'],
        logs: [['update', `membership ${email}`, { role: 'viewer' }, { role: 'admin' }]],
        isRepeatable: true,
      };
    },
    'user-remove': async () => {
      const email = await user('remove');
      return {
        args: ['--email', email, '--org', org],
        logs: [['delete', `membership ${email}`, { role: 'viewer' }, null]],
      };
    },
    'user-disable': async () => {
      const email = await user('disable');
      return {
        args: ['--email', email],
        logs: [['update', `user ${email}`, { is_disabled: false }, { is_disabled: true }]],
        isRepeatable: true,
      };
    },
    'user-enable': async () => {
      const email = await user('enable');
      await json('user', 'disable', '--email', email);
      return {
        args: ['--email', email],
        logs: [['update', `user ${email}`, { is_disabled: true }, { is_disabled: false }]],
        isRepeatable: true,
      };
    },
    'user-erase': async () => {
      const email = await user('erase');
      const [{ id = 0 } = {}] = await database.rows<{ id: number }>('select id from users where email = $1', [
        email,
      ]);
      return { args: ['--email', email, '--confirm'], logs: [['erase', `user ${id}`, null, null]] };
    },
    'user-reset': async () => {
      const email = await user('reset');
      return { args: ['--email', email], logs: [link('reset', { email })] };
    },
    'rule-add': async () => ({
      args: ['--org', org, '--kind', 'dwell', '--at', 'DOCK', '--after', '5m'],
      logs: [['create', 'rule', null, RULE]],
    }),
    'rule-set': async () => {
      const { id } = await rule();
      return {
        args: ['--org', org, '--rule', id, '--after', '10m'],
        logs: [
          [
            'update',
            `rule ${id}`,
            { after_seconds: 300, valid_from: TIME },
            { after_seconds: 600, valid_from: TIME },
          ],
        ],
        isRepeatable: true,
      };
    },
    'rule-remove': async () => {
      const { id } = await rule();
      return {
        args: ['--org', org, '--rule', id],
        logs: [['delete', `rule ${id}`, RULE, { ends_at: TIME }]],
      };
    },
    'webhook-create': async () => ({
      args: ['--org', org, '--url', 'https://example.com/hooks', '--location', 'DOCK'],
      logs: [
        [
          'create',
          'webhook',
          null,
          {
            ...{ name: 'example.com', url: 'https://example.com/hooks', types: null },
            ...{ location_external_key: 'DOCK', settle_seconds: 0, state: 'on' },
          },
        ],
      ],
    }),
    'webhook-delete': async () => {
      const { id } = await json('webhook', 'create', '--org', org, '--url', 'https://example.com/');
      const before = { name: 'example.com', url: 'https://example.com/', types: null };
      return {
        args: ['--webhook', String(id)],
        logs: [
          [
            'delete',
            `webhook ${id}`,
            { ...before, location_external_key: null, settle_seconds: 0, state: 'on' },
            null,
          ],
        ],
      };
    },
    'webhook-replay': async () => {
      const { id } = await json('webhook', 'create', '--org', org, '--url', 'https://example.com/');
      return {
        args: ['--webhook', String(id), '--after', '0'],
        logs: [['replay', `webhook ${id}`, { state: 'on' }, { state: 'on', after: 0 }]],
      };
    },
    'webhook-set': async () => {
      const { id } = await json('webhook', 'create', '--org', org, '--url', 'https://example.com/');
      return {
        args: ['--webhook', String(id), '--state', 'off', '--types', 'tagtrail.asset.moved.v1'],
        logs: [
          [
            'update',
            `webhook ${id}`,
            { state: 'on', types: null },
            { state: 'off', types: ['tagtrail.asset.moved.v1'] },
          ],
        ],
        isRepeatable: true,
      };
    },
    'reader-create': async () => ({
      args: ['--org', org, '--name', 'new', '--topic', 'new', '--format', 'tagtrail', '--time', 'receive'],
      logs: [
        [
          'create',
          'reader',
          null,
          {
            name: 'new',
            topic: 'new',
            format: 'tagtrail',
            time: 'receive',
            identity: null,
            report_unknown: null,
            expect_seconds: null,
          },
        ],
        [
          'create',
          'antenna',
          null,
          {
            ...{ name: null, location_external_key: null, min_rssi: null, enabled: true },
            ...{ offset_db: 0, height_m: 1 },
          },
        ],
      ],
    }),
    'reader-set': async () => {
      const reader = await site.reader('set', [null]);
      return {
        args: [
          '--reader',
          String(reader),
          '--topic',
          'other',
          '--name',
          'set',
          '--report-unknown',
          'off',
          '--expect',
          '2m',
        ],
        logs: [
          [
            'update',
            `reader ${reader}`,
            { topic: 'set', report_unknown: null, expect_seconds: null },
            { topic: 'other', report_unknown: 'off', expect_seconds: 120 },
          ],
        ],
        isRepeatable: true,
      };
    },
    'reader-delete': async () => {
      const reader = await site.reader('deleted', [null]);
      return {
        args: ['--reader', String(reader)],
        logs: [['delete', `reader ${reader}`, { deleted_at: null }, { deleted_at: TIME }]],
      };
    },
    'antenna-set': async () => {
      const reader = await site.reader('antennas', [null]);
      return {
        args: [
          '--reader',
          String(reader),
          '--port',
          '1',
          '--location',
          'DOCK',
          '--min-rssi',
          '-60',
          '--offset-db',
          '3',
        ],
        logs: [
          [
            'update',
            `antenna ${reader}/1`,
            { location_external_key: null, min_rssi: null, offset_db: 0 },
            { location_external_key: 'DOCK', min_rssi: -60, offset_db: 3 },
          ],
        ],
        isRepeatable: true,
      };
    },
    'antenna-remove': async () => {
      const reader = await site.reader('mistyped', [null]);
      const before = {
        name: null,
        location_external_key: null,
        min_rssi: null,
        enabled: true,
        offset_db: 0,
        height_m: 1,
      };
      return {
        args: ['--reader', String(reader), '--port', '1'],
        logs: [['delete', `antenna ${reader}/1`, before, null]],
      };
    },
    'format-add': async () => {
      await json('format', 'add', '--file', file('own.json', JSON.stringify(format('/v'))));
      return {
        args: ['--file', file('own.json', JSON.stringify(format('/w')))],
        logs: [['update', 'format own', { definition: format('/v') }, { definition: format('/w') }]],
        isRepeatable: true,
      };
    },
    'label-range': async () => ({
      args: ['--org', org, ...RANGE],
      logs: [
        [
          'add_serials',
          `organization ${org}`,
          null,
          {
            ...{ ai: '00', base: '10614141', prefix_length: 7, filter: 0 },
            ...{ next_serial: 1, last_serial: 9 },
          },
        ],
      ],
    }),
    'printer-add': async () => ({
      args: ['--org', org, '--name', 'dock', '--address', 'labels.example.com'],
      logs: [['add_printer', `organization ${org}`, null, { name: 'dock', address: 'labels.example.com' }]],
    }),
    'printer-remove': async () => {
      await json('printer', 'add', '--org', org, '--name', 'gone', '--address', 'labels.example.com');
      const before = { name: 'gone', address: 'labels.example.com' };
      return {
        args: ['--org', org, '--name', 'gone'],
        logs: [['remove_printer', `organization ${org}`, before, null]],
      };
    },
    'label-print': async () => {
      const other = RANGE.map((each) => (each === '10614141' ? '20614141' : each));
      await json('label', 'range', '--org', org, ...other);
      await site.asset('LABELLED');
      const name = { ai: '00', base: '20614141' };
      return {
        args: ['--org', org, ...other.slice(0, 4), '--asset', 'LABELLED'],
        logs: [
          ['draw_serials', `organization ${org}`, { ...name, next_serial: 1 }, { ...name, next_serial: 2 }],
          [
            'attach_tag',
            'asset LABELLED',
            { tags: [] },
            { tags: [{ tag_type: 'rfid', value: '3114257BF477359401000000' }] },
          ],
        ],
      };
    },
    'unknown-tags-attach': async () => {
      await unknown('BEEF');
      await site.asset('PALLET');
      return {
        args: ['--org', org, '--type', 'rfid', '--value', 'BEEF', '--asset', 'PALLET'],
        logs: [['attach_tag', 'asset PALLET', { tags: [] }, { tags: [{ tag_type: 'rfid', value: 'BEEF' }] }]],
      };
    },
    'unknown-tags-ignore': async () => {
      await unknown('FEED');
      return {
        args: ['--org', org, '--type', 'rfid', '--value', 'FEED'],
        logs: [['ignore', 'unknown_tag rfid:FEED', { ignored: false }, { ignored: true }]],
        isRepeatable: true,
      };
    },
    'rejected-dismiss': async () => {
      const id = await rejected();
      return {
        args: ['--id', id],
        logs: [['dismiss', `rejected_message ${id}`, { dismissed_at: null }, { dismissed_at: TIME }]],
        isRepeatable: true,
      };
    },
    'clock-mend': async () => {
      await database.rows(
        `insert into rejected_messages (org_id, topic, reason, received_at, bytes, payload, payload_sha256)
         values ($1, 'early', 'no reader has the topic', '2040-05-01T11:30:00Z', 1, 'x', sha256('x'))`,
        [site.orgId],
      );
      return {
        args: ['--org', org, '--by', '1h', '--from', '2040-05-01T11:00:00Z', '--confirm'],
        logs: [
          [
            'mend_clock',
            `organization ${org}`,
            null,
            {
              received_from: TIME,
              received_to: '2040-05-01T12:00:00.000Z',
              ahead_seconds: 3_600,
              is_all: true,
            },
          ],
        ],
        isRepeatable: true,
      };
    },
    'rejected-replay': async () => {
      const id = await rejected();
      const reader = await site.reader('nobody', [null]);
      return {
        args: ['--id', id],
        logs: [
          [
            'replay',
            `rejected_message ${id}`,
            { reason: 'no reader has the topic', reader_id: null },
            { reason: 'payload is not JSON', reader_id: reader },
          ],
        ],
        isRepeatable: true,
      };
    },
    'locate-set': async () => {
      await json('locate', 'set', '--org', org, '--location', 'DOCK', '--by', 'strength');
      return {
        args: ['--org', org, '--location', 'DOCK', '--by', 'strength', '--certainty', '2'],
        logs: [['set_locating', 'location DOCK', locating({}), locating({ certainty: 2 })]],
      };
    },
    'locate-remove': async () => {
      const from = new Date(Date.now() + 3_600_000).toISOString();
      const args = ['--org', org, '--location', 'DOCK', '--from', from];
      await json('locate', 'set', ...args, '--by', 'strength');
      return { args, logs: [['set_locating', 'location DOCK', locating({}), null]] };
    },
    'location-watch': async () => {
      const watch = (more: object) => ({
        watch: {
          mode: 'continuous',
          max_gap_seconds: 60,
          is_learned: false,
          coverage: 'all',
          valid_from: TIME,
          ...more,
        },
      });
      const place = ['--org', org, '--location', 'DOCK', '--mode', 'continuous'];
      await json('location', 'watch', ...place, '--max-gap', '60s');
      return {
        args: [...place, '--max-gap', '2m', '--coverage', 'any'],
        logs: [['set_watch', 'location DOCK', watch({}), watch({ max_gap_seconds: 120, coverage: 'any' })]],
      };
    },
    'import-assets': async () => ({
      args: ['--org', org, '--file', file('assets.csv', 'external_key,name,tags\nBOX,Box,rfid:B0\n')],
      logs: [
        [
          'create',
          'asset BOX',
          null,
          {
            external_key: 'BOX',
            ...item(ASSET_COLUMNS, 'Box'),
            tags: [{ tag_type: 'rfid', value: 'B0' }],
          },
        ],
      ],
      isRepeatable: true,
    }),
    'import-locations': async () => ({
      args: [
        '--org',
        org,
        '--file',
        file(
          'locations.csv',
          'external_key,name,parent_external_key\nAISLE,Aisle,HALL\nHALL,Hall,\nDOCK,,HALL\n',
        ),
      ],
      logs: [
        ['update', 'location DOCK', { parent_external_key: null }, { parent_external_key: 'HALL' }],
        [
          'create',
          'location AISLE',
          null,
          {
            external_key: 'AISLE',
            ...item(LOCATION_COLUMNS, 'Aisle'),
            parent_external_key: 'HALL',
            tags: [],
          },
        ],
        [
          'create',
          'location HALL',
          null,
          { external_key: 'HALL', ...item(LOCATION_COLUMNS, 'Hall'), parent_external_key: null, tags: [] },
        ],
      ],
      isRepeatable: true,
    }),
  };

  for (const command of WRITING) {
    it(`${command} logs who changed what, and nothing where nothing changes`, async () => {
      const write = await WRITES[command]?.();
      if (write === undefined) {
        throw new Error(`${command} needs an example here, or logs no change`);
      }
      await logged();
      const [, noun = '', verb = ''] = /^(.*)-(\w+)$/.exec(command) ?? [];
      const run = () => tagtrail(noun, verb, ...write.args);
      const first = await run();
      expect(first.status, first.stderr).to.equal(0);
      const rows = await logged();
      expect(rows.map(({ action, what, before, after }) => [action, what, before, after])).to.deep.equal(
        write.logs,
      );
      for (const row of rows) {
        expect(row).to.include({
          actor_type: 'command_line',
          actor_id: userInfo().username,
          request_id: null,
        });
        expect(row.org_id === null).to.equal(OF_INSTALLATION.includes(command));
      }
      const again = await run();
      if (write.isRepeatable) {
        expect(again.status, again.stderr).to.equal(0);
      }
      if (write.isRepeatable || again.status !== 0) {
        expect(await logged()).to.deep.equal([]);
      }
    });
  }

  it('logs no secret, and no digest of one', async () => {
    const reader = String(await site.reader('secret', [null]));
    const printed = [
      await json('key', 'create', '--org', org, '--name', 'secret', '--scopes', 'assets:read'),
      await json('handheld', 'create', '--org', org, '--name', 'secret'),
      await json('reader', 'create', '--org', org, '--name', 's', '--topic', 's', '--format', 'tagtrail'),
      await json('reader', 'set', '--reader', reader, '--new-password'),
      await json('user', 'invite', '--org', org, '--email', 'secret@example.com', '--role', 'viewer'),
    ];
    const secrets = printed.map(
      ({ key, token, mqtt_password: password, link }) => key ?? token ?? password ?? link.split('/').at(-1),
    );
    const rows = await logged();
    expect(rows.map(({ what, after }) => [what, Object.keys(after as object).join()])).to.deep.equal([
      ['api_key', 'name,scopes,expires_at'],
      ['handheld', 'name,expires_at'],
      ['reader', 'name,topic,format,time,identity,report_unknown,expect_seconds'],
      ['antenna', 'name,location_external_key,min_rssi,enabled,offset_db,height_m'],
      [`reader ${reader}`, 'has_new_password'],
      ['link secret@example.com', 'purpose,email,role,expires_at'],
    ]);
    const log = JSON.stringify(rows);
    for (const secret of secrets.flatMap((whole) => [whole, whole.replace(/^t[th]_[^_]+_/, '')])) {
      expect(secret).to.have.length.above(20);
      const digest = createHash('sha256').update(secret).digest();
      for (const form of [
        secret,
        ...(['hex', 'base64', 'base64url'] as const).map((as) => digest.toString(as)),
      ]) {
        expect(log).not.to.include(form);
      }
    }
  });

  it('is an example here', () => {
    expect(WRITING).to.have.members(Object.keys(WRITES));
    expect(COMMANDS).to.include.members(NO_WRITES);
  });
});
