import { expect } from 'chai';
import { TooMuchWork } from '../../../base/errors.ts';
import type { Micros } from '../../../base/instant.ts';
import { databaseOn } from '../../../db/timescale/connections/database.ts';
import { inTransaction } from '../../../db/timescale/connections/transaction.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { loadDatedTree } from '../../../domain/presence/dated-tree.ts';
import { joined } from '../../../domain/presence/intervals.ts';
import { useDatabase } from '../../support/database.ts';
import { Random } from '../../support/random.ts';
import { randomSets } from '../../support/random-sets.ts';
import { Site } from '../../support/site.ts';

const START = Date.UTC(2026, 4, 1, 10) * 1_000;
const MINUTE = 60_000_000;
const DEPTH = 15_000;

interface Version {
  locationId: number;
  at: Micros;
  parentId: number | null;
}

describe('the tree of locations as it was at each instant', () => {
  const database = useDatabase();

  const locations = async (orgId: number, count: number) =>
    (
      await database.rows<{ id: number }>(
        `insert into locations (org_id, external_key, name)
         select $1, 'L-' || n, 'Any' from generate_series(1, $2::integer) n order by n returning id`,
        [orgId, count],
      )
    ).map(({ id }) => id);
  const store = async (orgId: number, versions: readonly Version[]) => {
    await database.rows('delete from location_versions where org_id = $1', [orgId]);
    await database.rows(
      `insert into location_versions (org_id, location_id, since, external_key, name, parent_id, is_deleted)
       select $1, id, time_of_micros(at), 'ANY', 'Any', parent_id, false
       from unnest($2::integer[], $3::bigint[], $4::integer[]) as given (id, at, parent_id)`,
      [
        orgId,
        versions.map(({ locationId }) => locationId),
        versions.map(({ at }) => at),
        versions.map(({ parentId }) => parentId),
      ],
    );
  };
  /** A chain whose last location is the deepest; none was ever moved. */
  const chain = async () => {
    const { orgId } = await Site.create(database);
    const ids = await locations(orgId, DEPTH);
    const links = ids.map((locationId, index) => ({
      locationId,
      at: START,
      parentId: ids[index - 1] ?? null,
    }));
    return { orgId, ids, links };
  };

  it('is the one that all pairs of versions give (up to 300 random trees)', async () => {
    const { orgId } = await Site.create(database);
    const ids = await locations(orgId, 7);
    for (let index = 0; index < randomSets(300); index++) {
      const random = new Random(7, index);
      // A circle is nothing that services write, and must not hold anybody up all the same.
      const hasCircles = random.once(10);
      const versions = ids.flatMap((locationId, place) =>
        [...new Set(Array.from({ length: 1 + random.below(4) }, () => random.below(12)))].map((minute) => ({
          ...{ locationId, at: START + minute * MINUTE },
          parentId: random.once(4) ? null : (ids[random.below(hasCircles ? ids.length : place)] ?? null),
        })),
      );
      await store(orgId, versions);
      const asked = ids.filter(() => !random.once(3));
      const roots = ids.filter(() => random.once(2));
      const tree = await loadDatedTree(databaseOn(database.pool), orgId, asked);
      const found = await tree.below(asked, roots);
      const expected = await byAllPairs(orgId, asked, roots);
      expect(sorted(found), `tree ${index}`).to.deep.equal(sorted(expected));
    }
  }).timeout(120_000);

  /** By a recursion over all versions of the organization. */
  const byAllPairs = async (orgId: number, locationIds: readonly number[], rootIds: readonly number[]) => {
    const rows = await databaseOn(database.pool).any(sql.type(
      rowsOf<{ location_id: number; root_id: number; since: Micros | null; until: Micros | null }>(),
    )`
      with recursive parent as materialized (
        select location_id, parent_id, tstzrange(
            case when lag(since) over versions is null then null else since end, lead(since) over versions) as during
        from location_versions where org_id = ${orgId}
        window versions as (partition by location_id order by since)
      ), above as (
        select id as location_id, id as root_id, tstzrange(null, null) as during
        from unnest(${sql.array(locationIds, 'int4')}) as given (id)
        union
        select above.location_id, parent.parent_id, above.during * parent.during
        from above join parent on parent.location_id = above.root_id and parent.parent_id is not null
          and parent.during && above.during
      )
      select location_id, root_id, micros_of_time(lower(during)) as since, micros_of_time(upper(during)) as until
      from above where root_id = any (${sql.array(rootIds, 'int4')})`);
    return [...Map.groupBy(rows, (row) => `${row.location_id} ${row.root_id}`).values()].map((own) => ({
      locationId: own[0]?.location_id ?? 0,
      rootId: own[0]?.root_id ?? 0,
      during: joined(
        own.map(({ since, until }) => ({
          since: since ?? Number.NEGATIVE_INFINITY,
          until: until ?? Number.POSITIVE_INFINITY,
        })),
      ),
    }));
  };

  it(`reads each of a chain of ${DEPTH} locations twice, and no other location`, async () => {
    const { orgId, ids, links } = await chain();
    const other = await database.rows<{ id: number }>(
      `insert into locations (org_id, external_key, name)
       select $1, 'OTHER-' || n, 'Any' from generate_series(1, 1_000) n returning id`,
      [orgId],
    );
    const others = other.map(({ id: locationId }) => ({ locationId, at: START, parentId: null }));
    await store(orgId, [...links, ...others]);
    const deepest = ids.slice(-1);
    const read = await inTransaction(database.pool, async (transaction) => {
      const before = await rowsRead(transaction);
      const tree = await loadDatedTree(transaction, orgId, deepest);
      expect(tree.locationIds).to.have.lengthOf(DEPTH);
      expect(await tree.below(deepest, ids.slice(0, 1))).to.deep.equal([
        {
          ...{ locationId: deepest[0], rootId: ids[0] },
          during: [{ since: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY }],
        },
      ]);
      return (await rowsRead(transaction)) - before;
    });
    expect(read).to.be.within(DEPTH, 2 * DEPTH);
  });

  it('tells at once of all locations of a chain which are below its first', async () => {
    const { orgId, ids, links } = await chain();
    await store(orgId, links);
    const tree = await loadDatedTree(databaseOn(database.pool), orgId, ids);
    expect(await tree.below(ids, ids.slice(0, 1))).to.have.lengthOf(DEPTH);
  });

  it('is refused where what was asked has no end: all locations of a chain, below all of them', async () => {
    const { orgId, ids, links } = await chain();
    await store(orgId, links);
    const tree = await loadDatedTree(databaseOn(database.pool), orgId, ids);
    expect(await tree.below(ids, ids).catch((error: unknown) => error)).to.be.instanceOf(TooMuchWork);
  });
});

function sorted<Found extends { locationId: number; rootId: number }>(found: readonly Found[]): Found[] {
  return found.toSorted((a, b) => a.locationId - b.locationId || a.rootId - b.rootId);
}

/** Of the versions, by this session. */
async function rowsRead(transaction: Connection): Promise<number> {
  const { rows } = await transaction.one(sql.type(rowsOf<{ rows: number }>())`
    select coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) as rows
    from pg_stat_xact_user_tables where relname = 'location_versions'`);
  return rows;
}
