import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import { parquetReadObjects } from 'hyparquet';
import { useApi } from '../support/api.ts';
import { commandLineOn } from '../support/command-line.ts';
import { useClient } from '../support/contract-client.ts';
import { Site } from '../support/site.ts';
import { storeStays } from '../support/stored-stays.ts';

type Row = Record<string, string | number | boolean | null>;

describe('the export of reports', () => {
  const api = useApi();
  const client = useClient(api);
  const { tagtrail, json, fails } = commandLineOn(() => api.database);
  const folder = mkdtempSync(join(tmpdir(), 'tagtrail-reports-'));
  after(() => rmSync(folder, { recursive: true }));
  const exporting = (what: string, ...options: string[]) => [
    ...['export', what, '--org', String(client.api.orgId)],
    ...options,
  ];
  let earlier: string;

  before(async () => {
    const ids: Record<string, number> = {};
    for (const external_key of ['HALL', 'YARD']) {
      ids[external_key] = (await client.make('locations', { external_key })).id;
    }
    ids['DOCK'] = (await client.make('locations', { external_key: 'DOCK', parent_external_key: 'HALL' })).id;
    for (const external_key of ['A', 'B', 'C']) {
      ids[external_key] = (await client.make('assets', { external_key })).id;
    }
    const scan = (asset: string, place: string, time: string) =>
      client.scan(ids[asset] ?? 0, ids[place] ?? 0, `2020-05-01T${time}Z`);
    await scan('A', 'HALL', '10:00:00.000400');
    await scan('A', 'DOCK', '12:00:00.500000');
    await scan('B', 'YARD', '11:00:00.000000');
    const [row] = await api.database.rows<{ now: string }>(
      `select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as now`,
    );
    earlier = row?.now ?? '';
    await scan('A', 'YARD', '11:00:00.000000');
    await client.remove(`/assets/${ids['B']}`);
    await client.patch(`/locations/${ids['DOCK']}`, { parent_external_key: 'YARD' });
  });

  const WINDOW = ['--from', '2020-05-01T10:30:00Z', '--to', '2020-05-01T22:30:01.250Z'];
  const IN_WINDOW = 'from=2020-05-01T10:30:00Z&to=2020-05-01T22:30:01.250Z';
  const BELOW = ['--location', 'HALL,YARD', '--include-descendants'];
  const ARE_BELOW = 'location_external_key=HALL&location_external_key=YARD&include_descendants=true';
  const CASES: [what: string, options: () => string[], report: () => string][] = [
    ['stays', () => WINDOW, () => `stays?${IN_WINDOW}&sort=entered_at`],
    [
      'stays',
      () => [...WINDOW, '--asset', 'A,B', ...BELOW, '--include-deleted'],
      () =>
        `stays?${IN_WINDOW}&sort=entered_at&asset_external_key=A&asset_external_key=B&${ARE_BELOW}&include_deleted=true`,
    ],
    [
      'stays',
      () => [...WINDOW, '--known-at', earlier],
      () => `stays?${IN_WINDOW}&sort=entered_at&known_at=${earlier}`,
    ],
    [
      'positions',
      () => ['--at', '2020-05-01T12:00:00.500Z'],
      () => 'positions-at?at=2020-05-01T12:00:00.500Z',
    ],
    [
      'positions',
      () => ['--at', '2020-05-01T11:30:00+00:00', '--known-at', earlier, '--location', 'HALL'],
      () => `positions-at?at=2020-05-01T11:30:00Z&known_at=${earlier}&location_external_key=HALL`,
    ],
    ['dwell', () => WINDOW, () => `dwell?${IN_WINDOW}`],
    ['dwell', () => [...WINDOW, '--known-at', earlier], () => `dwell?${IN_WINDOW}&known_at=${earlier}`],
    [
      'dwell',
      () => [...WINDOW, '--group-by', 'asset', '--include-deleted'],
      () => `dwell?${IN_WINDOW}&group_by=asset&include_deleted=true`,
    ],
    [
      'dwell',
      () => [...WINDOW, '--group-by', 'day', '--time-zone', 'Europe/Berlin', ...BELOW],
      () => `dwell?${IN_WINDOW}&group_by=day&time_zone=Europe/Berlin&${ARE_BELOW}`,
    ],
  ];

  for (const [index, [what, options, report]] of CASES.entries()) {
    it(`writes what the API answers, row by row, as CSV and as Parquet (${index + 1}: ${what})`, async () => {
      const answer = await client.get(`/reports/${report()}`);
      expect(answer.status, answer.text).to.equal(200);
      const expected = ((answer.body?.data ?? []) as Row[]).map(toMilliseconds);
      expect(expected.length).to.be.above(0);
      const noun = what === 'dwell' ? 'groups' : what;
      const command = exporting(what, ...options());

      const { csv, ...counted } = await json(...command);
      expect(counted).to.deep.equal({ [noun]: expected.length });
      const read: Row[] = parse(csv, { columns: true });
      expect(read.map((row) => Object.keys(row))).to.deep.equal(expected.map((row) => Object.keys(row)));
      expect(read).to.deep.equal(
        expected.map((row) =>
          Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, String(cell ?? '')])),
        ),
      );

      const file = join(folder, `${what}.parquet`);
      const parquet = [...command, '--format', 'parquet', '--file', file];
      expect(await json(...parquet)).to.deep.equal({ file, [noun]: expected.length });
      expect(await rowsIn(file)).to.deep.equal(expected);
    });
  }

  it('writes to standard output and to files alike, but for the mark by which spreadsheets know UTF-8', async () => {
    const command = exporting('stays', ...WINDOW);
    const { stdout, status } = await tagtrail(...command);
    expect(status).to.equal(0);
    const file = join(folder, 'stays.csv');
    expect((await tagtrail(...command, '--file', file)).stdout).to.match(/^\d+ stays in .*stays\.csv\n$/);
    expect(readFileSync(file, 'utf8')).to.equal(`\ufeff${stdout}`);
    await tagtrail(...command, '--file', file, '--no-bom');
    expect(readFileSync(file, 'utf8')).to.equal(stdout);
  });

  it('writes reports of any size, whole and in their order', async () => {
    const { orgId } = await Site.create(api.database);
    await storeStays(api.database, orgId, { assets: 500, stays: 11 });
    const window = ['--from', '2021-01-01T00:30:00Z', '--to', '2021-01-01T09:30:00Z'];
    const { csv, stays } = await json('export', 'stays', '--org', String(orgId), ...window);
    const rows: Row[] = parse(csv, { columns: true });
    expect([rows.length, stays]).to.deep.equal([5_000, 5_000]);
    const order = rows.map(({ entered_at: at, asset_id: id }) => `${at} ${String(id).padStart(10, '0')}`);
    expect(order).to.deep.equal([...new Set(order)].sort());
    const seconds = rows.reduce((sum, row) => sum + Number(row['seconds_in_window']), 0);
    expect(seconds).to.equal(500 * 9 * 3_600);
  });

  it('writes columns where there is no row', async () => {
    const none = exporting('stays', '--from', '2020-05-01T00:00:00Z', '--to', '2020-05-01T00:00:00Z');
    const { csv, stays } = await json(...none);
    expect([csv.split('\r\n').length, csv.slice(0, 9), stays]).to.deep.equal([2, 'asset_id,', 0]);
  });

  it('writes no cell that a spreadsheet takes for a formula, or into a file for a number', async () => {
    const site = await Site.create(api.database);
    await storeStays(api.database, site.orgId, { assets: 1, stays: 1 });
    await api.database.rows(`update assets set external_key = '-2-3' where org_id = $1`, [site.orgId]);
    const at = ['--at', '2021-01-02T00:00:00Z'];
    const { csv } = await json('export', 'positions', '--org', String(site.orgId), ...at);
    expect(csv).to.include(",'-2-3,");
    await api.database.rows(`update assets set external_key = '007' where org_id = $1`, [site.orgId]);
    const file = join(folder, 'keys.csv');
    const command = ['export', 'positions', '--org', String(site.orgId), ...at, '--file', file];
    await tagtrail(...command);
    expect(readFileSync(file, 'utf8')).to.include(",'007,");
    await tagtrail(...command, '--no-bom');
    expect(readFileSync(file, 'utf8')).to.include(',007,');
  });

  it('refuses times to come, and what it cannot read', async () => {
    const future = '2099-01-01T00:00:00Z';
    await fails(2, 'to must not be later than now', ...exporting('stays', '--from', earlier, '--to', future));
    await fails(2, 'at must not be later than now', ...exporting('positions', '--at', future));
    await fails(
      2,
      'must not be before',
      ...exporting('stays', ...WINDOW, '--known-at', '2020-05-02T00:00:00Z'),
    );
    await fails(2, 'It is an RFC 3339 time', ...exporting('positions', '--at', 'today'));
    await fails(2, 'time zone', ...exporting('dwell', ...WINDOW, '--time-zone', 'Middle/Earth'));
    await fails(2, 'It must be external keys', ...exporting('stays', ...WINDOW, '--asset', 'A B'));
    await fails(2, 'It must be one of csv, parquet', ...exporting('stays', ...WINDOW, '--format', 'xlsx'));
    await fails(1, 'Organization 999999 not found', 'export', 'stays', '--org', '999999', ...WINDOW);
    const days = ['--from', '2010-01-01T00:00:00Z', '--to', '2020-01-01T00:00:00Z', '--group-by', 'day'];
    await fails(2, 'must be at most', ...exporting('dwell', ...days));
  });

  it('puts no Parquet into a document of JSON', async () => {
    const { status, stderr } = await tagtrail(
      ...exporting('stays', ...WINDOW, '--format', 'parquet', '--json'),
    );
    expect([status, JSON.parse(stderr).error.message]).to.deep.equal([
      2,
      'Parquet is binary: name a file with --file',
    ]);
  });
});

function toMilliseconds(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).map(([name, cell]) => [
      name,
      typeof cell === 'number' && name.includes('seconds') ? Math.round(cell * 1_000) / 1_000 : cell,
    ]),
  );
}

/** As JSON would have them. */
async function rowsIn(file: string): Promise<Row[]> {
  const bytes = readFileSync(file);
  const rows = await parquetReadObjects({
    file: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length),
  });
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, cell]) => [
        name,
        cell instanceof Date
          ? cell.toISOString().slice(0, name === 'day' ? 10 : undefined)
          : typeof cell === 'bigint'
            ? Number(cell)
            : (cell ?? null),
      ]),
    ),
  );
}
