import type pg from 'pg';
import { append } from '../../../base/append.ts';
import { Client } from '../connections/client.ts';
import { connectionConfig } from '../connections/connection.ts';
import { untilInterrupted } from './break-off.ts';
import { type MovedTable, ownedBy } from './moved-tables.ts';
import { lsnOf, parseMessage, type ReplicationMessage } from './pgoutput.ts';

/** The name of the publication and of the slot; slots belong to a server, not to a database. */
export function slotOf(orgId: number, databaseOid: number): string {
  return `tagtrail_move_${databaseOid}_${orgId}`;
}

/** The name of the temporary slot; both cells are compared as of the instant of its creation. */
export function comparedSlotOf(slot: string): string {
  return `${slot}_compared`;
}

/** Publishes the organization's rows only. For other organizations it costs a look at each change. */
export async function publish(
  client: pg.ClientBase,
  slot: string,
  tables: readonly MovedTable[],
  orgId: number,
): Promise<void> {
  const rows = tables.flatMap((table) =>
    table.parts.map((part) => `only ${part} where (${ownedBy(table, orgId)})`),
  );
  await client.query(`create publication ${slot} for table ${rows.join(', ')}`);
}

/** Chunks of hypertables with rows of the organization that began after {@link publish}, and so are not published. */
export async function unpublishedParts(
  client: pg.ClientBase,
  slot: string,
  tables: readonly MovedTable[],
  orgId: number,
): Promise<string[]> {
  const { rows } = await client.query<{ part: string }>(
    `select format('%I.%I', schemaname, tablename) as part from pg_publication_tables where pubname = $1`,
    [slot],
  );
  const published = new Set(rows.map(({ part }) => part));
  const unpublished: string[] = [];
  for (const table of tables) {
    for (const part of table.parts.filter((each) => !published.has(each))) {
      const { rowCount } = await client.query(
        `select from only ${part} where ${ownedBy(table, orgId)} limit 1`,
      );
      append(unpublished, rowCount === 0 ? [] : [part]);
    }
  }
  return unpublished;
}

/** A slot that begins where a snapshot ends, which lasts until {@link close}. */
export interface NewSlot {
  lsn: bigint;
  snapshot: string;
  close(): Promise<void>;
}

/**
 * Waits for the transactions that run. From then on the server keeps its log for the slot, until it is dropped.
 *
 * @param isTemporary drops it when it is closed.
 */
export async function createSlot(
  url: string,
  slot: string,
  { signal, isTemporary = false }: { signal: AbortSignal; isTemporary?: boolean },
): Promise<NewSlot> {
  const client = new Client({
    ...connectionConfig(url, 'tagtrail cell move'),
    ...({ replication: 'database' } as object),
  });
  client.on('error', () => {});
  await client.connect();
  try {
    const { rows } = await untilInterrupted(signal, [client], () =>
      client.query<{ consistent_point: string; snapshot_name: string }>(
        `CREATE_REPLICATION_SLOT ${slot} ${isTemporary ? 'TEMPORARY ' : ''}LOGICAL pgoutput EXPORT_SNAPSHOT`,
      ),
    );
    const { consistent_point: lsn = '', snapshot_name: snapshot = '' } = rows[0] ?? {};
    return { lsn: lsnOf(lsn), snapshot, close: () => client.end() };
  } catch (error) {
    await client.end();
    throw error;
  }
}

export async function dropReplication(client: pg.ClientBase, slot: string): Promise<void> {
  await dropSlot(client, comparedSlotOf(slot));
  await dropSlot(client, slot);
  await client.query(`drop publication if exists ${slot}`);
}

/** Also drops what a killed run began; the server may be busy with it until other transactions end. */
export async function dropSlot(client: pg.ClientBase, slot: string): Promise<void> {
  await client.query(
    'select pg_terminate_backend(active_pid, $2) from pg_replication_slots where slot_name = $1 and active_pid is not null',
    [slot, END_PATIENCE],
  );
  await client.query(
    `select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = $1`,
    [slot],
  );
}

/** Milliseconds. */
const END_PATIENCE = 5_000;

export interface Transaction {
  xid: number;
  messages: ReplicationMessage[];
  endLsn: bigint;
}

/** The changes of the next transactions committed up to there; they come again until {@link forget}. */
export async function peek(client: pg.ClientBase, slot: string, upTo: string): Promise<Transaction[]> {
  const { rows } = await client.query<{ data: Buffer }>(
    `select data from pg_logical_slot_peek_binary_changes($1, $2::pg_lsn, ${CHANGES_AT_ONCE},
       'proto_version', '1', 'publication_names', $3)`,
    [slot, upTo, slot],
  );
  const transactions: Transaction[] = [];
  let messages: ReplicationMessage[] = [];
  let xid = 0;
  for (const { data } of rows) {
    const message = parseMessage(data);
    messages.push(message);
    if (message.kind === 'begin') {
      xid = message.xid;
    } else if (message.kind === 'commit') {
      transactions.push({ xid, messages, endLsn: message.endLsn });
      messages = [];
    }
  }
  return transactions;
}

const CHANGES_AT_ONCE = 5_000;

/** Lets the server drop its log up to there. */
export async function forget(client: pg.ClientBase, slot: string, lsn: string): Promise<void> {
  await client.query(
    `select pg_replication_slot_advance(slot_name, $2::pg_lsn) from pg_replication_slots
     where slot_name = $1 and confirmed_flush_lsn < $2::pg_lsn`,
    [slot, lsn],
  );
}
