import { eachInTurns } from '../../base/each-in-turns.ts';
import { AppError, conflict, messageOf } from '../../base/errors.ts';
import type { Micros } from '../../base/instant.ts';
import type { Client, Pool } from '../../db/timescale/connections/client.ts';
import { databaseOn } from '../../db/timescale/connections/database.ts';
import { inTransaction } from '../../db/timescale/connections/transaction.ts';
import { texts } from '../../db/timescale/queries/array-parameters.ts';
import { NO_ROWS, rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { LIVE_READERS } from '../administration/live-readers.ts';
import { createReader } from '../administration/readers/create-reader.ts';
import { loadBuiltinFormats } from '../formats/mapping/builtin.ts';
import { type Mapped, mapMessage } from '../formats/mapping/run.ts';
import { isFaultOfMessage } from '../messages/fault-of-message.ts';
import { loadReaders, type RegisteredReader } from '../messages/load-readers.ts';
import { MessageAsRead } from '../messages/message.ts';
import { recordMessages } from '../messages/record-messages.ts';
import { reasonOf } from '../messages/rejected-messages.ts';
import { requireHere } from '../messages/require-here.ts';
import type { Pace } from '../tracking/batch.ts';
import { announcingMoves } from '../tracking/feed/unsealed-move.ts';
import { isDeviceTimeUsed, observedAt, type TimeRules } from '../tracking/observed-at.ts';
import { AlreadyStored } from '../tracking/record.ts';

/** The built-in format of events, and of the readers that they come from. */
const EPCIS = 'epcis';

/** Finished captures kept of an organization. */
const MOST_KEPT = 10_000;

export interface CaptureRef {
  orgId: number;
  id: string;
}

export interface CaptureOptions {
  rules: TimeRules;
  clock(): Micros;
  pace: Pace;
  onMoves(): void;
}

interface StoredEvent {
  event_id: string;
  hash: string;
  fault: string | null;
  event: string;
}

interface Capture extends CaptureRef {
  apiKeyId: string;
  proceeds: boolean;
  receivedAt: Micros;
  events: readonly StoredEvent[];
}

/** An event whose reads are to be recorded, or why they are not. */
interface Judged {
  index: number;
  stored: StoredEvent;
  message: MessageAsRead | null;
  fault: string | null;
}

/** The oldest of each live organization that is not finished. */
export async function listWaiting(db: Connection): Promise<readonly CaptureRef[]> {
  const rows = await db.any(sql.prepared('list-waiting-captures', rowsOf<{ org_id: number; id: string }>())`
    select capture.org_id, min(capture.id) as id
    from epcis_captures capture
    join organizations organization on organization.id = capture.org_id and organization.deleted_at is null
    where capture.finished_at is null group by capture.org_id`);
  return rows.map(({ org_id: orgId, id }) => ({ orgId, id }));
}

/**
 * Records the events of a capture as messages of the organization's reader of format `epcis`, and its outcome, in one
 * transaction: whatever breaks it off, it is done again, and once. If an event is refused and the capture does not proceed,
 * nothing but that is kept.
 *
 * @throws what is no fault of the capture's; then it waits.
 */
export async function recordCapture(db: Pool, ref: CaptureRef, options: CaptureOptions): Promise<void> {
  const capture = await loadCapture(db, ref);
  if (capture === null) {
    return;
  }
  try {
    const reader = await readerOf(db, capture);
    const places = capture.events.entries();
    const judged = await eachInTurns(places, ([index, stored]) =>
      judge(reader, capture, { index, stored }, options),
    );
    await announcingMoves(options.onMoves, (note) =>
      inTransaction(
        db,
        async (client, attempt) => note(await recordJudged(client, capture, judged, options, attempt > 1)),
        (error) => error instanceof AlreadyStored,
      ),
    );
  } catch (error) {
    if (!(error instanceof EventsRefused) && !isFaultOfMessage(error)) {
      throw error;
    }
    const errors =
      error instanceof EventsRefused
        ? error.errors
        : [problemOf(null, null, `the capture cannot be recorded: ${messageOf(error)}`)];
    await inTransaction(db, (client) => finish(client, ref, errors, null));
  }
}

async function loadCapture(db: Pool, { orgId, id }: CaptureRef): Promise<Capture | null> {
  const head = await db.maybeOne(sql.type(
    rowsOf<{ api_key_id: string; proceeds: boolean; received_at: Micros }>(),
  )`
    select api_key_id, proceeds, micros_of_time(created_at) as received_at
    from epcis_captures where org_id = ${orgId} and id = ${id} and finished_at is null`);
  if (head === null) {
    return null;
  }
  const events = await db.any(sql.type(rowsOf<StoredEvent>())`
    select event.* from epcis_captures,
      unnest(event_ids, hashes, faults, events) with ordinality as event (event_id, hash, fault, event, ordinal)
    where org_id = ${orgId} and id = ${id} and finished_at is null
    order by event.ordinal`);
  const { api_key_id: apiKeyId, proceeds, received_at: receivedAt } = head;
  return { orgId, id, apiKeyId, proceeds, receivedAt, events };
}

/** The oldest live one of the format; made if there is none. */
async function readerOf(db: Pool, { orgId, id, apiKeyId }: Capture): Promise<RegisteredReader> {
  const formats = loadBuiltinFormats();
  const { reader_id: known } = await db.one(sql.type(rowsOf<{ reader_id: number | null }>())`
    select min(reader.id) as reader_id from ${LIVE_READERS} where reader.org_id = ${orgId} and reader.format = ${EPCIS}`);
  const readerId =
    known ??
    (
      await createReader(databaseOn(db), { type: 'key', id: apiKeyId, requestId: id }, formats, {
        ...{ orgId, name: 'EPCIS', topic: `org-${orgId}/epcis`, format: EPCIS, policies: {} },
      }).catch(rethrowTaken)
    ).id;
  const [reader] = await loadReaders(db, formats, { readerIds: [readerId] });
  if (reader === undefined) {
    throw new Error('the reader of captures was deleted just now');
  }
  return reader;
}

/** The error names the other reader, which may be another organization's. */
function rethrowTaken(error: unknown): never {
  throw error instanceof AppError && error.code === 'conflict'
    ? conflict(
        'the reader that captures come from cannot be made, as its name or topic is taken; register one with format epcis',
      )
    : error;
}

function judge(
  reader: RegisteredReader,
  { receivedAt, apiKeyId }: Capture,
  { index, stored }: Pick<Judged, 'index' | 'stored'>,
  { clock, rules }: CaptureOptions,
): Judged {
  const { fault, event, event_id: packetId } = stored;
  const { topic, policies } = reader;
  const payload = Buffer.from(event);
  const format = loadBuiltinFormats().get(EPCIS);
  if (fault !== null || format === undefined) {
    return { index, stored, message: null, fault };
  }
  const mapped = mapMessage(format, { topic, payload }, policies);
  // A reader that was made a moment ago may get events of last week: none of its times is that of an unset clock.
  const unusable = faultOf(mapped, receivedAt, { now: clock(), rules, isTimed: policies.time !== 'receive' });
  const incoming = { topic, payload, packetId, sender: `capture ${apiKeyId}`, isDup: true, isStale: true };
  return unusable === null
    ? { index, stored, message: new MessageAsRead(incoming, { reader, receivedAt, mapped }), fault }
    : { index, stored, message: null, fault: unusable };
}

function faultOf(
  mapped: Mapped,
  receivedAt: Micros,
  { now, rules, isTimed }: { now: Micros; rules: TimeRules; isTimed: boolean },
): string | null {
  for (const item of mapped.outcome === 'items' ? mapped.items : [mapped]) {
    if (item.outcome === 'rejected') {
      return item.reason;
    }
    if (item.outcome === 'read') {
      const scan = { deviceTime: item.read.deviceTime, receivedAt };
      const at = observedAt(scan, now, rules);
      if (isTimed && !isDeviceTimeUsed(scan)) {
        return 'eventTime lies in the future, or before 2015';
      }
      if (!at.ok) {
        return at.reason;
      }
    }
  }
  return null;
}

/** @throws EventsRefused; AlreadyStored. */
async function recordJudged(
  client: Client,
  capture: Capture,
  judged: readonly Judged[],
  { rules, clock, pace }: CaptureOptions,
  isCareful: boolean,
): Promise<{ unsealed: number }> {
  const { fresh, faults } = await withoutKnown(client, capture, judged);
  const refuse = () => {
    if (faults.size > 0 && !capture.proceeds) {
      throw new EventsRefused(errorsOf(judged, faults));
    }
  };
  refuse();
  const messages = fresh.flatMap(({ message }) => message ?? []);
  await requireHere(client, messages);
  const { results, unsealed } = await recordMessages(client, messages, {
    rules,
    now: clock(),
    isCareful,
    pace,
  });
  const reads = { recorded: 0, duplicates: 0, unknown: 0, unplaced: 0 };
  const known: StoredEvent[] = [];
  for (const [place, { index, stored }] of fresh.entries()) {
    const { counts, rejections } = results[place] ?? { counts: null, rejections: [] };
    if (rejections.length > 0) {
      faults.set(index, reasonOf(rejections));
    }
    for (const name of Object.keys(reads) as (keyof typeof reads)[]) {
      reads[name] += counts?.[name] ?? 0;
    }
    if (counts !== null && rejections.length + counts.unknown + counts.unplaced === 0) {
      known.push(stored);
    }
  }
  refuse();
  await remember(client, capture, known);
  await finish(client, capture, errorsOf(judged, faults), reads);
  return { unsealed };
}

/** Leaves out events that are refused, and those of which everything is stored, from another capture or this one. */
async function withoutKnown(
  client: Client,
  { orgId }: Capture,
  judged: readonly Judged[],
): Promise<{ fresh: Judged[]; faults: Map<number, string> }> {
  const ids = judged.map(({ stored }) => stored.event_id);
  const rows = await client.any(sql.type(rowsOf<{ id: string; hash: string }>())`
    select id, hash from epcis_events where org_id = ${orgId} and id = any(${sql.binary(texts(ids))}::text[])`);
  const known = new Map(rows.map(({ id, hash }) => [id, hash]));
  const faults = new Map<number, string>();
  const fresh = judged.filter(({ index, stored, fault }) => {
    const hash = known.get(stored.event_id);
    const isOther = hash !== undefined && hash !== stored.hash;
    if (fault !== null || isOther) {
      faults.set(index, fault ?? ALREADY_CAPTURED);
    } else {
      known.set(stored.event_id, stored.hash);
    }
    return fault === null && hash === undefined;
  });
  return { fresh, faults };
}

const ALREADY_CAPTURED = 'another event with this eventID is captured already';

async function remember(
  client: Client,
  { orgId }: CaptureRef,
  events: readonly StoredEvent[],
): Promise<void> {
  await client.exec(sql.type(NO_ROWS)`
    insert into epcis_events (org_id, id, hash)
    select ${orgId}, id, hash from unnest(
      ${sql.binary(texts(events.map(({ event_id: id }) => id)))}::text[],
      ${sql.binary(texts(events.map(({ hash }) => hash)))}::text[]) as event (id, hash)
    on conflict do nothing`);
}

/** As the standard has them (RFC 7807). */
interface EventProblem {
  type: string;
  title: string;
  status: number;
  detail: string;
  instance?: string;
}

class EventsRefused extends Error {
  readonly errors: readonly EventProblem[];

  constructor(errors: readonly EventProblem[]) {
    super('events of a capture were refused');
    this.errors = errors;
  }
}

function errorsOf(judged: readonly Judged[], faults: ReadonlyMap<number, string>): EventProblem[] {
  return judged.flatMap(({ index, stored }) => {
    const fault = faults.get(index);
    return fault === undefined ? [] : [problemOf(index, stored.event_id, fault)];
  });
}

function problemOf(index: number | null, eventId: string | null, reason: string): EventProblem {
  const [exception, status] =
    reason === ALREADY_CAPTURED ? ['ResourceAlreadyExists', 409] : ['Validation', 400];
  return {
    ...{ type: `epcisException:${exception}Exception`, title: 'Event refused', status },
    detail: index === null ? reason : `eventList[${index}]: ${reason}`,
    ...(eventId === null ? {} : { instance: eventId }),
  };
}

async function finish(
  client: Client,
  { orgId, id }: CaptureRef,
  errors: readonly EventProblem[],
  reads: object | null,
): Promise<void> {
  await client.exec(sql.type(NO_ROWS)`
    update epcis_captures set finished_at = now(), errors = ${JSON.stringify(errors)}::json,
      reads = ${reads === null ? null : JSON.stringify(reads)}::json,
      event_ids = null, hashes = null, faults = null, events = null
    where org_id = ${orgId} and id = ${id} and finished_at is null`);
  await client.exec(sql.type(NO_ROWS)`
    delete from epcis_captures where org_id = ${orgId} and finished_at is not null and id <= (
      select id from epcis_captures where org_id = ${orgId} and finished_at is not null
      order by id desc offset ${MOST_KEPT} limit 1)`);
}
