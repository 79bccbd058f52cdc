import { AppError } from '../../../base/errors.ts';
import { MICROS_PER_MILLISECOND, MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { table } from '../../../base/table.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { DATABASE_NOW, TOLERATED_SKEW } from '../../../db/timescale/queries/database-clock.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { requireLiveOrganization } from '../../../domain/administration/organizations/live-organization.ts';
import { listOrganizations } from '../../../domain/administration/organizations/organizations.ts';
import {
  countWrongRows,
  isAnyWrong,
  mendClock,
  newestReceived,
  type WrongRows,
} from '../../../domain/messages/mend-clock.ts';
import { wakingSealer } from '../../../domain/moves/wake-sealer.ts';
import { type WrongExample, wrongExamples } from '../../../domain/tracking/mend-clock/count-wrong.ts';
import type { WrongClock } from '../../../domain/tracking/mend-clock/wrong-clock.ts';
import { withInterruption } from '../../../platform/runtime/interruption.ts';
import { addCommand, type Command, id, printResult } from '../command-line/command-line.ts';
import { shownTime, time } from '../command-line/instants.ts';
import { type Connections, withConnections } from '../connections/database.ts';
import { duration, lasting } from '../parts/duration.ts';
import { showProgress } from '../running/running.ts';

interface Options {
  org?: number;
  by?: Micros;
  from?: Micros;
  to?: Micros;
  all?: true;
  confirm?: true;
}

export function addClock(program: Command): void {
  addCommand(program, 'clock', 'mend')
    .description(
      'Correct times that ingestion and the gateway recorded while their clock ran ahead, and the histories that follow. ' +
        "Without --by it shows what was received ahead of the database's clock; without --confirm it changes nothing. " +
        'Safe while readers publish. Ctrl-C stops it after the current asset; to continue, run it again with the times ' +
        'that it names.',
    )
    .option('--org <id>', 'only of this organization', id)
    .option('--by <duration>', 'how far the clock was ahead, as 90s, 5m, 2h or 1d', duration)
    .option(
      '--from <time>',
      "start of the time to correct, by the wrong clock; default: data ahead of the database's clock now",
      time,
    )
    .option('--to <time>', 'end of that time; at most, and by default, --by after --from', time)
    .option(
      '--all',
      "the wrong clock received all data of that time, whatever devices' times say; implied without --from",
    )
    .option('--confirm', 'mend it')
    .addHelpText(
      'after',
      `
Data ahead of the database's clock is always wrong. Within --from and --to, a read without a device time is corrected even if
a right clock received it, so name a time in which only the wrong clock received data. --all also corrects device times,
for devices whose clocks ran ahead. A device time more than two minutes after the corrected reception is replaced by it.

Examples:
  ${TAGTRAIL} clock mend
  ${TAGTRAIL} clock mend --by 1h
  ${TAGTRAIL} clock mend --by 1h --confirm
  ${TAGTRAIL} clock mend --org 1 --by 1h --from 2026-05-01T11:00:00Z --to 2026-05-01T11:40:00Z`,
    )
    .action((options: Options) =>
      withConnections(async (connections) => {
        const { db } = connections;
        const orgIds = await organizationsOf(db, options.org);
        const now = await databaseNow(db);
        const future = now + TOLERATED_SKEW * MICROS_PER_MILLISECOND;
        const { from = future, by, to = from + (by ?? 0) } = options;
        if (by === undefined) {
          await showAhead(db, orgIds, { from, now }, options);
          return;
        }
        const clock = { from, to, ahead: by, isAll: options.all === true || from >= future };
        requireWindow(clock);
        if (options.from === undefined && options.to === undefined) {
          await requireEnough(db, orgIds, clock, now);
        }
        await (options.confirm === true ? mend(connections, orgIds, clock) : show(db, orgIds, clock));
      }),
    );
}

async function organizationsOf(db: Connection, orgId: number | undefined): Promise<number[]> {
  if (orgId === undefined) {
    return (await listOrganizations(db)).map((organization) => organization.id);
  }
  await requireLiveOrganization(db, orgId);
  return [orgId];
}

async function databaseNow(db: Connection): Promise<Micros> {
  const { now } = await db.one(sql.type(rowsOf<{ now: number }>())`select ${DATABASE_NOW} as now`);
  return Math.round(now) * MICROS_PER_MILLISECOND;
}

/** @throws AppError `conflict` if something is ahead of the database's clock by more than `--by`. */
async function requireEnough(
  db: Connection,
  orgIds: readonly number[],
  { to, ahead }: WrongClock,
  now: Micros,
): Promise<void> {
  for (const orgId of orgIds) {
    const newest = await newestReceived(db, orgId, to);
    if (newest !== null) {
      throw new AppError(
        'conflict',
        `--by ${inUnits(ahead)} is too little: organization ${orgId} has something received at ${shownTime(newest)}, ${inUnits(newest - now)} ahead of the database's clock`,
      );
    }
  }
}

async function showAhead(
  db: Connection,
  orgIds: readonly number[],
  { from, now }: { from: Micros; now: Micros },
  options: Options,
): Promise<void> {
  if (
    options.from !== undefined ||
    options.to !== undefined ||
    options.all === true ||
    options.confirm === true
  ) {
    throw new AppError('invalid_input', 'Give --by, how far the clock was ahead');
  }
  const found: { org_id: number; newest_received_at: string; ahead_seconds: number }[] = [];
  for (const orgId of orgIds) {
    const newest = await newestReceived(db, orgId, from);
    if (newest !== null) {
      const seconds = Math.ceil((newest - now) / MICROS_PER_SECOND);
      found.push({ org_id: orgId, newest_received_at: shownTime(newest), ahead_seconds: seconds });
    }
  }
  const lines = found.map(
    (each) =>
      `Organization ${each.org_id}: the newest was received at ${each.newest_received_at}, ${each.ahead_seconds} s ahead of the database's clock.`,
  );
  const text =
    found.length === 0
      ? "Nothing was received ahead of the database's clock."
      : [...lines, 'Give --by, how far the clock was ahead, to the minute: at least that.'].join('\n');
  printResult({ json: found, text });
}

async function show(db: Connection, orgIds: readonly number[], clock: WrongClock): Promise<void> {
  const all: WrongOfOrganization[] = [];
  for (const orgId of orgIds) {
    const rows = await countWrongRows(db, orgId, clock);
    all.push({ orgId, rows, examples: await wrongExamples(db, orgId, clock) });
  }
  const todo = all.some(({ rows }) => isAnyWrong(rows))
    ? `Nothing has changed yet. To date it ${inUnits(clock.ahead)} earlier: ${optionsOf(clock)} --confirm`
    : NOTHING;
  const text = [...wrongRowsAsLines(all), todo].join('\n');
  const organizations = all.map(wrongRowsAsJson);
  printResult({ json: { ...shownWindow(clock), is_mended: false, organizations }, text });
}

const NOTHING = 'There is nothing to mend.';

async function mend(
  { db, pool, actor }: Connections,
  orgIds: readonly number[],
  clock: WrongClock,
): Promise<void> {
  const organizations: { org_id: number; assets: number; scans: number; readings: number }[] = [];
  const progress = showProgress();
  const isFinished = await withInterruption((signal) =>
    wakingSealer(pool, async (onMoves) => {
      for (const orgId of orgIds) {
        if (!isAnyWrong(await countWrongRows(db, orgId, clock))) {
          continue;
        }
        const { isFinished, ...counts } = await mendClock(pool, actor, orgId, clock, {
          signal,
          onProgress: (sofar) => progress.show(`Organization ${orgId}: ${sofar.assets} histories mended`),
          onMoves,
        });
        organizations.push({ org_id: orgId, ...counts });
        if (!isFinished) {
          return false;
        }
      }
      return true;
    }),
  ).finally(() => progress.end());
  const rows = organizations.map(({ org_id: orgId, assets, scans, readings }) =>
    [orgId, assets, scans, readings].map(String),
  );
  const text =
    rows.length === 0
      ? NOTHING
      : [
          ...table(['organization', 'assets', 'scans', 'readings'], rows),
          `Dated ${inUnits(clock.ahead)} earlier than before.`,
        ].join('\n');
  printResult({ json: { ...shownWindow(clock), is_mended: isFinished, organizations }, text });
  if (!isFinished) {
    throw new AppError('unavailable', `Interrupted; to go on: ${optionsOf(clock)} --confirm`);
  }
}

/** @throws AppError `invalid_input` if the window is empty, or longer than the clock was ahead. */
function requireWindow({ from, to, ahead }: WrongClock): void {
  if (!(to > from && to - from <= ahead)) {
    throw new AppError(
      'invalid_input',
      `--to must be after --from, and not longer after it than --by (${inUnits(ahead)}); mend a longer time in several steps, the earliest first`,
    );
  }
}

/** The options that name it. */
function optionsOf({ from, to, ahead, isAll }: WrongClock): string {
  return `--by ${inUnits(ahead)} --from ${shownTime(from)} --to ${shownTime(to)}${isAll ? ' --all' : ''}`;
}

function inUnits(duration: Micros): string {
  return lasting(Math.ceil(duration / MICROS_PER_SECOND));
}

function shownWindow({ from, to, ahead, isAll }: WrongClock) {
  return {
    from: shownTime(from),
    to: shownTime(to),
    by_seconds: ahead / MICROS_PER_SECOND,
    is_all: isAll,
  };
}

interface WrongOfOrganization {
  orgId: number;
  rows: WrongRows;
  examples: readonly WrongExample[];
}

function wrongRowsAsJson({ orgId, rows, examples }: WrongOfOrganization) {
  const { scans, readings, receivedMessages, rejectedMessages, submissions, sweeps, retractions, readers } =
    rows;
  return {
    org_id: orgId,
    assets: scans.assets,
    scans_observed_earlier: scans.moved,
    scans_of_fast_devices: scans.of_fast_devices,
    scans_received_earlier: scans.stayed,
    readings,
    received_messages: receivedMessages,
    rejected_messages: rejectedMessages,
    scans_of_right_clock: scans.right,
    scans_of_handhelds: scans.of_handhelds,
    scans_of_handhelds_left: scans.handhelds_left,
    ...{ submissions, sweeps, retractions, readers },
    examples: examples.map(({ asset, reader, observed_at: at, becomes }) => {
      return { asset, reader, observed_at: shownTime(at), becomes: shownTime(becomes) };
    }),
  };
}

/** By organization and table, with examples. */
function wrongRowsAsLines(all: readonly WrongOfOrganization[]): string[] {
  const counts = all.flatMap(({ orgId, rows: { scans, ...rows } }) =>
    (
      [
        ['scan_events', scans.moved, 'observed and received earlier'],
        [
          'scan_events',
          scans.of_fast_devices,
          "observed and received earlier, as their devices' clocks were ahead, too",
        ],
        ['scan_events', scans.stayed, 'received earlier'],
        [
          'scan_events',
          scans.right,
          "left alone: their devices' times fit a right clock; --all mends them too",
        ],
        ['scan_events', scans.of_handhelds, 'of handhelds: observed and received earlier'],
        ['scan_events', scans.handhelds_left, 'left alone: scans of handhelds; --all mends them too'],
        ['positions', scans.assets, 'recomputed with their histories'],
        ['tag_readings', rows.readings, 'measured earlier, with the newest values of their tags'],
        ['received_messages', rows.receivedMessages, 'received earlier'],
        ['rejected_messages', rows.rejectedMessages, 'received earlier'],
        ['submissions', rows.submissions, 'received earlier'],
        ['sweeps', rows.sweeps, 'begun, ended and received earlier'],
        ['retractions', rows.retractions, 'received earlier'],
        ['reader_counters', rows.readers, 'heard and connected earlier, with their silences'],
      ] as const
    )
      .filter(([, count]) => count > 0)
      .map(([name, count, what]) => [String(orgId), name, String(count), what]),
  );
  const examples = all.flatMap((each) =>
    each.examples.map((example) => [String(each.orgId), ...cells(example)]),
  );
  return [
    ...tableOf(['organization', 'table', 'rows', 'what becomes of them'], counts),
    ...tableOf(['organization', 'asset', 'reader', 'observed', 'becomes'], examples),
  ];
}

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return rows.length === 0 ? [] : [...table(head, rows), ''];
}

function cells({ asset, reader, observed_at: at, becomes }: WrongExample): string[] {
  return [asset, reader, shownTime(at), shownTime(becomes)];
}
