import { NO_ROWS, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';

/** Somebody listens to an antenna, or to all of a reader's (0). */
export interface Listened {
  orgId: number;
  readerId: number;
  antenna: number;
}

/** Channel on which listeners announce themselves, repeatedly: see {@link LISTENED_MS}. */
export const LISTEN_WANTED = 'listen_wanted';

/** Milliseconds for which ingestion listens after it was last asked. */
export const LISTENED_MS = 30_000;

/** Ingestion does what it is asked only while LISTENing, so nothing is stored and nothing has to be cleared. */
export async function wantReads(db: Connection, listened: Listened): Promise<void> {
  await db.exec(sql.type(NO_ROWS)`
    select set_config('synchronous_commit', 'off', true), pg_notify(${LISTEN_WANTED}::text, ${keyOf(listened)}::text)`);
}

/** Null for invalid text, such as that of another version. */
export function readWanted(text: string): Listened | null {
  const [, org, reader, antenna] = /^(\d{1,10}) (\d{1,10}) (-?\d{1,5})$/.exec(text) ?? [];
  return org === undefined
    ? null
    : { orgId: Number(org), readerId: Number(reader), antenna: Number(antenna) };
}

export function keyOf({ orgId, readerId, antenna }: Listened): string {
  return `${orgId} ${readerId} ${antenna}`;
}
