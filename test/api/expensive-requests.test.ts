import { expect } from 'chai';
import { expensiveTurns } from '../../base/expensive-turns.ts';
import { useApi } from '../support/api.ts';

const NUMBERS = `{"a":[${'1,'.repeat(200_000)}1]}`;

interface Statement {
  pid: number;
  begun: string;
}

/** What reads or writes much in the database, for requests of this organization. */
describe('expensive requests of an organization', () => {
  const api = useApi();
  let large: string;

  const { lapse } = expensiveTurns;
  after(() => {
    expensiveTurns.lapse = lapse;
  });

  before(async () => {
    expensiveTurns.lapse = 2 ** 31 - 1;
    const { body } = await api.call({
      method: 'POST',
      path: '/api/v1/assets',
      json: { name: 'large', metadata: JSON.parse(NUMBERS) },
    });
    large = `/api/v1/assets/${body?.data.id}`;
    await api.database.rows(
      `insert into assets (org_id, external_key, name)
       select $1, 'A-' || place, 'Pallet ' || place from generate_series(1, 30000) place`,
      [api.orgId],
    );
    await api.database.rows('analyze');
  });

  const underWay = () =>
    api.database.rows(
      `select pid, query_start::text as begun from pg_stat_activity
       where datname = current_database() and state = 'active' and pid <> pg_backend_pid() and (
         application_name like '% lists' or application_name like '% large rows%' or query like '%update assets%'
         or query like '%insert into assets%')`,
    ) as Promise<Statement[]>;

  /** Those that were under way together: of a look that is not of one moment, where one of them is still there at the next. */
  async function together(): Promise<number> {
    const [before, after] = [await underWay(), await underWay()];
    const isThere = ({ pid, begun }: Statement) =>
      after.some((each) => each.pid === pid && each.begun === begun);
    return before.some(isThere) ? before.length : Math.min(1, before.length);
  }

  it('are carried out one at a time, over all routes together', async () => {
    const asked = Array.from({ length: 4 }, (_, turn) => [
      api.call({ path: '/api/v1/assets?q=pallet&limit=200' }),
      api.call({ path: '/api/v1/assets?limit=200&offset=29000&sort=-name' }),
      api.call({ path: large }),
      api.call({
        method: 'PATCH',
        path: large,
        json: { metadata: JSON.parse(NUMBERS.replace('1', `${turn}`)) },
      }),
      api.call({
        method: 'POST',
        path: '/api/v1/assets',
        json: { name: 'n', metadata: JSON.parse(NUMBERS) },
      }),
    ]).flat();
    let left = asked.length;
    for (const each of asked) {
      void each.finally(() => {
        left -= 1;
      });
    }
    let [most, looks] = [0, 0];
    while (left > 0) {
      const count = await together();
      most = Math.max(most, count);
      looks += count > 0 ? 1 : 0;
    }
    expect(new Set((await Promise.all(asked)).map(({ status }) => status))).to.deep.equal(
      new Set([200, 201]),
    );
    expect(looks).to.be.greaterThan(3);
    expect(most).to.equal(1);
  });
});
