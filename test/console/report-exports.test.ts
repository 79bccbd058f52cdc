import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import { parquetReadObjects } from 'hyparquet';
import { useConsole } from '../support/console.ts';
import { Site } from '../support/site.ts';
import { storeStays } from '../support/stored-stays.ts';

const WINDOW = 'from=2021-01-01T00:30:00Z&to=2021-01-01T09:30:00Z';

describe('the exports of reports in the console', () => {
  const suite = useConsole();
  const { call } = suite;
  let orgId: number;
  let viewer: string;
  const get = (path: string) => call({ path, token: viewer });
  const rowsOf = async (path: string): Promise<Record<string, string>[]> => {
    const { status, text } = await get(path);
    expect(status, text).to.equal(200);
    return parse(text, { columns: true });
  };
  const file = (path: string, token = viewer, signal?: AbortSignal) =>
    fetch(`${suite.url}/console/v1${path}`, {
      headers: { Cookie: `tagtrail_session=${token}` },
      signal: signal ?? null,
    });

  before(async () => {
    ({ orgId } = await Site.create(suite.database, 'Reported'));
    viewer = await suite.as('viewer', orgId);
    await storeStays(suite.database, orgId, { assets: 500, stays: 11 });
  });

  for (const [name, sort, query] of [
    ['stays', 'entered_at', `${WINDOW}&asset_external_key=MOVED-1&asset_external_key=MOVED-2`],
    ['dwell', 'day', `${WINDOW}&group_by=day&time_zone=Europe/Berlin`],
    ['positions', 'since', 'at=2021-01-01T05:00:00Z&asset_external_key=MOVED-1'],
  ] as const) {
    it(`have what the report of ${name} has with the same filters, as CSV and as Parquet`, async () => {
      const report = name === 'positions' ? 'positions-at' : name;
      const { body } = await get(`/reports/${report}?${query}&sort=${sort}`);
      const expected = (body.data as Record<string, unknown>[]).map(cells);
      expect(expected.length).to.be.above(0);
      expect(await rowsOf(`/exports/${name}?${query}`)).to.deep.equal(expected);
      const response = await file(`/exports/${name}?${query}&format=parquet&organization=${orgId}`);
      expect(response.headers.get('content-disposition')).to.equal(`attachment; filename="${name}.parquet"`);
      const read = await parquetReadObjects({ file: await response.arrayBuffer() });
      expect(read.length).to.equal(expected.length);
      expect(Object.keys(read[0] ?? {})).to.deep.equal(Object.keys(expected[0] ?? {}));
    });
  }

  it('are whole, whatever their size', async () => {
    const rows = await rowsOf(`/exports/stays?${WINDOW}`);
    expect(rows.length).to.equal(5_000);
    expect(new Set(rows.map(({ asset_id: id, entered_at: at }) => `${id} ${at}`)).size).to.equal(5_000);
  });

  it('say what is wrong with what is asked for, instead of a file', async () => {
    const refused = await get('/exports/stays?from=2021-01-01T00:00:00Z&to=2999-01-01T00:00:00Z');
    expect(refused.status).to.equal(400);
    expect(refused.body.error.fields[0]).to.deep.include({ field: 'to', code: 'invalid_value' });
    expect((await get(`/exports/stays?${WINDOW}&format=xlsx`)).status).to.equal(400);
    expect((await get('/exports/stays')).status).to.equal(400);
    expect(await snapshots()).to.equal(0);
  });

  it('run two at a time, and end when nobody reads them any more', async () => {
    const large = await Site.create(suite.database, 'Large');
    const token = await suite.as('viewer', large.orgId);
    // More than the network holds.
    await storeStays(suite.database, large.orgId, { assets: 5_000, stays: 11 });
    const path = `/exports/stays?${WINDOW}`;
    const leaving = new AbortController();
    const open = await Promise.all([1, 2].map(() => file(path, token, leaving.signal)));
    expect(open.map(({ status }) => status)).to.deep.equal([200, 200]);
    expect(await snapshots()).to.equal(2);
    const third = await call({ path, token });
    expect([third.status, third.headers.get('retry-after')]).to.deep.equal([503, '10']);
    leaving.abort();
    while ((await snapshots()) > 0);
    const head = await call({ method: 'HEAD', path, token });
    expect(head.status).to.equal(200);
    while ((await snapshots()) > 0);
  });

  async function snapshots(): Promise<number> {
    const [row] = await suite.database.rows<{ open: number }>(
      `select count(*)::int as open from pg_stat_activity
       where datname = current_database() and application_name like 'tagtrail console%'
         and state <> 'idle' and backend_xmin is not null`,
    );
    return row?.open ?? Number.NaN;
  }
});

function cells(row: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, String(cell ?? '')]));
}
