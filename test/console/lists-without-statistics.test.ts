import { expect } from 'chai';
import pg from 'pg';
import { MEMBER_ROUTES } from '../../services/console/routes.ts';
import { useConsole } from '../support/console.ts';
import { FIRST_OWN_OID } from '../support/empty-statistics.ts';
import { EXPLAINING, readExplained } from '../support/measured-client.ts';

const ASSETS = 2_000;

/** Times the least work with any statistics, and more: all of few rows may be read instead of one. */
const ALLOWED = { times: 2, more: 6 * ASSETS };

/** Rows for assets from $2 to $3 of the organization $1::integer. */
const ROWS = [
  `insert into locations (org_id, external_key, name, parent_id)
   select $1::integer, 'L-' || n, 'Place ' || n, (select id from locations where org_id = $1::integer and external_key = 'L-' || (n / 10))
   from generate_series($2::integer / 20, $3::integer / 20 - 1) n`,
  `insert into assets (org_id, external_key, name, valid_to, is_active)
   select $1::integer, 'A-' || n, 'Thing ' || n, case when n % 111 = 110 then now() end, n % 50 > 0
   from generate_series($2::integer, $3::integer - 1) n`,
  `insert into tags (org_id, tag_type, value, tag_key, asset_id)
   select org_id, 'rfid', 'TAG-' || external_key, 'TAG-' || external_key, id from assets
   where org_id = $1::integer and substr(external_key, 3)::integer between $2::integer and $3::integer - 1`,
  `insert into tags (org_id, tag_type, value, tag_key, location_id)
   select org_id, 'barcode', external_key, external_key, id from locations
   where org_id = $1::integer and substr(external_key, 3)::integer between $2::integer / 20 and $3::integer / 20 - 1`,
  `insert into location_transitions (org_id, asset_id, observed_at, location_id, duration_seconds, received_at,
     tag_type, tag_value, reader_id, antenna)
   select $1::integer, asset.id, now() - interval '70 hours' + stay * interval '20 hours' + n * interval '1 second',
     location.id, case when stay < 3 then 72000 end, now(), 'rfid', 'TAG-A-' || n, 1, 1
   from generate_series($2::integer, $3::integer - 1) n cross join generate_series(0, 3) stay
   join assets asset on asset.org_id = $1::integer and asset.external_key = 'A-' || n
   join locations location on location.org_id = $1::integer and location.external_key = 'L-' || (n * 7 + stay) % (1 + n / 20)`,
  `insert into scan_events (org_id, asset_id, location_id, observed_at, received_at, time_is_received, tag_type, tag_value,
     reader_id, antenna)
   select org_id, asset_id, location_id, observed_at + read * interval '1 hour', received_at, false, tag_type, tag_value, 1, 1
   from location_transitions cross join generate_series(0, 2) read
   where org_id = $1::integer and substr(tag_value, 7)::integer between $2::integer and $3::integer - 1`,
  `insert into positions (org_id, asset_id, location_id, since, last_seen)
   select org_id, asset_id, location_id, observed_at, observed_at + interval '2 hours' from location_transitions
   where org_id = $1::integer and duration_seconds is null and substr(tag_value, 7)::integer between $2::integer and $3::integer - 1`,
  `insert into unknown_tags (org_id, tag_type, value, tag_key, ambiguous, count, first_seen, last_seen)
   select $1::integer, 'rfid', 'U-' || n, 'U-' || n, false, 1, now(), now() from generate_series($2::integer, $3::integer - 1) n`,
  `insert into readers (org_id, name, topic, format, mqtt_username, mqtt_password_sha256)
   select $1::integer, 'gate ' || n, 'gate/' || n, 'tagtrail', $1::integer || '-gate-' || n, sha256('x')
   from generate_series($2::integer / 20, $3::integer / 20 - 1) n`,
  `insert into rejected_messages (org_id, reader_id, topic, reason, received_at, bytes, payload, payload_sha256)
   select $1::integer, (select min(id) from readers where org_id = $1::integer), 'gate', 'no JSON', now(), 1, 'x', sha256('x')
   from generate_series($2::integer, $3::integer - 1) n`,
  `insert into rules (org_id, id, version, valid_from, is_ended, kind, name, metadata, mail_to)
   select $1::integer, lpad(n::text, 26, '0'), 1, now(), false, 'not_allowed', 'rule ' || n, '[]', '{}'
   from generate_series($2::integer / 80, $3::integer / 80 - 1) n`,
  `insert into alerts (org_id, id, rule_id, rule_valid_from, rule_name, kind, asset_id, opened_at, closed_at, state, because)
   select $1::integer, lpad(n::text, 26, '0'), lpad((n / 80)::text, 26, '0'), now(), 'rule', 'not_allowed', asset.id,
     now() - n * interval '1 minute', case when n % 5 > 0 then now() end, case when n % 5 > 0 then 'closed' else 'open' end, '{}'
   from generate_series($2::integer, $3::integer - 1) n
   join assets asset on asset.org_id = $1::integer and asset.external_key = 'A-' || n`,
  `insert into moves (org_id, position, sealed_at, asset_id, kind, part, parts, recorded_at, location_id, since, last_seen)
   select $1::integer, row_number() over (order by asset_id, observed_at) + $2::integer * 4, now(), asset_id, 'moved', 1, 1, now(),
     location_id, observed_at, observed_at
   from location_transitions
   where org_id = $1::integer and substr(tag_value, 7)::integer between $2::integer and $3::integer - 1`,
  `insert into changes (org_id, actor_type, actor_id, action, resource_type, resource_id)
   select $1::integer, 'user', '1', 'update', 'asset', n::text from generate_series($2::integer, $3::integer - 1) n`,
  `insert into tag_readings (org_id, asset_id, tag_id, observed_at, temperature_c)
   select $1::integer, asset_id, 1, observed_at, 20 from scan_events
   where org_id = $1::integer and substr(tag_value, 7)::integer between $2::integer and $3::integer - 1`,
  `insert into handhelds (org_id, name, token_sha256)
   select $1::integer, 'gun ' || n, sha256('x') from generate_series($2::integer / 80, $3::integer / 80 - 1) n`,
  `insert into sweeps (org_id, id, handheld_id, body_sha256, received_at, location_id, began_at, ended_at,
     include_descendants, expected, found, moved_here, missing, unknown, unknown_tags)
   select $1::integer, 'S-' || n, (select min(id) from handhelds where org_id = $1::integer), sha256('x'), now(), location.id,
     now() - interval '3 hours', now() - n * interval '1 second', false, 20, 19, 0, 1, 0, '{}'
   from generate_series($2::integer / 20, $3::integer / 20 - 1) n
   join locations location on location.org_id = $1::integer and location.external_key = 'L-' || n`,
  `insert into sweep_assets (org_id, sweep_id, asset_id, expected, found, moved_here, missing)
   select $1::integer, 'S-' || (n / 20), asset.id, true, n % 20 > 0, false, n % 20 = 0
   from generate_series($2::integer, $3::integer - 1) n
   join assets asset on asset.org_id = $1::integer and asset.external_key = 'A-' || n`,
];

