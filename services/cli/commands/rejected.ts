import { isUtf8 } from 'node:buffer';
import { Option } from 'commander';
import { append } from '../../../base/append.ts';
import { createClock } from '../../../base/clock.ts';
import { AppError } from '../../../base/errors.ts';
import { MICROS_PER_DAY } from '../../../base/instant.ts';
import { wireTime, wireTimeOrNull } from '../../../base/timestamps.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { loadFormats } from '../../../domain/administration/formats/load-formats.ts';
import { requireLiveOrganization } from '../../../domain/administration/organizations/live-organization.ts';
import { setDismissed } from '../../../domain/administration/rejected/dismiss.ts';
import {
  findKept,
  idsToReplay,
  type KeptMessage,
  listKept,
} from '../../../domain/administration/rejected/kept-message.ts';
import { loadBuiltinFormats } from '../../../domain/formats/mapping/builtin.ts';
import { wakingSealer } from '../../../domain/moves/wake-sealer.ts';
import { retentionCoversLateness, TIME_SETTINGS } from '../../../platform/runtime/common-settings.ts';
import { withInterruption } from '../../../platform/runtime/interruption.ts';
import { readSettings } from '../../../platform/runtime/settings.ts';
import type { Replay } from '../../mqtt-ingest/entry.ts';
import {
  addCommand,
  type Command,
  examples,
  id,
  printResult,
  wholeNumber,
} from '../command-line/command-line.ts';
import { forTerminal } from '../command-line/for-terminal.ts';
import { listTable } from '../command-line/list-table.ts';
import { withConnections } from '../connections/database.ts';
import { running, showProgress } from '../running/running.ts';

export function addRejected(program: Command): void {
  addRejectedList(program);
  addRejectedShow(program);
  addRejectedReplay(program);
  addRejectedDismiss(program);
}

function addRejectedList(program: Command): void {
  addCommand(program, 'rejected', 'list')
    .description('List the kept messages that could not be recorded, whole or in part.')
    .option(
      '--org <id>',
      'only those of one organization; default: also those on topics without a reader',
      id,
    )
    .option('--dismissed', 'list dismissed ones instead')
    .addHelpText(...examples('rejected list --org 1'))
    .prints(async (options: { org?: number; dismissed?: true }) => {
      const messages = await withConnections(async ({ db }) => {
        if (options.org !== undefined) {
          await requireLiveOrganization(db, options.org);
        }
        return listKept(db, options.org ?? null, { isDismissed: options.dismissed === true });
      });
      const rows = messages.map(rejectedRow);
      return { json: rows, text: rows.length === 0 ? 'No rejected messages.' : asTable(rows) };
    });
}

function asTable(rows: readonly ReturnType<typeof rejectedRow>[]): string {
  return listTable(
    ['id', 'org', 'reader', 'received', 'bytes', 'replayed', 'topic', 'reason'],
    rows.map((row) => [
      String(row.id),
      String(row.org_id ?? '-'),
      String(row.reader_id ?? '-'),
      row.received_at,
      String(row.bytes),
      row.replayed_at ?? '-',
      forTerminal(row.topic, 60),
      forTerminal(row.reason, 160),
    ]),
  ).join('\n');
}

function addRejectedShow(program: Command): void {
  addCommand(program, 'rejected', 'show')
    .description('Show a rejected message with its payload (at most the first 64 KiB of it are kept).')
    .requiredOption('--id <id>', 'its id, from rejected list', rejectedId)
    .addHelpText(...examples('rejected show --id 17'))
    .prints(async (options: { id: number }) => {
      const message = await withConnections(({ db }) => findKept(db, options.id));
      if (message === null) {
        throw new AppError('not_found', `Rejected message ${options.id} not found`);
      }
      const { payload, payloadSha256 } = message;
      const isText = isUtf8(payload);
      const row = {
        ...rejectedRow(message),
        payload: payload.toString(isText ? 'utf8' : 'base64'),
        payload_encoding: isText ? 'utf8' : 'base64',
        payload_bytes_kept: payload.length,
        payload_sha256: payloadSha256.toString('hex'),
      };
      return { json: row, text: asText(row) };
    });
}

function asText({ payload, payload_encoding: encoding, ...row }: Record<string, unknown>): string {
  const lines = Object.entries(row).map(([name, value]) => `${name.padEnd(18)}  ${value ?? '-'}`);
  return [...lines.map((line) => forTerminal(line)), `payload (${encoding})`, String(payload)].join('\n');
}

interface ReplayOptions {
  id?: number;
  org?: number;
}

function addRejectedReplay(program: Command): void {
  addCommand(program, 'rejected', 'replay')
    .description(
      "Read rejected messages again by their readers' present settings and formats, after the cause was mended. " +
        'They count at the time of their reception, and nothing is recorded twice. ' +
        'A message rejected again is kept with the new reason. Without --id: all that were not replayed yet, oldest first.',
    )
    .option('--id <id>', 'one message, even if it was replayed before', rejectedId)
    .addOption(new Option('--org <id>', 'only those of one organization').argParser(id).conflicts('id'))
    .addHelpText(...examples('rejected replay --id 17', 'rejected replay --org 1'))
    .action((options: ReplayOptions) =>
      withConnections(async ({ db, actor, pool }) => {
        if (options.org !== undefined) {
          await requireLiveOrganization(db, options.org);
        }
        // Imported on demand, or other commands would start more slowly.
        const { replay } = await import('../../mqtt-ingest/entry.ts');
        const formats = await loadFormats(pool, loadBuiltinFormats());
        await wakingSealer(pool, async (onMoves) => {
          const replaying = { pool, actor, formats, rules: timeRules(), clock: createClock(), onMoves };
          const replayThis: ReplayThis = (messageId, how) => replay(replaying, messageId, how);
          if (options.id === undefined) {
            await replayAll(replayThis, await idsToReplay(db, options.org ?? null));
          } else {
            await replayOne(replayThis, options.id);
          }
        });
      }),
    );
}

