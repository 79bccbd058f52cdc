import { expect } from 'chai';
import { databaseOn } from '../../db/timescale/connections/database.ts';
import { sealBatch } from '../../domain/moves/sealing/seal-batch.ts';
import type { Parameter } from '../../platform/http/parameters.ts';
import { MEMBER_ROUTES } from '../../services/console/routes.ts';
import { useConsole } from '../support/console.ts';
import { aRead, record } from '../support/recording.ts';
import { Site } from '../support/site.ts';
import { storeSweepBy } from '../support/stored-sweep.ts';
import { SETTINGS } from '../support/webhooks.ts';

type Query = Readonly<Record<string, string>>;
type Route = (typeof MEMBER_ROUTES)[number];

/** The API's lists, which the console mounts as they are, its own, and what it exports of either. */
const LISTS = MEMBER_ROUTES.filter(
  ({ method, path, query }) =>
    method === 'GET' && ('limit' in query.parameters || path.startsWith('/console/v1/exports/')),
);

/** They do not say what is listed. */
const OF_THE_REQUEST = ['organization', 'wait'];

const START = Date.now();
const hoursAgo = (hours: number) => new Date(START - hours * 3_600_000).toISOString();
const WINDOW = { from: hoursAgo(80), to: hoursAgo(5) };
const DOCK_TO_YARD = { from_location_external_key: 'DOCK', to_location_external_key: 'YARD' };

/** What a route is asked in any case. */
const BASES: Readonly<Record<string, Query>> = {
  reportPositionsAt: { at: WINDOW.to },
  exportPositions: { at: WINDOW.to },
  reportStays: WINDOW,
  exportStays: WINDOW,
  reportDwell: WINDOW,
  exportDwell: WINDOW,
  reportTurns: { ...WINDOW, ...DOCK_TO_YARD },
  reportSweeps: WINDOW,
};

/** Other questions in which a parameter may tell, where it does not in the plain one. */
const QUESTIONS: readonly Query[] = [
  { group_by: 'asset' },
  { group_by: 'day' },
  { location_external_key: 'DOCK' },
  { asset_external_key: 'GONE' },
];

/** What a parameter is refused without. */
const BESIDE: Readonly<Record<string, string>> = { actor_type: 'actor_id', resource_id: 'resource_type' };

/** What each list is searched for to find most of it: its other filters must hold then, too. */
const SEARCHES: Readonly<Record<string, string>> = {
  listAssets: 'thing',
  exportAssets: 'thing',
  listLocations: 'thing',
  exportLocations: 'thing',
  listUnknownTags: 'E280',
  listRejected: 'gate',
  listReaders: 'gate',
};

