import { type Command, Option } from 'commander';
import { append } from '../../../base/append.ts';
import { createClock } from '../../../base/clock.ts';
import { AppError } from '../../../base/errors.ts';
import { MICROS_PER_DAY } from '../../../base/instant.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { loadFormats } from '../../../domain/administration/formats/load-formats.ts';
import { requireLiveOrganization } from '../../../domain/administration/organizations/live-organization.ts';
import { idsToReplay } from '../../../domain/administration/rejected/kept-message.ts';
import { loadBuiltinFormats } from '../../../domain/formats/mapping/builtin.ts';
import { wakingSealer } from '../../../domain/moves/wake-sealer.ts';
import { withInterruption } from '../../../platform/runtime/interruption.ts';
import { readSettings } from '../../../platform/runtime/settings.ts';
import { retentionCoversLateness, TIME_SETTINGS } from '../../../platform/runtime/time-settings.ts';
import type { Replay } from '../../mqtt-ingest/entry.ts';
import { addCommand, id, printResult } from '../command-line/command-line.ts';
import { forTerminal } from '../command-line/for-terminal.ts';
import { withConnections } from '../connections/database.ts';
import { rejectedId, rejectedRow } from '../parts/rejected-rows.ts';
import { showProgress } from '../running/progress.ts';
import { running } from '../running/running.ts';

interface Options {
  id?: number;
  org?: number;
  json?: boolean;
}

export function addRejectedReplay(program: Command): void {
  addCommand(program, 'rejected', 'replay')
    .description(
      "Run rejected messages once more through their readers' present settings and formats, after the cause was mended. " +
        'Their times stay those of their reception, and what was recorded before is not recorded twice. ' +
        'What is rejected again is kept with the new reason. Without --id: all that were not replayed yet, the oldest first.',
    )
    .option('--id <id>', 'one message, also if it was replayed before', rejectedId)
    .addOption(new Option('--org <id>', 'only those of one organization').argParser(id).conflicts('id'))
    .addHelpText(
      'after',
      `\nExamples:\n  ${TAGTRAIL} rejected replay --id 17\n  ${TAGTRAIL} rejected replay --org 1`,
    )
    .action((options: Options) =>
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
            await replayAll(replayThis, await idsToReplay(db, options.org ?? null), options);
          } else {
            await replayOne(replayThis, options.id, options);
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

async function replayOne(replay: ReplayThis, messageId: number, options: Options): Promise<void> {
  const result = await replay(messageId, { isOnlyOnce: false });
  if (result === null) {
    throw new AppError('not_found', `Rejected message ${messageId} not found`);
  }
  const row = asRow(result);
  if (row.outcome === 'cut') {
    throw new AppError('conflict', sayCut(row));
  }
  printResult(
    {
      json: [row],
      text:
        row.outcome === 'replayed'
          ? `Message ${messageId} is replayed.\n${sayReads([row])}`
          : forTerminal(`Message ${messageId} was rejected again: ${row.reason}`),
    },
    options,
  );
}

async function replayAll(replay: ReplayThis, ids: readonly number[], options: Options): Promise<void> {
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
  printResult({ json: rows, text: summary(rows) }, options);
  if (done < ids.length) {
    throw new AppError(
      'unavailable',
      `Interrupted after ${done} of ${ids.length}; the others are kept as they were: run it again to go on`,
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
