import { integers, timestamps } from '../../db/timescale/queries/array-parameters.ts';
import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import type { ReadMessage } from './message.ts';

/**
 * Proves that a transaction committed these messages, all of them, on a server that has its rows and does not know what
 * became of it: since a failover another transaction may have its id. The latest message that is counted of one of their
 * readers is one of these, and was counted by a transaction with that id.
 *
 * @returns false also if all of their readers have sent more since.
 */
export async function hasCounted(
  db: Connection,
  xid: string,
  messages: readonly ReadMessage[],
): Promise<boolean> {
  const ofReaders = messages.flatMap(({ reader, receivedAt }) =>
    reader === null ? [] : [{ orgId: reader.orgId, readerId: reader.readerId, receivedAt }],
  );
  const latest = [...Map.groupBy(ofReaders, ({ readerId }) => readerId).values()].flatMap((ofReader) =>
    ofReader.toSorted((a, b) => b.receivedAt - a.receivedAt).slice(0, 1),
  );
  const { is_counted: isCounted } = await db.one(sql.type(rowsOf<{ is_counted: boolean }>())`
    select exists (
      select from unnest(
        ${sql.binary(integers(latest.map(({ orgId }) => orgId)))}::integer[],
        ${sql.binary(integers(latest.map(({ readerId }) => readerId)))}::integer[],
        ${sql.binary(timestamps(latest.map(({ receivedAt }) => receivedAt)))}::timestamptz[])
        as sent (org_id, reader_id, last_message_at)
      join reader_counters stored using (org_id, reader_id, last_message_at)
      where stored.xmin = ${xid}::xid8::xid
    ) as is_counted`);
  return isCounted;
}