type ReplayThis = (messageId: number, how: { isOnlyOnce: boolean }) => Promise<Replay | null>;

function timeRules() {
  const { LATENESS_DAYS, SCAN_RETENTION_DAYS } = readSettings(TIME_SETTINGS, running().env, [
    retentionCoversLateness,
  ]);
  return { lateness: LATENESS_DAYS * MICROS_PER_DAY, retention: SCAN_RETENTION_DAYS * MICROS_PER_DAY };
}

async function replayOne(replay: ReplayThis, messageId: number): Promise<void> {
  const result = await replay(messageId, { isOnlyOnce: false });
  if (result === null) {
    throw new AppError('not_found', `Rejected message ${messageId} not found`);
  }
  const row = asRow(result);
  if (row.outcome === 'cut') {
    throw new AppError('conflict', sayCut(row));
  }
  printResult({
    json: [row],
    text:
      row.outcome === 'replayed'
        ? `Message ${messageId} is replayed.\n${sayReads([row])}`
        : forTerminal(`Message ${messageId} was rejected again: ${row.reason}`),
  });
}

async function replayAll(replay: ReplayThis, ids: readonly number[]): Promise<void> {
  const rows: ReplayRow[] = [];
  const progress = showProgress();
  const done = await withInterruption(async (signal) => {
    let count = 0;
    for (const messageId of ids) {
      if (signal.aborted) {
        break;
      }
      const result = await replay(messageId, { isOnlyOnce: true });
      append(rows, result === null ? [] : [asRow(result)]);
      count += 1;
      progress.show(`Replayed ${count} of ${ids.length}`);
    }
    return count;
  }).finally(() => progress.end());
  printResult({ json: rows, text: summary(rows) });
  if (done < ids.length) {
    throw new AppError(
      'unavailable',
      `Interrupted after ${done} of ${ids.length}; the others are kept: run it again to continue`,
    );
  }
}

type ReplayRow = ReturnType<typeof asRow>;

/** Without the payload: there may be thousands. */
function asRow({ message, outcome, reads }: Replay) {
  return { ...rejectedRow(message), outcome, ...reads };
}

function summary(rows: readonly ReplayRow[]): string {
  const count = (outcome: Replay['outcome']) => rows.filter((row) => row.outcome === outcome).length;
  if (rows.length === 0) {
    return 'Nothing to replay.';
  }
  const again = count('rejected');
  return [
    `Replayed ${count('replayed')} of ${rows.length} messages.`,
    sayReads(rows),
    ...(again === 0 ? [] : [`${again} were rejected again; ${TAGTRAIL} rejected list says why.`]),
    ...rows.filter(({ outcome }) => outcome === 'cut').map(sayCut),
  ].join('\n');
}

function sayReads(rows: readonly ReplayRow[]): string {
  const sum = (name: keyof Replay['reads']) => rows.reduce((total, row) => total + row[name], 0);
  const unplaced = sum('unplaced');
  const told = `Reads: ${sum('recorded')} recorded, ${sum('duplicates')} recorded before, ${sum('unknown')} of unknown tags, ${unplaced} unplaced`;
  return unplaced === 0
    ? `${told}.`
    : `${told}: at antennas without a location, disabled, or too weak. They move nothing; ${TAGTRAIL} antenna set maps an antenna.`;
}

function sayCut({ id: messageId, bytes }: ReplayRow): string {
  return `Message ${messageId} cannot be replayed: of its ${bytes} bytes only the first 64 KiB were kept`;
}

function addRejectedDismiss(program: Command): void {
  addCommand(program, 'rejected', 'dismiss')
    .description(
      'Dismiss a rejected message: it is no longer listed or replayed with the others. It is still kept and counted, and can be replayed by its id.',
    )
    .requiredOption('--id <id>', 'its id, from rejected list', rejectedId)
    .option('--undo', 'list it again')
    .addHelpText(
      'after',
      `\nJSON: {id, dismissed_at}.\n\nExamples:\n  ${TAGTRAIL} rejected dismiss --id 17\n  ${TAGTRAIL} rejected dismiss --id 17 --undo`,
    )
    .prints(async (options: { id: number; undo?: true }) => {
      const message = await withConnections(({ db, actor }) =>
        setDismissed(db, actor, options.id, options.undo !== true),
      );
      if (message === null) {
        throw new AppError('not_found', `Rejected message ${options.id} not found`);
      }
      const dismissedAt = wireTimeOrNull(message.dismissedAt);
      return {
        json: { id: message.id, dismissed_at: dismissedAt },
        text:
          dismissedAt === null
            ? `Rejected message ${message.id} is listed again.`
            : `Rejected message ${message.id} is dismissed; rejected list --dismissed shows it.`,
      };
    });
}

const rejectedId = wholeNumber(1, 9_999_999_999);

function rejectedRow(message: KeptMessage) {
  return {
    id: message.id,
    org_id: message.orgId,
    reader_id: message.readerId,
    topic: message.topic,
    reason: message.reason,
    kind: message.kind,
    received_at: wireTime(message.receivedAt),
    bytes: message.bytes,
    replayed_at: wireTimeOrNull(message.replayedAt),
  };
}
