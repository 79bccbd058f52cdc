import fc from 'fast-check';
import pg from 'pg';
import type { PoolClient } from '../../../../db/timescale/connections/client.ts';
import {
  type OrganizationDoor,
  openOrganizationDoor,
} from '../../../../db/timescale/connections/organization-door.ts';
import { inTransaction } from '../../../../db/timescale/connections/transaction.ts';
import { useDatabase } from '../../../support/database.ts';
import { randomSets } from '../../../support/random-sets.ts';
import { Site } from '../../../support/site.ts';
import { aChange, type Change } from './changes.ts';
import { expectTotals } from './totals.ts';

const ROUNDS = Math.max(3, randomSets(10));
const WRITERS = 4;

describe('totals of lists', () => {
  const database = useDatabase();
  let door: OrganizationDoor;
  const orgIds: number[] = [];

  before(async () => {
    door = openOrganizationDoor(database.url, { max: 4 });
    database.beforeDrop(() => door.end());
    for (const name of ['First', 'Second', 'Third']) {
      orgIds.push((await Site.create(database, name)).orgId);
    }
  });

  it(`are exact at every moment, whatever ${WRITERS} writers do to three organizations`, async () => {
    const transactions = fc.array(fc.tuple(aChange, fc.nat()), { minLength: 1, maxLength: 6 });
    const writers = fc.array(transactions, { minLength: WRITERS, maxLength: WRITERS });
    await fc.assert(
      fc.asyncProperty(writers, async (plans) => {
        let isWriting = true;
        const written = Promise.all(
          plans.map(async (plan) => {
            for (const [change, number] of plan) {
              await make(change, orgIds[number % orgIds.length] ?? 0);
            }
          }),
        ).finally(() => {
          isWriting = false;
        });
        const watched = (async () => {
          while (isWriting) {
            await expectAllTotals();
          }
        })();
        await Promise.all([written, watched]);
        await expectAllTotals();
      }),
      { numRuns: ROUNDS, endOnFailure: true },
    );
  });

  async function expectAllTotals(): Promise<void> {
    await Promise.all(orgIds.map((orgId) => expectTotals(door.of(orgId))));
  }

  async function make({ statements, isKept }: Change, orgId: number): Promise<void> {
    const work = async (client: PoolClient) => {
      for (const { sql, picks } of statements) {
        await client.query(sql, [orgId, picks]);
      }
      if (!isKept) {
        throw new Dropped();
      }
    };
    try {
      await inTransaction(database.pool, work);
    } catch (error) {
      if (!(error instanceof Dropped || isCollision(error))) {
        throw error;
      }
    }
  }
});

class Dropped extends Error {}

/** Two writers met: on a key that both gave, or in a deadlock time and again. Nothing of the transaction is left. */
function isCollision(error: unknown): boolean {
  return error instanceof pg.DatabaseError && ['23505', '40P01'].includes(error.code ?? '');
}
