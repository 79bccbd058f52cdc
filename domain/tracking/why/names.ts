import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { DecidingScan } from '../history/deciding-scan.ts';
import { locationKeys } from '../location/try-on-assets.ts';
import type { Explanation } from './explain.ts';

/** What people call the things in an explanation, by id; deleted ones too. */
export interface Names {
  /** External keys. */
  locations: ReadonlyMap<number, string>;
  readers: ReadonlyMap<number, string>;
  handhelds: ReadonlyMap<number, string>;
}

export async function namesIn(db: Connection, orgId: number, explanation: Explanation): Promise<Names> {
  const { stay, decidedBy, rivals, saidBefore } = explanation;
  const scans = [decidedBy, ...(rivals ?? []).map(({ scan }) => scan.scan ?? null)];
  const locationIds = [
    stay.locationId,
    ...(rivals ?? []).map(({ scan }) => scan.locationId),
    ...saidBefore.flatMap(({ locationId }) => locationId ?? []),
  ];
  return {
    locations: await locationKeys(db, orgId, locationIds),
    readers: await readNames(db, 'readers', orgId, scans.flatMap(readerOf)),
    handhelds: await readNames(db, 'handhelds', orgId, scans.flatMap(handheldOf)),
  };
}

function readerOf(scan: DecidingScan | null): number[] {
  return scan?.source.kind === 'reader' ? [scan.source.readerId] : [];
}

function handheldOf(scan: DecidingScan | null): number[] {
  return scan?.source.kind === 'handheld' ? [scan.source.handheldId] : [];
}

async function readNames(
  db: Connection,
  table: 'readers' | 'handhelds',
  orgId: number,
  ids: readonly number[],
): Promise<Map<number, string>> {
  const rows = await db.any(sql.type(rowsOf<{ id: number; name: string }>())`
    select id, name from ${sql.identifier([table])} where org_id = ${orgId} and id = any (${sql.array(ids, 'int4')})`);
  return new Map(rows.map(({ id, name }) => [id, name]));
}
