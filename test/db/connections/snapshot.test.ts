import { expect } from 'chai';
import { type Snapshot, withSnapshot } from '../../../db/timescale/connections/snapshot.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import { useDatabase } from '../../support/database.ts';
import { Site } from '../../support/site.ts';

const COUNT = 5_000;

describe('a snapshot', () => {
  const database = useDatabase();
  let orgId: number;
  let otherId: number;
  before(async () => {
    ({ orgId } = await Site.create(database));
    ({ orgId: otherId } = await Site.create(database));
    await database.rows(
      `insert into assets (org_id, external_key, name)
       select org_id, 'A-' || n, 'Any' from unnest(array[$1, $2]::integer[]) org_id, generate_series(1, $3::integer) n`,
      [orgId, otherId, COUNT],
    );
  });

  const reading = <Result>(
    work: (snapshot: Snapshot) => Promise<Result>,
    signal = new AbortController().signal,
  ) => withSnapshot(database.url, { orgId, signal }, work);
  const query = sql.type(rowsOf<{ org_id: number; n: number }>())`
    select org_id, substr(external_key, ${3})::integer as n from assets where name <> ${'None'} order by n`;

  it('is read to its end as of one instant, in batches, and has rows of its organization only', async () => {
    const found: { org_id: number; n: number }[] = [];
    let batches = 0;
    await reading(async (snapshot) => {
      for await (const rows of snapshot.batches(query)) {
        found.push(...rows);
        batches += 1;
        await database.rows(`update assets set name = 'None' where org_id = $1`, [orgId]);
      }
      const again = await snapshot.one(sql.type(rowsOf<{ n: number }>())`
        select count(*) as n from assets where name <> 'None'`);
      expect(again.n).to.equal(COUNT);
    });
    await database.rows(`update assets set name = 'Any' where org_id = $1`, [orgId]);
    expect(found).to.deep.equal(
      Array.from({ length: COUNT }, (_, index) => ({ org_id: orgId, n: index + 1 })),
    );
    expect(batches).to.be.above(1);
  });

  it('can be read for one query after the other, also where one is left early', () =>
    reading(async (snapshot) => {
      const first: number[] = [];
      for (const isLeftEarly of [false, true, false]) {
        for await (const [row] of snapshot.batches(query)) {
          first.push(row?.n ?? 0);
          if (isLeftEarly) {
            break;
          }
        }
      }
      const whole = Array.from({ length: Math.ceil(COUNT / 2_000) }, (_, batch) => batch * 2_000 + 1);
      expect(first).to.deep.equal([...whole, 1, ...whole]);
    }));

  it('takes no changes', async () => {
    const refused = await reading((snapshot) =>
      snapshot.exec(sql.type(NO_ROWS)`update assets set name = 'None' where org_id = ${orgId}`),
    ).catch((error: unknown) => error);
    expect(refused).to.include({ code: 'unavailable' });
  });

  it('ends the statement that runs when it is aborted, and its connection', async () => {
    const controller = new AbortController();
    const reason = new Error('enough');
    const ended = reading(
      (snapshot) => snapshot.exec(sql.type(NO_ROWS)`select pg_sleep(1000)`),
      controller.signal,
    ).catch((error: unknown) => error);
    const sleeping = () =>
      database.rows(
        `select from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid() and query like '%pg_sleep(1000)%'`,
      );
    while ((await sleeping()).length === 0);
    controller.abort(reason);
    expect(await ended).to.equal(reason);
    while ((await sleeping()).length > 0);
  });
});
