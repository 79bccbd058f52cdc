import { expect } from 'chai';
import { useClient } from '../support/contract-client.ts';

/** Ten hours, in seconds. */
const WINDOW = 36_000;
const DWELL = '/reports/dwell?from=2021-05-04T00:00:00Z&to=2021-05-04T10:00:00Z';

interface Row {
  location_external_key: string | null;
  total_seconds: number;
}

describe('the report of dwell, asked again later', () => {
  const client = useClient();
  const ids: Record<string, number> = {};

  before(async () => {
    for (const external_key of ['DOCK', 'YARD']) {
      ids[external_key] = (await client.make('locations', { external_key })).id;
    }
  });

  const totals = async (query = '') => {
    const { status, text, body } = await client.get(`${DWELL}${query}`);
    expect(status, text).to.equal(200);
    return Object.fromEntries(
      ((body?.data ?? []) as Row[]).map((row) => [row.location_external_key ?? 'unseen', row.total_seconds]),
    );
  };
  const now = async () => {
    const [row] = await client.api.database.rows<{ now: string }>(
      `select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as now`,
    );
    return row?.now ?? '';
  };
  const anAsset = async () => (await client.make('assets')).id;

  it('says of an asset that was made since that it was not yet seen, and says what it said with known_at', async () => {
    const asset = await anAsset();
    await client.scan(asset, ids['DOCK'] ?? 0, '2021-05-04T02:00:00Z');
    const before = await totals();
    const then = await now();
    await anAsset();
    const unseen = (before['unseen'] ?? 0) + WINDOW;
    expect(await totals()).to.deep.equal({ ...before, unseen });
    expect(await totals(`&known_at=${then}`)).to.deep.equal(before);
    expect(await totals(`&known_at=${await now()}`)).to.deep.equal({ ...before, unseen });
  });

  it('has what late scans have changed, and says what it said with known_at', async () => {
    const asset = await anAsset();
    const ofAsset = `&asset_id=${asset}`;
    await client.scan(asset, ids['DOCK'] ?? 0, '2021-05-04T02:00:00Z');
    const then = await now();
    await client.scan(asset, ids['YARD'] ?? 0, '2021-05-04T01:00:00Z');
    await client.scan(asset, ids['YARD'] ?? 0, '2021-05-04T08:00:00Z');
    const known = `&known_at=${then}`;
    expect(await totals(ofAsset)).to.deep.equal({ DOCK: 21_600, YARD: 10_800, unseen: 3_600 });
    expect(await totals(`${ofAsset}${known}`)).to.deep.equal({ DOCK: 28_800, unseen: 7_200 });
    expect(await totals(`${ofAsset}${known}&location_external_key=YARD`)).to.deep.equal({});
  });
});
