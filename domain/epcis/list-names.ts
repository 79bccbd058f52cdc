import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import { bareTerm } from './event.ts';
import { type Base, type Organization, readNames } from './read-names.ts';

interface Page {
  /** The id up to which was read before. */
  after: number;
  limit: number;
}

interface NamesPage {
  names: string[];
  /** Null at the end. */
  next: number | null;
}

/** What live assets are called now, in order of their ids. */
export async function listAssetNames(db: Organization, base: Base, page: Page): Promise<NamesPage> {
  const { ids, next, at } = await readIds(db, 'assets', page);
  const arrivals = ids.map((assetId) => ({ assetId, locationId: 0, at }));
  const namesOf = await readNames(db, db.orgId, base, arrivals);
  return { names: arrivals.map((arrival) => namesOf(arrival).epc), next };
}

export async function listLocationNames(db: Organization, base: Base, page: Page): Promise<NamesPage> {
  const { ids, next, at } = await readIds(db, 'locations', page);
  const arrivals = ids.map((locationId) => ({ assetId: 0, locationId, at }));
  const namesOf = await readNames(db, db.orgId, base, arrivals);
  return { names: arrivals.map((arrival) => namesOf(arrival).place), next };
}

async function readIds(db: Organization, table: 'assets' | 'locations', { after, limit }: Page) {
  const rows = await db.any(sql.type(rowsOf<{ id: number; at: number }>())`
    select id, micros_of_time(now()) as at from ${sql.identifier([table])}
    where org_id = ${db.orgId} and id > ${after}::int8 and deleted_at is null
    order by org_id, id limit ${limit + 1}`);
  const ids = rows.slice(0, limit).map(({ id }) => id);
  return { ids, next: rows.length > limit ? (ids.at(-1) ?? null) : null, at: rows[0]?.at ?? 0 };
}

const MOST_TERMS = 1_000;

/** Terms of live locations. */
export async function listTerms(db: Organization, column: 'biz_step' | 'disposition'): Promise<NamesPage> {
  const name = sql.identifier([column]);
  const rows = await db.any(sql.type(rowsOf<{ term: string }>())`
    select distinct ${name} as term from locations
    where org_id = ${db.orgId} and deleted_at is null and ${name} is not null
    order by term limit ${MOST_TERMS}`);
  return { names: rows.map(({ term }) => bareTerm(term)), next: null };
}