describe('every parameter of a list', () => {
  const suite = useConsole({ SECRETS_KEY: SETTINGS.keys });
  const { call } = suite;
  /** By the parameter's name, or by the operation and the name. */
  const samples: Record<string, string | number> = {
    limit: 1,
    offset: 1,
    from: hoursAgo(45),
    to: hoursAgo(45),
    at: hoursAgo(45),
    time_zone: 'Pacific/Kiritimati',
    asset_external_key: 'A',
    location_external_key: 'DOCK',
    parent_external_key: 'HALL',
    from_location_external_key: 'YARD',
    to_location_external_key: 'STORE',
    tag_value: 'TAG-A',
    'metadata.owner': 'Blue Line',
    seen_within_seconds: 18 * 3_600,
    unseen_for_seconds: 18 * 3_600,
    'listLocations tag_value': 'TAG-DOCK',
    'exportLocations tag_value': 'TAG-DOCK',
    'listAssets external_key': 'A',
    'exportAssets external_key': 'A',
    'listLocations external_key': 'DOCK',
    'exportLocations external_key': 'DOCK',
    'listAssets q': 'of steel',
    'exportAssets q': 'of steel',
    'listLocations q': 'under roof',
    'exportLocations q': 'under roof',
    'listUnknownTags q': 'WEAK',
    'listRejected q': 'west',
    'listReaders q': 'west',
    first_seen_after: hoursAgo(30),
    actor_type: 'key',
    resource_type: 'asset',
    'listChanges action': 'update',
    'listMoves after': 1,
    'listAssetReadings kind': 'motion',
    'listAssetReadings bucket': '1h',
  };
  const inPath: Record<string, string | number> = {};

  before(async () => {
    const { database, orgId } = suite;
    const site = Site.of(database, orgId);
    const make = async (path: string, json: object): Promise<number> => {
      const { status, text, body } = await call({ method: 'POST', path, json });
      expect(status, text).to.be.within(200, 201);
      return body.data.id;
    };

    const places: Record<string, number> = {};
    for (const [external_key, parent_external_key, more] of [
      ['WORLD', null, {}],
      ['SITE', 'WORLD', {}],
      ['HALL', 'SITE', {}],
      ['DOCK', 'HALL', { name: 'thing under roof', tags: [{ tag_type: 'ble', value: 'TAG-DOCK' }] }],
      ['BAY', 'DOCK', { tags: [{ tag_type: 'barcode', value: 'TAG-DOCK' }] }],
      ['YARD', 'HALL', {}],
      ['STORE', null, {}],
      ['IDLE', null, { is_active: false }],
      ['FUTURE', null, { valid_from: hoursAgo(-24) }],
      ['PAST', null, {}],
    ] as const) {
      const name = `thing ${10 - Object.keys(places).length}`;
      places[external_key] = await make('/locations', { name, external_key, parent_external_key, ...more });
    }
    await database.rows(`update location_versions set since = $2 where org_id = $1`, [orgId, hoursAgo(99)]);
    await call({ method: 'DELETE', path: `/locations/${places['PAST']}` });

    const rfid = (value: string) => ({ tag_type: 'rfid', value });
    const assets: Record<string, number> = {};
    for (const [external_key, more] of [
      ['A', { name: 'thing of steel', metadata: { owner: 'Blue Line' } }],
      ['B', { tags: [rfid('TAG-B'), { tag_type: 'barcode', value: 'TAG-A' }] }],
      ['C', {}],
      ['D', {}],
      ['E', {}],
      ['GONE', {}],
      ['LATE', { valid_from: hoursAgo(-24) }],
      ['IDLE', { is_active: false }],
    ] as const) {
      const tags = [rfid(`TAG-${external_key}`)];
      const name = `thing ${10 - Object.keys(assets).length}`;
      assets[external_key] = await make('/assets', { name, external_key, tags, ...more });
    }
    const east = await site.reader('gate east', [places['DOCK'] ?? null]);
    const west = await site.reader('gate west', [places['YARD'] ?? null], { format: 'none' });
    const scanned = async (...scans: string[]) => {
      const reads = scans.map((scan) => {
        const [asset, place = '', hours] = scan.split(' ');
        return aRead({
          ...{ orgId, readerId: east, value: `TAG-${asset}`, locationId: places[place] ?? 0 },
          ...{ at: Date.parse(hoursAgo(Number(hours))) * 1_000, receivedAt: Date.now() * 1_000 },
        });
      });
      await record(database, reads);
      await sealBatch(databaseOn(database.pool), [{ orgId, after: 0, share: 1_000 }]);
    };
    await scanned(
      ...[
        'A DOCK 70',
        'A YARD 60',
        'A DOCK 50',
        'A YARD 41',
        'A DOCK 30',
        'B DOCK 66',
        'B BAY 60',
        'B YARD 48',
      ],
      ...['C DOCK 64', 'C STORE 20', 'D DOCK 22', 'E BAY 21', 'GONE DOCK 68', 'GONE YARD 55', 'LATE DOCK 20'],
    );
    const [now] = await database.rows<{ iso: string }>(
      `select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as iso`,
    );
    Object.assign(samples, { known_at: now?.iso, since: now?.iso, until: now?.iso, updated_since: now?.iso });
    for (const [table, id] of [
      ['assets', assets['IDLE']],
      ['locations', places['IDLE']],
    ]) {
      await database.rows(`update ${table} set updated_at = clock_timestamp() where id = $1`, [id]);
    }
    await scanned('A YARD 25', 'B DOCK 15');
    await call({ method: 'DELETE', path: `/assets/${assets['GONE']}` });
    await database.rows('update assets set deleted_at = $2 where id = $1', [assets['GONE'], hoursAgo(10)]);
    await database.rows(
      `insert into reader_counters (org_id, reader_id, messages, last_message_at)
       values ($1, $2, 1, $3)`,
      [orgId, east, hoursAgo(1)],
    );

    await database.rows(
      `insert into tag_readings (org_id, asset_id, tag_id, observed_at, motion, temperature_c)
       select $1, $2, 1, $3::timestamptz + minutes * interval '1 minute', minutes, minutes
       from unnest(array[0, 1, 600]) minutes`,
      [orgId, assets['A'], hoursAgo(50)],
    );

    for (const [id, place, hours, asset] of [
      ['SWEEP-1', 'DOCK', 50, 'A'],
      ['SWEEP-2', 'BAY', 40, 'B'],
      ['SWEEP-3', 'YARD', 30, 'GONE'],
    ] as const) {
      await storeSweepBy(
        database,
        { orgId, handheld: `gun ${place}` },
        {
          ...{ id, locationId: places[place] ?? 0, endedAt: hoursAgo(hours) },
          expected: [assets[asset] ?? 0],
        },
      );
    }

    const [first = '', second = ''] = ['1', '2'].map((digit) => digit.padStart(26, '0'));
    await database.rows(
      `insert into rules (org_id, id, version, valid_from, is_ended, kind, name, metadata, mail_to)
       select $1, id, 1, now(), false, 'not_allowed', id, '[]', '{}' from unnest($2::text[]) as id`,
      [orgId, [first, second]],
    );
    await database.rows(
      `insert into alerts (org_id, id, rule_id, rule_valid_from, rule_name, kind, asset_id, opened_at, closed_at, state,
         because)
       values ($1, $2, $2, now(), 'first', 'not_allowed', $4, $6, $6, 'closed', '{}'),
         ($1, $3, $3, now(), 'second', 'not_allowed', $5, $7, null, 'open', '{}')`,
      [orgId, first, second, assets['A'], assets['B'], hoursAgo(50), hoursAgo(40)],
    );
    await database.rows(
      `insert into unknown_tags (org_id, tag_type, value, tag_key, ambiguous, count, first_seen, last_seen, rssi,
         reader_id, ignored_at)
       values ($1, 'rfid', 'E280WEAK', 'E280WEAK', false, 5, $2, $5, -70, $6, null),
         ($1, 'rfid', 'E280LOUD', 'E280LOUD', false, 2, $3, $4, -40, $7, null),
         ($1, 'barcode', 'E280CODE', 'E280CODE', false, 1, $3, $4, null, null, null),
         ($1, 'rfid', 'E280QUIET', 'E280QUIET', false, 1, $3, $4, null, null, now())`,
      [orgId, hoursAgo(50), hoursAgo(20), hoursAgo(3), hoursAgo(2), east, west],
    );
    const [rejected] = await database.rows<{ id: number }>(
      `insert into rejected_messages (org_id, reader_id, topic, reason, received_at, bytes, payload, payload_sha256,
         dismissed_at, kind)
       select $1, reader, topic, 'no JSON', now(), 1, 'x', sha256('x'), dismissed, kind from (values
         ($2::integer, 'gate east', null, 'near_miss'), ($3, 'gate west', null, 'rejected'), ($3, 'gate west', now(), 'rejected')
       ) as given (reader, topic, dismissed, kind) returning id`,
      [orgId, east, west],
    );
    await database.rows(
      `insert into location_settings (org_id, valid_from, procedure) values ($1, $2, 'every'), ($1, $3, 'every')`,
      [orgId, hoursAgo(9), hoursAgo(8)],
    );
    const settings = { url: 'https://example.com/', name: 'hook' };
    const webhook = await make('/webhooks', settings);
    await make('/webhooks', settings);
    await database.rows(
      `insert into webhook_attempts (org_id, webhook_id, at, event_id, attempt, status, milliseconds)
       values ($1, $2, now(), 'e', 1, 500, 9), ($1, $2, now(), 'e', 2, 200, 9)`,
      [orgId, webhook],
    );
    for (const name of ['one', 'two']) {
      await make(`/orgs/${orgId}/api-keys`, { name, scopes: [] });
      await make('/invitations', { email: `${name}@example.com`, role: 'viewer' });
    }
    const user = (await call({ path: '/session' })).body.data.user.id;
    await suite.as('viewer');
    await database.rows(
      `insert into changes (org_id, at, actor_type, actor_id, action, resource_type, resource_id)
       values ($1, now(), 'key', $2, 'update', 'asset', $3)`,
      [orgId, String(user), String(assets['A'])],
    );

    Object.assign(inPath, { asset_id: assets['A'], location_id: places['HALL'], id: orgId });
    Object.assign(inPath, { webhook_id: webhook, 'listPresent location_id': places['DOCK'] });
    Object.assign(samples, {
      ...{
        asset_id: assets['A'],
        location_id: places['DOCK'],
        parent_id: places['HALL'],
        id: places['DOCK'],
      },
      ...{ from_location_id: places['YARD'], to_location_id: places['STORE'], rule_id: first },
      ...{ reader_id: west, after_id: rejected?.id, actor_id: user, resource_id: assets['A'] },
      ...{ after: assets['B'], 'listLocations after': places['HALL'] },
      cursor: (await call({ path: '/changes?limit=1' })).body.next,
    });
  });

  for (const route of LISTS) {
    const { operationId } = route;
    for (const [declared, parameter] of Object.entries(route.query.parameters)) {
      const name = parameter.hasMembers === true ? `${declared}.owner` : declared;
      if (OF_THE_REQUEST.includes(name)) {
        continue;
      }
      it(`changes the answer: ${name} of ${operationId}`, async () => {
        const search = SEARCHES[operationId];
        const bases = search === undefined || name === 'q' ? [{}] : [{}, { q: search }];
        for (const base of bases) {
          await expectChange(route, name, valuesOf(operationId, name, parameter), base);
        }
      });
    }
  }

  /** To one of the questions at least, each value has an answer of its own; or, of a choice, one of the values has. */
  async function expectChange(route: Route, name: string, values: Values, base: Query): Promise<void> {
    const beside = route.query.needs?.[name] ?? BESIDE[name];
    const sample = samples[`${route.operationId} ${beside}`] ?? samples[String(beside)];
    const needed = beside === undefined ? {} : { [beside]: String(sample) };
    const others = exclusiveWith(route, name);
    const questions = [
      {},
      ...QUESTIONS.filter((each) => isTaken(route, each) && !others.some((other) => other in each)),
    ];
    const hasChanged = async (value: string) => {
      for (const question of questions) {
        const asked = { ...BASES[route.operationId], ...base, ...question, ...needed };
        const plain = await answer(route, name === 'sort' ? { ...asked, sort: `-${value}` } : asked);
        const kept = Object.entries(asked).filter(([each]) => !others.includes(each));
        const changed = await answer(route, { ...Object.fromEntries(kept), [name]: value });
        if (changed !== '' && changed !== plain) {
          return true;
        }
      }
      return false;
    };
    const unchanged: string[] = [];
    for (const value of values.all) {
      if (!(await hasChanged(value))) {
        unchanged.push(value);
      }
    }
    const isEnough = values.isChoice ? unchanged.length < values.all.length : unchanged.length === 0;
    expect(
      isEnough,
      `${name}=${unchanged} changes nothing, or leaves no row, beside ${JSON.stringify(base)}`,
    ).to.equal(true);
  }

  /** What is listed; empty if nothing is. */
  async function answer(route: Route, query: Query): Promise<string> {
    const path = route.path.replace(/\{(\w+)\}/g, (_, name) =>
      String(inPath[`${route.operationId} ${name}`] ?? inPath[name]),
    );
    const { status, text, body } = await call({ path: `${path}?${new URLSearchParams(query)}` });
    expect(status, `${path}?${new URLSearchParams(query)}: ${text}`).to.equal(200);
    const listed =
      body?.data.events ??
      body?.data ??
      (query['format'] === undefined ? text.split('\n').slice(1, -1) : text);
    return listed.length === 0 ? '' : JSON.stringify(listed);
  }

  interface Values {
    all: readonly string[];
    isChoice: boolean;
  }

  function valuesOf(operationId: string, name: string, { schema }: Parameter<unknown>): Values {
    const { default: initial, enum: choice, type, pattern } = (schema['items'] ?? schema) as typeof schema;
    if (choice !== undefined) {
      return { all: (choice as string[]).filter((each) => each !== initial), isChoice: true };
    }
    if (type === 'boolean') {
      return { all: ['true', 'false'].filter((each) => each !== String(initial)), isChoice: false };
    }
    if (name === 'sort') {
      const [, fields = ''] = /\(([a-z_0-9|]+)\)/.exec(String(pattern)) ?? [];
      return { all: fields.split('|'), isChoice: false };
    }
    const sample = samples[`${operationId} ${name}`] ?? samples[name];
    if (sample === undefined) {
      throw new Error(
        `${operationId} has a parameter ${name}: give it a value in this test, and rows that it separates`,
      );
    }
    return { all: [String(sample)], isChoice: false };
  }
});

function isTaken({ query, operationId }: Route, question: Query): boolean {
  return Object.entries(question).every(([name, value]) => {
    const choice = query.parameters[name]?.schema['enum'] as readonly string[] | undefined;
    const isDeclared =
      Object.hasOwn(query.parameters, name) && !Object.hasOwn(BASES[operationId] ?? {}, name);
    return isDeclared && (choice === undefined || choice.includes(value));
  });
}

/** The parameter and those that must not be given beside it. */
function exclusiveWith({ query: { exclusive = [] } }: Route, name: string): readonly string[] {
  return [name, ...exclusive.filter((pair) => pair.includes(name)).flat()];
}
