import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { DecidingScan } from '../history/deciding-scan.ts';
import { locationKeys } from '../location/try-on-assets.ts';
import type { Explanation } from './explain.ts';

/** The names of the things in an explanation, by id, including deleted ones. */
export interface Names {
  /** External keys. */
  locations: ReadonlyMap<number, string>;
  readers: ReadonlyMap<number, string>;
  handhelds: ReadonlyMap<number, string>;
  /** Antennas whose number is no port, by reader and number. */
  antennas: ReadonlyMap<string, string>;
}

/** The locations that an explanation names. */
export function locationsIn({ stay, evidence, latest, rivals, around, saidBefore }: Explanation): number[] {
  const ids = [
    stay?.locationId,
    stay?.position?.planLocationId,
    ...(rivals ?? []).map(({ scan }) => scan.locationId),
    ...(around ?? []).map(({ locationId }) => locationId),
    ...saidBefore.map(({ locationId }) => locationId),
    latest?.locationId,
    ...[evidence, latest?.evidence].flatMap((each) => [
      each?.locationId,
      each?.position?.planLocationId,
      ...(each?.heard ?? []).map(({ locationId }) => locationId),
      ...(each?.antennas ?? []).map(({ locationId }) => locationId),
      ...(each?.shares ?? []).map(({ locationId }) => locationId),
    ]),
  ];
  return [...new Set(ids.filter((id) => id !== null && id !== undefined))];
}

export async function namesIn(db: Connection, orgId: number, explanation: Explanation): Promise<Names> {
  const { decidedBy, evidence, latest, rivals } = explanation;
  const scans = [decidedBy, ...(rivals ?? []).map(({ scan }) => scan.scan)];
  const heard = [evidence, latest?.evidence].flatMap((each) => [
    ...(each?.heard ?? []),
    ...(each?.antennas ?? []),
  ]);
  const readerIds = [...scans.flatMap(readerOf), ...heard.map(({ readerId }) => readerId)];
  return {
    locations: await locationKeys(db, orgId, locationsIn(explanation)),
    readers: await readNames(db, 'readers', orgId, [...new Set(readerIds)]),
    handhelds: await readNames(db, 'handhelds', orgId, scans.flatMap(handheldOf)),
    antennas: await readAntennas(db, orgId, [...new Set(readerIds)]),
  };
}

/** The port of an antenna; without one, its name. */
export function antennaShown(
  { antennas }: Pick<Names, 'antennas'>,
  readerId: number,
  antenna: number,
): number | string {
  return antenna > 0 ? antenna : (antennas.get(`${readerId}/${antenna}`) ?? antenna);
}

/** For antennas whose number is not a port. */
async function readAntennas(
  db: Connection,
  orgId: number,
  readerIds: readonly number[],
): Promise<Names['antennas']> {
  const rows = await db.any(sql.type(rowsOf<{ reader_id: number; port: number; shown: string }>())`
    select reader_id, port, coalesce(name, device_port::text) as shown from antennas
    where org_id = ${orgId} and reader_id = any (${sql.array(readerIds, 'int4')}) and port < 0`);
  return new Map(rows.map(({ reader_id: readerId, port, shown }) => [`${readerId}/${port}`, shown]));
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
