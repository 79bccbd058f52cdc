import { expect } from 'chai';
import { itByNight } from '../support/random-sets.ts';
import { useSimulate } from '../support/simulate.ts';

describe('the truth of tagtrail simulate', () => {
  const { api, file, simulate, simulated, checked } = useSimulate();
  const { database } = api;

  itByNight('knows what is true with all faults at once, and so does the API', async () => {
    const truth = await simulated(
      ...['--format', 'mixed', '--readers', '16', '--assets', '80'],
      ...['--rate', '500', '--duration', '8', '--faults', 'all'],
    );
    for (const counter of ['recorded', 'duplicates', 'unknown', 'unplaced', 'rejected', 'ignored'] as const) {
      const total = truth.readers.reduce((all, reader) => all + reader[counter], 0);
      expect(total, counter).to.be.greaterThan(0);
    }
    expect(truth.readers.some((reader) => reader.messages_rejected > 0)).to.equal(true);
    const result = await checked();
    expect(result).to.deep.include({ status: 0, differences: [], readers: 16 });
    expect(result.undecided.length).to.be.lessThan(8);
    const outside = await checked('--api', api.url, '--key', api.key);
    expect(outside).to.deep.equal({ ...result, readers: 0, site_changed: null });
  });

  it('lets hours pass at the site in seconds', async () => {
    const truth = await simulated(
      ...['--readers', '4', '--assets', '60', '--rate', '300', '--duration', '4'],
      ...['--speed', '1800', '--faults', 'all'],
    );
    const rows = truth.assets.flatMap(({ history }) => history);
    expect(Math.max(...rows.map(({ duration_seconds }) => duration_seconds ?? 0))).to.be.greaterThan(600);
    const times = rows.map(({ at }) => Date.parse(at));
    expect(Math.max(...times) - Math.min(...times)).to.be.greaterThan(3_600_000);
    expect(await checked()).to.deep.include({ status: 0, differences: [], undecided: [] });
  });

  it('finds what an installation says otherwise: history, position, counters, an asset that is gone', async () => {
    const truth = await simulated('--readers', '3', '--assets', '40', '--rate', '200', '--duration', '2');
    const [first, second, third] = truth.assets.filter(({ history }) => history.length > 0);
    const idOf = async (asset: string | undefined) => {
      const sql = 'select id from assets where external_key = $1 and deleted_at is null';
      return (await database.rows<{ id: number }>(sql, [asset]))[0]?.id;
    };
    await database.rows('delete from location_transitions where asset_id = $1', [await idOf(first?.asset)]);
    await database.rows(
      `update positions set last_seen = last_seen + interval '1 millisecond' where asset_id = $1`,
      [await idOf(second?.asset)],
    );
    const gone = await api.call({ method: 'DELETE', path: `/api/v1/assets/${await idOf(third?.asset)}` });
    expect(gone.status).to.equal(204);
    await database.rows(
      `update reader_counters set reads = reads + 1, recorded = recorded + 1
       where reader_id = (select id from readers where name = 'SIM-READER-02' and deleted_at is null)`,
    );
    const { status, differences } = await checked();
    expect(status).to.equal(1);
    const found = differences.map(({ of, what }: { of: string; what: string }) => `${of}: ${what}`);
    expect(new Set(found)).to.deep.equal(
      new Set([
        `${first?.asset}: history row`,
        `${second?.asset}: last seen`,
        `${third?.asset}: asset`,
        'SIM-READER-02: reads',
        'SIM-READER-02: recorded',
      ]),
    );
    const text = await simulate(['--check', file]);
    expect(text.status).to.equal(1);
    expect(text.stdout)
      .to.match(/SIM-READER-02 +recorded +\d+ +\d+/)
      .and.include('differences');
  });
});
