import { append } from '../../base/append.ts';
import { MICROS_PER_DAY, type Micros } from '../../base/instant.ts';
import type { Client } from '../../db/timescale/connections/client.ts';
import { findByIndexes } from '../../db/timescale/connections/transaction.ts';
import { bigints, byteas, integers } from '../../db/timescale/queries/array-parameters.ts';
import { NO_ROWS, rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import { isDeviceTimeUsed } from '../tracking/observed-at.ts';
import type { ReadMessage } from './message.ts';

export interface Reception {
  receivedAt: Micros;
  isRedelivery: boolean;
}

export const REMEMBERED: Micros = MICROS_PER_DAY;

/**
 * True if a repetition of the message would yield exactly the same scans and nothing else, so that it need
 * not be remembered: no DUP flag, nothing rejected, and a usable device time for every read.
 */
export function bringsItsOwnTimes({ isDup, mapped, receivedAt }: ReadMessage): boolean {
  return (
    !isDup &&
    mapped.outcome !== 'rejected' &&
    (mapped.outcome === 'ignored' ||
      mapped.items.every(
        (item) =>
          item.outcome === 'ignored' ||
          (item.outcome === 'read' && isDeviceTimeUsed({ deviceTime: item.read.deviceTime, receivedAt })),
      ))
  );
}

/**
 * Remembers messages and detects redeliveries: messages with the DUP flag whose topic and payload arrived within the
 * last 24 hours from the same sender under the same packet identifier, which a resend keeps (MQTT 3.1.1 section 4.4,
 * [MQTT-4.4.0-1]; docs/tracking.md rule 3). A redelivery keeps its first time of reception, so that reads without a time of
 * their own stay the same reads. The same words without the flag, or under another identifier, are a new message: if "A
 * saw X, B saw X, A saw X" is killed before the last commit, the resent message has the flag and does not repeat the
 * first. Messages without an organization are not remembered.
 *
 * The first copy may come after its redelivery: a process that lost its session to another may still hold it. So what
 * was received before a redelivery of which no first copy was known is that message, too.
 *
 * Waits if another process is recording the same message right now. A message whose very time of reception is stored
 * was committed unanswered: a redelivery, too.
 */
export async function rememberMessages(
  client: Client,
  messages: readonly ReadMessage[],
): Promise<ReadonlyMap<ReadMessage, Reception>> {
  const receipts = messages.flatMap((message) => {
    const { reader, digest, isDup, receivedAt } = message;
    return reader === null ? [] : [{ orgId: reader.orgId, digest, isDup, receivedAt, message }];
  });
  const byDigest = Map.groupBy(receipts, keyOf);
  const firsts = [...byDigest.values()].flatMap(([first]) => (first === undefined ? [] : [first]));
  const remembered = await insertOrFind(client, firsts);
  const receptions = new Map<ReadMessage, Reception>();
  const moved: Receipt[] = [];
  for (const [key, copies] of byDigest) {
    const stored = remembered.get(key) ?? copies[0];
    let last = remembered.get(key) ?? null;
    for (const { message, isDup, receivedAt } of copies) {
      const same = last !== null && isSameMessage(last, { isDup, receivedAt }) ? last : null;
      last = same ?? { receivedAt, isDup };
      receptions.set(message, { receivedAt: last.receivedAt, isRedelivery: same !== null });
    }
    if (last !== null && (last.receivedAt !== stored?.receivedAt || last.isDup !== stored.isDup)) {
      append(
        moved,
        copies.slice(0, 1).map((copy) => ({ ...copy, ...last })),
      );
    }
  }
  await moveReceptions(client, moved);
  return receptions;
}

/** The remembered reception of a message: the first one; `isDup` says whether it had the DUP flag. */
interface FirstReception {
  receivedAt: Micros;
  isDup: boolean;
}

function isSameMessage(known: FirstReception, { receivedAt, isDup }: FirstReception): boolean {
  if (known.receivedAt === receivedAt) {
    return true;
  }
  return isDup
    ? known.receivedAt >= receivedAt - REMEMBERED
    : known.isDup && receivedAt < known.receivedAt && receivedAt >= known.receivedAt - REMEMBERED;
}

interface Receipt extends FirstReception {
  orgId: number;
  digest: Buffer;
}

interface RememberedRow {
  org_id: number;
  digest: Buffer;
}

const keyOfRow = ({ org_id, digest }: RememberedRow) => keyOf({ orgId: org_id, digest });
const keyOf = ({ orgId, digest }: { orgId: number; digest: Buffer }) => `${orgId} ${digest.toString('hex')}`;

/** First receptions by key; unknown messages are remembered now. */
async function insertOrFind(
  client: Client,
  receipts: readonly Receipt[],
): Promise<ReadonlyMap<string, FirstReception>> {
  if (receipts.length === 0) {
    return new Map();
  }
  const [, inserted] = await Promise.all([
    findByIndexes(client),
    client.any(sql.prepared('remember-messages', rowsOf<RememberedRow>())`
      insert into received_messages (org_id, digest, received_at, is_redelivery)
      select org_id, digest, time_of_micros(received_at), is_redelivery
      from unnest(${orgIds(receipts)}::integer[], ${digests(receipts)}::bytea[], ${times(receipts)}::bigint[],
        ${flags(receipts)}::integer[]::boolean[]) as receipt (org_id, digest, received_at, is_redelivery)
      order by org_id, digest
      on conflict do nothing
      returning org_id, digest`),
  ]);
  const isNew = new Set(inserted.map(keyOfRow));
  const known = receipts.filter((receipt) => !isNew.has(keyOf(receipt)));
  if (known.length === 0) {
    return new Map();
  }
  const rows = await client.any(sql.prepared(
    'find-messages',
    rowsOf<RememberedRow & { received_at: Micros; is_redelivery: boolean }>(),
  )`
    select stored.org_id, stored.digest, micros_of_time(stored.received_at) as received_at, stored.is_redelivery
    from (
      select org_id, digest from unnest(${orgIds(known)}::integer[], ${digests(known)}::bytea[]) as given (org_id, digest)
      order by org_id, digest
    ) receipt
    cross join lateral (
      select * from received_messages
      where org_id = receipt.org_id and digest = receipt.digest
      for update
    ) stored`);
  return new Map(
    rows.map((row) => [keyOfRow(row), { receivedAt: row.received_at, isDup: row.is_redelivery }]),
  );
}

async function moveReceptions(client: Client, receipts: readonly Receipt[]): Promise<void> {
  if (receipts.length > 0) {
    await client.exec(sql.prepared('move-receptions', NO_ROWS)`
      insert into received_messages (org_id, digest, received_at, is_redelivery)
      select org_id, digest, time_of_micros(received_at), is_redelivery
      from unnest(${orgIds(receipts)}::integer[], ${digests(receipts)}::bytea[], ${times(receipts)}::bigint[],
        ${flags(receipts)}::integer[]::boolean[]) as receipt (org_id, digest, received_at, is_redelivery)
      on conflict (org_id, digest) do update
        set received_at = excluded.received_at, is_redelivery = excluded.is_redelivery`);
  }
}

type Key = Pick<Receipt, 'orgId' | 'digest'>;

const orgIds = (of: readonly Key[]) => sql.binary(integers(of.map(({ orgId }) => orgId)));
const digests = (of: readonly Key[]) => sql.binary(byteas(of.map(({ digest }) => digest)));
const times = (of: readonly Receipt[]) => sql.binary(bigints(of.map(({ receivedAt }) => receivedAt)));
const flags = (of: readonly Receipt[]) => sql.binary(integers(of.map(({ isDup }) => Number(isDup))));
