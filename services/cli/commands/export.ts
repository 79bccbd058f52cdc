import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { KEY_MAX_LENGTH, KEY_PATTERN } from '../../../base/checks/fields.ts';
import { AppError, messageOf } from '../../../base/errors.ts';
import { timeZoneNamed } from '../../../base/time-zones.ts';
import { toMicros } from '../../../base/timestamps.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import type { OrganizationConnection } from '../../../db/timescale/connections/organization-door.ts';
import type { Snapshot } from '../../../db/timescale/connections/snapshot.ts';
import type { Keyed } from '../../../domain/master-data/by-id-or-key.ts';
import { type CsvStyle, PLAIN } from '../../../domain/master-data/imports/csv-style.ts';
import { exportFile } from '../../../domain/master-data/imports/export-file.ts';
import type { AssetFilters } from '../../../domain/reports/asset-filters.ts';
import { DWELL_GROUPS } from '../../../domain/reports/dwell/read-dwell.ts';
import { csvOf } from '../../../domain/reports/exports/csv.ts';
import { dwellTable } from '../../../domain/reports/exports/dwell-table.ts';
import { parquetOf } from '../../../domain/reports/exports/parquet.ts';
import { positionsTable } from '../../../domain/reports/exports/positions-table.ts';
import { batchesOf, type Piece, type ReportTable } from '../../../domain/reports/exports/report-table.ts';
import { staysTable } from '../../../domain/reports/exports/stays-table.ts';
import { type Known, requireKnown } from '../../../domain/reports/known/known-at.ts';
import type { PlaceFilters } from '../../../domain/reports/places-during.ts';
import { requirePast } from '../../../domain/reports/require-past.ts';
import { firstAfter, type Window, windowOf } from '../../../domain/reports/window.ts';
import type { TimeBound } from '../../../platform/http/parameters.ts';
import { withInterruption } from '../../../platform/runtime/interruption.ts';
import { addCommand, type Command, id, oneOf } from '../command-line/command-line.ts';
import { reportTime } from '../command-line/instants.ts';
import { withOrganization, withOrganizationSnapshot } from '../connections/database.ts';
import { isOfFile, replaceFile } from '../files/replace-file.ts';
import { running, showProgress } from '../running/running.ts';
import { writeToOutput } from '../running/standard-output.ts';

export function addExports(program: Command): void {
  addExport(program, 'asset');
  addExport(program, 'location');
  addExportStays(program);
  addExportPositions(program);
  addExportDwell(program);
}

function addExportStays(program: Command): void {
  addReportExport(program, {
    verb: 'stays',
    description: 'Write every stay that overlaps a window of time, with its seconds inside.',
    noun: 'stays',
    example: '--from 2026-05-01T00:00:00Z --to 2026-06-01T00:00:00Z',
    addOptions: (command) => addFilters(addKnownAt(addWindow(command))),
    table: async (snapshot, options: WindowOptions & KnownOptions & FilterOptions) => {
      const known = await knownFrom(snapshot, options, { from: options.from, to: options.to });
      return staysTable(snapshot.orgId, windowFrom(options), known, filtersOf(options));
    },
  });
}

function addExportPositions(program: Command): void {
  addReportExport(program, {
    verb: 'positions',
    description: 'Write where every asset was at an instant, since when, and when it had last been seen.',
    noun: 'positions',
    example: '--at 2026-05-04T12:00:00Z',
    addOptions: (command) =>
      addFilters(
        addKnownAt(
          command.requiredOption(
            '--at <time>',
            'the instant, RFC 3339; at most two minutes after now',
            reportTime,
          ),
        ),
      ),
    table: async (snapshot, options: { at: TimeBound } & KnownOptions & FilterOptions) => {
      const known = await knownFrom(snapshot, options, { at: options.at });
      return positionsTable(snapshot.orgId, firstAfter(options.at), known, filtersOf(options));
    },
  });
}

interface GroupOptions {
  groupBy: (typeof DWELL_GROUPS)[number];
  timeZone: string;
}

function addExportDwell(program: Command): void {
  addReportExport(program, {
    verb: 'dwell',
    description: 'Write how long assets stayed in a window of time, by location, by asset or by day.',
    noun: 'groups',
    example: '--from 2026-05-01T00:00:00Z --to 2026-06-01T00:00:00Z --group-by asset',
    addOptions: (command) =>
      addFilters(
        addKnownAt(addWindow(command))
          .option(
            '--group-by <what>',
            `what a row sums up: ${DWELL_GROUPS.join(', ')}`,
            oneOf(...DWELL_GROUPS),
            'location',
          )
          .option('--time-zone <zone>', 'where days begin, such as Europe/Berlin', timeZone, 'UTC'),
      ),
    table: async (snapshot, options: WindowOptions & KnownOptions & GroupOptions & FilterOptions) => {
      const known = await knownFrom(snapshot, options, { from: options.from, to: options.to });
      return dwellTable(snapshot.orgId, windowFrom(options), known, {
        ...filtersOf(options),
        group_by: options.groupBy,
        time_zone: options.timeZone,
      });
    },
  });
}

