import type { Micros } from '../../base/instant.ts';
import type { Client } from '../../db/timescale/connections/client.ts';
import { type RecordOptions, recordScans } from '../tracking/record.ts';
import type { Outcome, Scan } from '../tracking/scan.ts';
import { keepLateProofs, lateProof } from './heard-stretches.ts';
import type { ReadMessage } from './message.ts';
import { addReaderCounts, countItems, type MessageCounts } from './reader-counters.ts';
import { addReaderFlaws, flawsOf } from './reader-flaws.ts';
import { bringsItsOwnTimes, type Reception, rememberMessages } from './received-messages.ts';
import { keepNearMisses, keepRejectedMessages } from './rejected-messages.ts';
import { type ItemResult, type ScanItem, toScans } from './to-scans.ts';

export interface MessageOutcome {
  counts: MessageCounts;
  rejections: string[];
}

export interface Recorded<Result> {
  /** One for each, in order. */
  results: Result[];
  /** As of {@link recordScans}. */
  unsealed: number;
}

export interface ReceivedMessage {
  message: ReadMessage;
  reception: Reception;
}

export interface MessageResult extends ReceivedMessage {
  itemResults: ItemResult[];
  rejections: string[];
}

/**
 * Records messages inside the caller's transaction: scans, rejections with their reasons, and reader counters, all or
 * nothing.
 *
 * @throws AlreadyStored as {@link recordScans} does.
 */
export async function recordMessages(
  client: Client,
  messages: readonly ReadMessage[],
  options: RecordOptions,
): Promise<Recorded<MessageOutcome>> {
  const receptions = await rememberMessages(
    client,
    messages.filter((message) => !bringsItsOwnTimes(message)),
  );
  const received = messages.map((message) => {
    const reception = receptions.get(message) ?? { receivedAt: message.receivedAt, isRedelivery: false };
    return { message, reception };
  });
  const { results, unsealed } = await recordItems(client, received, options);
  await options.pace?.next();
  await keepRejectedMessages(
    client,
    results.filter(({ reception, rejections }) => rejections.length > 0 && !reception.isRedelivery),
  );
  // Unknown tags leave no scan by which a redelivery could be recognized; without this they would be counted again.
  const unknown = results.filter(
    ({ message, itemResults }) => !receptions.has(message) && hasUnknown(itemResults),
  );
  await rememberMessages(
    client,
    unknown.map(({ message }) => message),
  );
  await options.pace?.next();
  const counted = results.map(({ message, reception, itemResults, rejections }) => ({
    reader: message.reader,
    counts: countItems(message, itemResults, heardAt(message, reception)),
    rejections,
  }));
  await options.pace?.next();
  await addReaderCounts(client, counted);
  const flawed = results.flatMap(({ message, reception }) => {
    const { reader } = message;
    const flaws = flawsOf(message, reception);
    return reader === null || flaws === null ? [] : [{ message, reader, flaws }];
  });
  await addReaderFlaws(client, flawed);
  await keepNearMisses(
    client,
    flawed.flatMap(({ message, flaws }) => (flaws.nearMisses > 0 ? [message] : [])),
  );
  await keepLateProofs(
    client,
    results.map(({ message, reception }) =>
      message.isStale ? null : lateProof(message, reception.receivedAt, options.rules.lateness),
    ),
  );
  return { results: counted, unsealed };
}

/**
 * Records the scans of messages and returns the result of every item. Writes nothing else; counting is left to the caller.
 *
 * @throws AlreadyStored as {@link recordScans} does.
 */
export async function recordItems(
  client: Client,
  received: readonly ReceivedMessage[],
  options: RecordOptions,
): Promise<Recorded<MessageResult>> {
  const all = received.map((each) => ({ ...each, items: itemsOf(each.message, each.reception) }));
  const scans: Scan[] = [];
  for (const { items } of all) {
    for (const item of items) {
      if ('scan' in item) {
        scans.push(item.scan);
      }
    }
  }
  await options.pace?.next();
  const isOfSmallMessages = all.every(({ items }) => items.length <= SMALL);
  const { outcomes, unsealed } = await recordScans(client, scans, { ...options, isOfSmallMessages });
  await options.pace?.next();
  let recorded = 0;
  const results = all.map(({ message, reception, items }) => {
    const itemResults = items.map((item) =>
      'scan' in item ? { outcome: outcomeAt(outcomes, recorded++) } : item,
    );
    return { message, reception, itemResults, rejections: rejectionsOf(message, itemResults) };
  });
  return { results, unsealed };
}

/** Items of a message, up to which others may be recorded in one go with it. */
const SMALL = 250;

function itemsOf({ reader, mapped }: ReadMessage, reception: Reception): ScanItem[] {
  return reader === null || mapped.outcome !== 'items' ? [] : toScans(reader, mapped.items, reception);
}

function rejectionsOf({ mapped }: ReadMessage, itemResults: readonly ItemResult[]): string[] {
  if (mapped.outcome === 'rejected') {
    return [mapped.reason];
  }
  const rejections: string[] = [];
  for (const item of itemResults) {
    if ('rejected' in item) {
      rejections.push(item.rejected);
    } else if ('outcome' in item && item.outcome.status === 'rejected') {
      rejections.push(item.outcome.reason);
    }
  }
  return rejections;
}

function hasUnknown(itemResults: readonly ItemResult[]): boolean {
  return itemResults.some(
    (item) => 'outcome' in item && (item.outcome.status === 'unknown' || item.outcome.status === 'ambiguous'),
  );
}

function outcomeAt(outcomes: readonly Outcome[], index: number): Outcome {
  const outcome = outcomes[index];
  if (outcome === undefined) {
    throw new RangeError('fewer outcomes than scans');
  }
  return outcome;
}

/** Null for messages that do not show their reader listening, and for repeats. */
function heardAt({ isStale, receivedAt }: ReadMessage, { isRedelivery }: Reception): Micros | null {
  return isStale || isRedelivery ? null : receivedAt;
}
