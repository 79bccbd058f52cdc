import { expect } from 'chai';
import { inTransaction } from '../../../db/timescale/connections/transaction.ts';
import type { Outcome, Scan } from '../../../domain/tracking/scan.ts';
import { recordUnknownTags } from '../../../domain/tracking/unknown-tags.ts';
import { waits } from '../../support/concurrently.ts';
import { useDatabase } from '../../support/database.ts';
import { aRead } from '../../support/recording.ts';
import { Site } from '../../support/site.ts';

const START = Date.UTC(2026, 4, 1, 10) * 1_000;
const second = (count: number) => START + count * 1_000_000;

describe('the number of unknown tags is bounded', () => {
  const database = useDatabase();
  let site: Site;
  let dock: number;
  let readers = 0;

  /** Every test has an organization, and so a list of unknown tags, of its own. */
  beforeEach(async () => {
    site = await Site.create(database);
    dock = await site.reader(`reader-${++readers}`, []);
  });

  const seen = (value: string, at: number, read: { orgId?: number; readerId?: number } = {}): Scan =>
    aRead({ orgId: site.orgId, readerId: dock, value, locationId: null, at: second(at), ...read });

  async function values(of = site): Promise<string[]> {
    const rows = await database.rows<{ value: string }>(
      'select value from unknown_tags where org_id = $1 order by value',
      [of.orgId],
    );
    return rows.map(({ value }) => value);
  }

  const unknownAt = (observedAt: number): Outcome => ({
    status: 'unknown',
    observedAt,
    locationId: null,
    tagLocationId: null,
  });

  /** Records reads as unknown with a small bound; a transaction that had to be run again is an error. */
  async function see(kept: number, ...scans: Scan[]) {
    const outcomes = scans.map(({ receivedAt }) => unknownAt(receivedAt));
    await inTransaction(database.pool, async (client, attempt) => {
      expect(attempt).to.equal(1);
      await recordUnknownTags(client, scans, outcomes, kept);
    });
  }

  it('with the one longest not seen going first', async () => {
    await see(3, seen('t1', 1), seen('t2', 2), seen('t3', 3));
    expect(await values()).to.deep.equal(['t1', 't2', 't3']);
    await see(3, seen('t4', 4));
    expect(await values()).to.deep.equal(['t2', 't3', 't4']);
    await see(3, seen('t2', 5));
    await see(3, seen('t5', 6));
    expect(await values()).to.deep.equal(['t2', 't4', 't5']);
  });

  it('within one batch too, in whatever order', async () => {
    await see(2, seen('t3', 3), seen('t5', 5), seen('t1', 1), seen('t4', 4), seen('t2', 2));
    expect(await values()).to.deep.equal(['t4', 't5']);
  });

  it('in each organization for itself', async () => {
    const other = await Site.create(database, 'Globex');
    const theirs = await other.reader(`reader-${++readers}`, []);
    const inTheirs = { orgId: other.orgId, readerId: theirs };
    await see(2, seen('t3', 1, inTheirs), seen('t4', 2, inTheirs));
    await see(2, seen('t3', 3), seen('t4', 4), seen('t5', 5));
    expect(await values()).to.deep.equal(['t4', 't5']);
    expect(await values(other)).to.deep.equal(['t3', 't4']);
    await see(2, seen('t6', 6), seen('t7', 7, inTheirs));
    expect(await values()).to.deep.equal(['t5', 't6']);
    expect(await values(other)).to.deep.equal(['t4', 't7']);
  });

  it('by recorders at once, none of which waits for what another takes out', async () => {
    await see(2, seen('t1', 1), seen('t2', 2));
    await inTransaction(database.pool, async (client) => {
      await recordUnknownTags(client, [seen('t3', 3)], [unknownAt(second(3))], 2);
      const other = see(2, seen('t4', 4));
      expect(await waits(database, other)).to.equal(false);
      await other;
    });
    await see(2, seen('t5', 5));
    expect(await values()).to.deep.equal(['t4', 't5']);
  });

  it('by recorders at once that see the same tags in opposite orders', async () => {
    const all = Array.from({ length: 30 }, (_, index) => seen(`t${10 + index}`, index));
    const batches = Array.from({ length: 12 }, (_, index) => {
      const part = all.slice(index % 5, 20 + (index % 10));
      return index % 2 === 0 ? part : part.toReversed();
    });
    await Promise.all(batches.map((batch) => see(8, ...batch)));
    await see(8, ...all);
    expect(await values()).to.deep.equal(['t32', 't33', 't34', 't35', 't36', 't37', 't38', 't39']);
  });
});