function timeZone(name: string): string {
  const known = timeZoneNamed(name);
  if (known === null) {
    throw new InvalidArgumentError('It must be a time zone of the IANA database, such as Europe/Berlin.');
  }
  return known;
}

interface ExportOptions {
  org: number;
  file?: string;
  bom: boolean;
}

const PLURAL = { asset: 'assets', location: 'locations' };

function addExport(program: Command, resource: Keyed): void {
  const noun = PLURAL[resource];
  addCommand(program, 'export', noun)
    .description(`Write every live ${resource} as CSV, in the columns that import ${noun} reads.`)
    .requiredOption('--org <id>', 'the organization', id)
    .option('--file <file>', 'the file, written completely or not at all; default: standard output')
    .option('--no-bom', WITHOUT_MARK)
    .addHelpText(
      'after',
      `
With --json and no --file, the CSV is the text "csv" of the document.

Examples:
  ${TAGTRAIL} export ${noun} --org 1 > ${noun}.csv
  ${TAGTRAIL} export ${noun} --org 1 --file ${noun}.csv`,
    )
    .action(({ org, file, bom }: ExportOptions) =>
      writeExport(noun, file, (write) =>
        withOrganization(org, async (db) => {
          for await (const { text, rows } of exportFile(db, resource, undefined, styleOf(file, bom))) {
            await write({ content: text, rows });
          }
        }),
      ),
    );
}

const WRITE: Record<'csv' | 'parquet', typeof csvOf> = {
  csv: csvOf,
  parquet: (columns, batches) => parquetOf(columns, batches),
};

const WITHOUT_MARK = 'a CSV file for programs: without the marks that spreadsheets need';

/** Files are for spreadsheets too, standard output is for programs. */
function styleOf(file: string | undefined, bom: boolean): CsvStyle {
  return { ...PLAIN, hasMark: bom && file !== undefined };
}

interface ReportOptions {
  org: number;
  format: keyof typeof WRITE;
  file?: string;
  bom: boolean;
}

interface ReportExport<Options, Row extends { id: number | string }> {
  verb: string;
  description: string;
  /** The name of its rows, in the plural. */
  noun: string;
  /** Options of an example. */
  example: string;
  addOptions(command: Command): Command;
  /** @throws Invalid for wrong times. */
  table(snapshot: Snapshot, options: Options): Promise<ReportTable<Row>>;
}

function addReportExport<Options, Row extends { id: number | string }>(
  program: Command,
  { verb, description, noun, example, addOptions, table }: ReportExport<Options, Row>,
): void {
  const command = addCommand(program, 'export', verb)
    .description(description)
    .requiredOption('--org <id>', 'the organization', id);
  addOptions(command)
    .option('--format <csv|parquet>', 'how it is written', oneOf('csv', 'parquet'), 'csv')
    .option('--file <file>', 'the file, written completely or not at all; default: standard output')
    .option('--no-bom', WITHOUT_MARK)
    .addHelpText(
      'after',
      `
The columns are the fields of the API's report, with times in UTC. The report shows one instant and has no time limit.
With --json and no --file, the CSV is the text "csv" of the document.

Examples:
  ${TAGTRAIL} export ${verb} --org 1 ${example} --file ${verb}.csv
  ${TAGTRAIL} export ${verb} --org 1 ${example} --format parquet --file ${verb}.parquet`,
    )
    .action((options: Options & ReportOptions) => {
      const { org, format, file, bom } = options;
      const { isJson, streams } = running();
      if (format === 'parquet' && file === undefined && (isJson || streams.stdout.isTTY)) {
        throw new AppError('invalid_input', 'Parquet is binary: name a file with --file');
      }
      return writeExport(noun, file, (write, signal) =>
        withOrganizationSnapshot(org, signal, async (snapshot) => {
          const report = await table(snapshot, options);
          const batches = batchesOf(snapshot, report);
          for await (const piece of WRITE[format](report.columns, batches, styleOf(file, bom))) {
            await write(piece);
          }
        }),
      );
    });
}

interface FilterOptions {
  asset?: string[];
  location?: string[];
  includeDescendants?: true;
  includeDeleted?: true;
}

function addFilters(command: Command): Command {
  return command
    .option('--asset <key,key>', 'only these assets, by external key', keys)
    .option('--location <key,key>', 'only these locations, by external key', keys)
    .option('--include-descendants', 'include locations below these, by the tree as it was at each instant')
    .option('--include-deleted', 'include assets that were deleted by the end');
}

function filtersOf({
  asset,
  location,
  includeDescendants,
  includeDeleted,
}: FilterOptions): AssetFilters & PlaceFilters {
  return {
    asset_external_key: asset,
    location_external_key: location,
    include_descendants: includeDescendants === true,
    include_deleted: includeDeleted === true,
  };
}

interface WindowOptions {
  from: TimeBound;
  to: TimeBound;
}

