import { expect } from 'chai';
import { type AccessDoor, openAccessDoor } from '../../../db/timescale/connections/access-door.ts';
import {
  type OrganizationDoor,
  openOrganizationDoor,
} from '../../../db/timescale/connections/organization-door.ts';
import { inTransaction } from '../../../db/timescale/connections/transaction.ts';
import { NO_ROWS, rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { useDatabase } from '../../support/database.ts';

type Run = (work: (connection: Connection) => Promise<void>) => Promise<void>;

const errorOf = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => error,
  );

describe('the verbs', () => {
  const database = useDatabase();
  let door: OrganizationDoor;
  let access: AccessDoor;

  before(() => {
    door = openOrganizationDoor(database.url, { max: 2 });
    access = openAccessDoor(database.url, { max: 1 });
    database.beforeDrop(() => Promise.all([door.end(), access.end()]));
  });

  const connections: Record<string, Run> = {
    'a pool': (work) => work(database.pool),
    'a transaction': (work) => inTransaction(database.pool, (client) => work(client)),
    "an organization's door": (work) => work(door.of(1)),
    "a transaction of an organization's door": (work) => door.of(1).transaction(work),
    "an organization's lists": (work) => work(door.of(1).listing({ isBrief: true, signal: undefined })),
    'the door to credentials': (work) => work(access),
  };

  const numbers = (count: number) =>
    sql.prepared('numbers', rowsOf<{ number: number }>())`
      select number from generate_series(1, ${count}::integer) number`;

  for (const [name, run] of Object.entries(connections)) {
    describe(`on ${name}`, () => {
      it('give the rows there are: any number, one, or at most one', () =>
        run(async (connection) => {
          expect(await connection.any(numbers(0))).to.deep.equal([]);
          expect(await connection.any(numbers(2))).to.deep.equal([{ number: 1 }, { number: 2 }]);
          expect(await connection.one(numbers(1))).to.deep.equal({ number: 1 });
          expect(await connection.maybeOne(numbers(1))).to.deep.equal({ number: 1 });
          expect(await connection.maybeOne(numbers(0))).to.equal(null);
        }));

      it('refuse another number of rows than they are for', () =>
        run(async (connection) => {
          expect(await errorOf(connection.one(numbers(0)))).to.be.instanceOf(RangeError);
          expect(await errorOf(connection.one(numbers(2)))).to.be.instanceOf(RangeError);
          expect(await errorOf(connection.maybeOne(numbers(2)))).to.be.instanceOf(RangeError);
        }));

      it('count the rows of what is done', () =>
        run(async (connection) => {
          expect(await connection.exec(numbers(3))).to.equal(3);
          expect(
            await connection.exec(sql.type(NO_ROWS)`select set_config('tagtrail.test', ${'on'}, true)`),
          ).to.equal(1);
        }));
    });
  }

  it('count the rows written', async () => {
    const inserted = sql.type(NO_ROWS)`insert into organizations (name) values (${'a'}), (${'b'})`;
    expect(await database.pool.exec(inserted)).to.equal(2);
    expect(
      await database.pool.exec(sql.type(NO_ROWS)`
      update organizations set name = ${'c'} where id = any(${sql.array([1, 2, 3], 'int4')})`),
    ).to.equal(2);
  });
});