type Query = Readonly<Record<string, string>>;

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
const WINDOW = { from: hoursAgo(60), to: hoursAgo(20) };

/** What a route is asked in any case. */
const BASES: Readonly<Record<string, Query>> = {
  reportPositionsAt: { at: WINDOW.to },
  reportStays: WINDOW,
  reportDwell: WINDOW,
  reportSweeps: { ...WINDOW, to: hoursAgo(0.1) },
  reportTurns: { ...WINDOW, from_location_external_key: 'L-1', to_location_external_key: 'L-2' },
  listAssetReadings: { kind: 'temperature_c' },
  listStays: WINDOW,
  find: { q: 'thing 12' },
};

/** Of the API and the console: all with pages, and what else reads of many rows. */
const LISTS = MEMBER_ROUTES.filter(
  ({ method, path, query, operationId }) =>
    method === 'GET' &&
    !path.includes('{webhook_id}') &&
    operationId !== 'listMoves' &&
    ('limit' in query.parameters ||
      /^(find|getAsset|getLocation|getReader|list(Stays|Arrivals))$/.test(operationId)),
);

describe('what a list reads', () => {
  const suite = useConsole();
  const { emit } = pg.Client.prototype;
  let work = 0;
  const requests: string[] = [];
  const results = new Map<string, Map<string, number>>();

  before(async () => {
    const { database, orgId } = suite;
    const name = new URL(database.url).pathname.slice(1);
    for (const [setting, value] of [['session_preload_libraries', 'auto_explain'], ...EXPLAINING] as const) {
      // A statement's pages include those of the functions that it calls.
      const given = setting === 'auto_explain.log_nested_statements' ? 'off' : value;
      await database.rows(`alter database ${name} set ${setting} = '${given}'`);
    }
    for (const { relname } of await database.rows<{ relname: string }>(
      `select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
    )) {
      await database.rows(`alter table ${relname} set (autovacuum_enabled = false)`);
    }
    pg.Client.prototype.emit = function (this: pg.Client, event: string, ...values: unknown[]) {
      const explained = event === 'notice' ? readExplained((values[0] as Error).message) : null;
      work += explained === null ? 0 : explained.rows + 4 * explained.pages;
      return emit.call(this, event, ...values);
    } as typeof emit;
    suite.url = await suite.start();

    await fill(0, ASSETS / 10);
    await database.rows('analyze');
    await fill(ASSETS / 10, ASSETS);
    const [ids] = await database.rows<Record<string, number>>(
      `select (select id from assets where org_id = $1 and external_key = 'A-1234') as asset_id,
         (select id from locations where org_id = $1 and external_key = 'L-12') as location_id,
         (select min(id) from readers where org_id = $1) as reader_id, $1::integer as id`,
      [orgId],
    );
    requests.push(...LISTS.flatMap((route) => asked(route, ids ?? {})));
  });

  after(() => {
    pg.Client.prototype.emit = emit;
  });

  async function fill(from: number, end: number): Promise<void> {
    for (const rows of ROWS) {
      await suite.database.rows(rows, [suite.orgId, from, end]);
    }
  }

  async function forget(): Promise<void> {
    await suite.database.rows(`delete from pg_statistic where starelid >= ${FIRST_OWN_OID}`);
    await suite.database.rows(
      `update pg_class set reltuples = -1, relpages = 0 where oid >= ${FIRST_OWN_OID} and relkind in ('r', 'i')`,
    );
  }

  const STATISTICS: Readonly<Record<string, () => Promise<unknown>>> = {
    'from a tenth of the rows': async () => {},
    none: forget,
    'of assets alone': () => suite.database.rows('analyze assets'),
    'of assets, positions and tags alone': () => suite.database.rows('analyze positions, tags'),
    all: () => suite.database.rows('analyze'),
  };
  for (const [statistics, change] of Object.entries(STATISTICS)) {
    it(`is measured with these statistics: ${statistics}`, async () => {
      await change();
      for (const path of requests) {
        work = 0;
        const { status, text } = await suite.call({ path });
        const taken = work;
        expect(status, `${path}: ${text}`).to.equal(200);
        results.set(path, (results.get(path) ?? new Map()).set(statistics, taken));
      }
    });
  }

  it('is about the same with any statistics', () => {
    const excess = [...results].flatMap(([path, measured]) => {
      const least = Math.min(...measured.values());
      const most = Math.max(...measured.values());
      return most <= ALLOWED.times * least + ALLOWED.more ? [] : [[path, Object.fromEntries(measured)]];
    });
    expect(Math.min(...[...results.values()].map((measured) => Math.max(...measured.values())))).to.be.above(
      0,
    );
    expect(excess).to.deep.equal([]);
  });
});

/** The list as it comes, a long page, a later one, and a long one with each filter. */
function asked({ operationId, path, query }: (typeof LISTS)[number], ids: Record<string, number>): string[] {
  const at = path.replace(/\{(\w+)\}/g, (_, name: string) => String(ids[name]));
  const has = (name: string) => Object.hasOwn(query.parameters, name);
  const key = operationId === 'listLocations' ? 'L-12' : 'A-1234';
  const samples: Query = {
    ...{
      external_key: key,
      asset_external_key: 'A-1234',
      location_external_key: 'L-12',
      parent_external_key: 'L-1',
    },
    ...{ asset_id: String(ids['asset_id']), location_id: String(ids['location_id']) },
    ...{
      tag_value: `TAG-${key}`,
      updated_since: hoursAgo(1),
      q: 'thing 12',
      after: '100',
      is_active: 'true',
    },
    ...{ include_deleted: 'true', include_not_in_effect: 'true', reader_id: String(ids['reader_id']) },
    rule_id: '3'.padStart(26, '0'),
  };
  const long = has('limit') ? { limit: '200' } : {};
  const filters = Object.entries(samples).filter(([name]) => has(name) && name !== 'limit');
  const questions: Query[] = [
    {},
    ...(has('offset') ? [long, { ...long, offset: '1000' }] : []),
    ...filters.map(([name, value]) => ({ ...long, [name]: value })),
  ];
  return questions.map((question) => `${at}?${new URLSearchParams({ ...BASES[operationId], ...question })}`);
}