function addWindow(command: Command): Command {
  return command
    .requiredOption('--from <time>', 'when the window begins, RFC 3339', reportTime)
    .requiredOption('--to <time>', 'when it ends (exclusive); at most two minutes after now', reportTime);
}

function windowFrom({ from, to }: WindowOptions): Window {
  return windowOf(toMicros(from.instant), toMicros(to.instant));
}

interface KnownOptions {
  knownAt?: TimeBound;
}

function addKnownAt(command: Command): Command {
  return command.option(
    '--known-at <time>',
    'as known at this time, without anything recorded later; at most two minutes after now',
    reportTime,
  );
}

/**
 * @param times by the names of their options, without dashes.
 * @throws Invalid for times in the future, or before all records.
 */
async function knownFrom(
  db: OrganizationConnection,
  { knownAt }: KnownOptions,
  times: Readonly<Record<string, TimeBound>>,
): Promise<Known | null> {
  const instants = Object.fromEntries(
    Object.entries(times).map(([name, { instant }]) => [name, toMicros(instant)]),
  );
  if (knownAt === undefined) {
    await requirePast(db, instants);
    return null;
  }
  return requireKnown(db, { at: toMicros(knownAt.instant), before: firstAfter(knownAt) }, instants);
}

function keys(text: string): string[] {
  const all = text.split(',').map((key) => key.trim());
  if (!all.every((key) => KEY_PATTERN.test(key) && key.length <= KEY_MAX_LENGTH)) {
    throw new InvalidArgumentError('It must be external keys, separated by commas.');
  }
  return all;
}

type Produce = (write: (piece: Piece) => Promise<void>, signal: AbortSignal) => Promise<void>;

/**
 * Writes an export to a file, completely or not at all, or to standard output; with `--json` as the text "csv" of a
 * document. Ctrl-C ends it cleanly; a terminal shows progress.
 *
 * @param noun the name of its rows, in the plural.
 */
function writeExport(noun: string, file: string | undefined, produce: Produce): Promise<void> {
  if (file !== undefined) {
    return toFile(noun, file, produce);
  }
  return running().isJson ? asDocument(noun, produce) : toOutput(produce);
}

async function toOutput(produce: Produce): Promise<void> {
  await untilInterrupted('what was written is not complete', (signal) =>
    produce(({ content }) => {
      signal.throwIfAborted();
      return writeToOutput(content);
    }, signal),
  );
}

/** Prints nothing before the export is complete: an unnamed temporary file holds the CSV. */
async function asDocument(noun: string, produce: Produce): Promise<void> {
  await withTemporaryFile(async (file) => {
    let count = 0;
    await untilInterrupted('nothing was written', (signal) =>
      produce(async ({ content, rows }) => {
        signal.throwIfAborted();
        await file.writeFile(JSON.stringify(String(content)).slice(1, -1));
        count += rows;
      }, signal),
    );
    // The first interruption lets it end; a second one does not.
    await withInterruption(async () => {
      await writeToOutput('{"csv":"');
      for await (const piece of file.createReadStream({ start: 0, autoClose: false })) {
        await writeToOutput(piece);
      }
      await writeToOutput(`","${noun}":${count}}\n`);
    });
  });
}

async function toFile(noun: string, path: string, produce: Produce): Promise<void> {
  const progress = showProgress();
  let count = 0;
  progress.show(`0 ${noun}`);
  const write = (signal: AbortSignal) =>
    replaceFile(path, (file) =>
      produce(async ({ content, rows, total }) => {
        signal.throwIfAborted();
        // Unlike `write`, it writes all of it, or fails: a disk may take a part before it is full.
        await file.writeFile(content);
        count += rows;
        progress.show(total === undefined ? `${count} ${noun}` : `${count} of ${total} ${noun}`);
      }, signal),
    );
  await untilInterrupted(`${path} is as it was`, write).finally(() => progress.end());
  await writeToOutput(
    running().isJson ? `${JSON.stringify({ file: path, [noun]: count })}\n` : `${count} ${noun} in ${path}\n`,
  );
}

function untilInterrupted(outcome: string, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  return withInterruption((signal) =>
    work(signal).catch((error: unknown) => {
      throw signal.aborted ? new AppError('unavailable', `Interrupted; ${outcome}`) : error;
    }),
  );
}

/**
 * A temporary file for content too large for memory. It has no name, so it is gone with the process at the latest.
 *
 * @throws AppError `unavailable` naming TMPDIR if it cannot be written.
 */
async function withTemporaryFile(work: (file: FileHandle) => Promise<void>): Promise<void> {
  const path = join(tmpdir(), `tagtrail-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600).catch((error: unknown) => {
    throw unwritable(error);
  });
  try {
    await rm(path);
    await work(file);
  } catch (error) {
    throw isOfFile(error) ? unwritable(error) : error;
  } finally {
    await file.close();
  }
}

function unwritable(cause: unknown): AppError {
  const message = `Cannot write to ${tmpdir()} (${messageOf(cause)}); free some space there, or set TMPDIR to another folder`;
  return new AppError('unavailable', message, { cause });
}
