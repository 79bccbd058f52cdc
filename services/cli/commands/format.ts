import { Option } from 'commander';
import { AppError, messageOf } from '../../../base/errors.ts';
import { heardEverywhere } from '../../../base/heard-everywhere.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import {
  findStoredDefinition,
  type ListedFormat,
  listBuiltinFormats,
  listFormats,
} from '../../../domain/administration/formats/list-formats.ts';
import { type StoredFormat, storeFormat } from '../../../domain/administration/formats/store-format.ts';
import { type DryRun, type DryScan, dryRun } from '../../../domain/formats/dry-run.ts';
import { loadBuiltinFormats } from '../../../domain/formats/mapping/builtin.ts';
import { compileFormat, type Format, FormatError } from '../../../domain/formats/mapping/format.ts';
import { IDENTITIES } from '../../../domain/formats/mapping/language/definition.ts';
import type { Policies } from '../../../domain/formats/mapping/policies.ts';
import { MAX_PAYLOAD_BYTES } from '../../../domain/formats/mapping/values/limits.ts';
import { printable } from '../../../domain/formats/mapping/values/printable.ts';
import { formatsThatRead } from '../../../domain/formats/would-read.ts';
import { addCommand, type Command, oneOf } from '../command-line/command-line.ts';
import { jsonForTerminal } from '../command-line/for-terminal.ts';
import { listTable } from '../command-line/list-table.ts';
import { withConnections } from '../connections/database.ts';
import { FileFault, readFileOrStdin, rethrowAsFileFault } from '../files/read-file.ts';

export function addFormat(program: Command): void {
  addFormatList(program);
  addFormatShow(program);
  addFormatAdd(program);
  addFormatTry(program);
}

function addFormatList(program: Command): void {
  addCommand(program, 'format', 'list')
    .description('List the formats readers can be registered with: the built-in ones and your own.')
    .option('--builtin', 'only built-in ones; needs no database')
    .addHelpText(
      'after',
      `
JSON: an array of {name, builtin, description, identities, readers, fault}: by what tags can be known, how many
readers use it (null with --builtin), and why it cannot be used (null if it can).

Example:
  ${TAGTRAIL} format list`,
    )
    .prints(async (options: { builtin?: true }) => {
      const builtin = loadBuiltinFormats();
      const formats =
        options.builtin === true
          ? listBuiltinFormats(builtin)
          : await withConnections(({ db }) => listFormats(db, builtin));
      return { json: formats.map(toJson), text: asTable(formats) };
    });
}

function toJson({ name, isBuiltin, description, identities, readers, fault }: ListedFormat) {
  return { name, builtin: isBuiltin, description, identities, readers, fault };
}

function asTable(formats: readonly ListedFormat[]): string {
  return listTable(
    ['format', '', 'readers', ''],
    formats.map(({ name, isBuiltin, description, readers, fault }) => [
      name,
      isBuiltin ? 'built in' : 'your own',
      readers === null ? '-' : String(readers),
      fault === null ? description : `cannot be used: ${fault}`,
    ]),
  ).join('\n');
}

function addFormatShow(program: Command): void {
  addCommand(program, 'format', 'show')
    .description('Print the definition of a format. A built-in one needs no database.')
    .argument('<format>', 'its name')
    .addHelpText(
      'after',
      `
JSON: the definition, as \`format add\` takes it.

Example:
  ${TAGTRAIL} format show ingics > my-gateway.json`,
    )
    .prints(async (name: string) => {
      const definition = (await definitionOf(name)) as object;
      return { json: definition, text: jsonForTerminal(definition) };
    });
}

function addFormatAdd(program: Command): void {
  addCommand(program, 'format', 'add')
    .description(
      'Add a format of your own, or replace the one of that name, for all organizations. Its readers use it from then on.',
    )
    .requiredOption('--file <file>', 'its definition in JSON; - for standard input')
    .addHelpText(
      'after',
      `
A built-in format cannot be replaced. Try the file on a payload first: ${TAGTRAIL} format try --format-file F.json ...
JSON: {name, result, readers}: the result is "added", "replaced" or "unchanged", and so many readers use it.

Example:
  ${TAGTRAIL} format add --file my-gateway.json`,
    )
    .prints(async (options: { file: string }) => {
      const format = await readFormatFile(options.file);
      const stored = await withConnections(({ db, actor }) =>
        storeFormat(db, actor, loadBuiltinFormats(), format),
      ).catch(rethrowAsFileFault);
      await heardEverywhere();
      return { json: { name: format.name, ...stored }, text: storedText(format.name, stored) };
    });
}

function storedText(name: string, { result, readers }: StoredFormat): string {
  const use =
    readers === 0
      ? `Next: ${TAGTRAIL} reader create --format ${name} ...`
      : `${readers} ${readers === 1 ? 'reader uses' : 'readers use'} it.`;
  return `Format ${name} ${result}. ${use}`;
}

interface TryOptions extends Partial<Policies> {
  format?: string;
  formatFile?: string;
  topic: string;
  file: string;
}

function addFormatTry(program: Command): void {
  addCommand(program, 'format', 'try')
    .description(
      'Show the scans that a format reads from a message, and what is ignored or rejected and why. Stores nothing.',
    )
    .option('--format <format>', 'a format by its name; a built-in one needs no database')
    .addOption(
      new Option('--format-file <file>', 'a file with a format that is not added yet').conflicts('format'),
    )
    .requiredOption('--topic <topic>', 'the topic the message came on')
    .requiredOption('--file <file>', 'the payload; - for standard input')
    .option(
      '--identity <identity>',
      `what identifies a beacon: ${IDENTITIES.join(', ')}`,
      oneOf(...IDENTITIES),
    )
    .option('--time <policy>', 'which time counts: device or receive', oneOf('device', 'receive'))
    .option('--report-unknown <on|off>', 'whether unknown tags are listed', oneOf('on', 'off'))
    .addHelpText(
      'after',
      `
The last three override the format, as the settings of a reader do.
JSON: {format, outcome, scans, ignored, rejected}. The outcome is "items", or "ignored" or "rejected" of the whole
message.
Scans: {tag_type, value, antenna, rssi, observed_at, reader, report_unknown}; observed_at is null where the time of
receipt will be used. readings appears if the tag measures something. rssi_unusable, time_unreadable, clock_unset and
readings_unusable appear if the signal strength is impossible, the time is unreadable, the device's clock was never set, or
a measured value is impossible.
Ignored: {reason, warning}; the warning is a text for the log, or null. near_miss appears if the item holds something like
a tag; near_misses counts these, and would_read names the built-in formats that read the payload.
Rejected: {item, reason, excerpt}; the item counts from 0, and is null for the whole message.

Examples:
  ${TAGTRAIL} format try --format minew-json --topic site/gw --file payload.json --identity ibeacon
  mosquitto_sub -t site/gw -C 1 | ${TAGTRAIL} format try --format-file mine.json --topic site/gw --file -`,
    )
    .prints(async (options: TryOptions) => {
      const { topic, file, identity, time, reportUnknown } = options;
      const format = await formatOf(options);
      const payload = await readFileOrStdin(file, 'The payload', 16 * MAX_PAYLOAD_BYTES);
      const run = dryRun(
        format,
        { topic, payload },
        {
          ...(identity === undefined ? {} : { identity }),
          ...(time === undefined ? {} : { time }),
          ...(reportUnknown === undefined ? {} : { reportUnknown }),
        },
      );
      const wouldRead =
        run.near_misses === undefined ? {} : { would_read: formatsThatRead({ topic, payload }) };
      return {
        json: { format: format.name, ...run, ...wouldRead },
        text: triedText({ ...run, ...wouldRead }),
      };
    });
}

async function formatOf({ format, formatFile, file }: TryOptions): Promise<Format> {
  if (formatFile === '-' && file === '-') {
    throw new AppError('invalid_input', 'Only one of --format-file and --file can be standard input (-)');
  }
  if (formatFile !== undefined) {
    return readFormatFile(formatFile);
  }
  if (format === undefined) {
    throw new AppError('invalid_input', 'Name the format with --format, or give a file with --format-file');
  }
  return compileFormat(await definitionOf(format));
}

function triedText({
  scans,
  ignored,
  rejected,
  would_read: others = [],
}: DryRun & { would_read?: string[] }): string {
  return [
    ...scans.map((scan) => `scan      ${describe(scan)}`),
    ...ignored.map(
      ({ reason, warning, near_miss: nearMiss }) =>
        `ignored   ${reason}${warning === null ? '' : ` (worth a warning: ${warning})`}${nearMiss === undefined ? '' : `\n          It holds ${nearMiss}: should this have been a read?${others.length === 0 ? '' : ` It would be, by ${others.join(', ')}`}`}`,
    ),
    ...rejected.map(
      ({ item, reason, excerpt }) =>
        `rejected  ${item === null ? 'the message' : `item ${item}`}: ${reason}${excerpt === null ? '' : `\n          ${excerpt}`}`,
    ),
    `${scans.length} ${scans.length === 1 ? 'scan' : 'scans'}, ${ignored.length} ignored, ${rejected.length} rejected. Nothing was stored.`,
  ].join('\n');
}

function describe({
  tag_type,
  value,
  antenna,
  rssi,
  rssi_unusable: unusable,
  observed_at,
  time_unreadable: unreadable,
  clock_unset: unset,
  readings = {},
  readings_unusable: refused = {},
  reader,
}: DryScan): string {
  return [
    `${tag_type} ${printable(value, 255)}, antenna ${antenna}`,
    rssi === null ? sayNoRssi(unusable) : `${rssi} dBm`,
    observed_at ?? sayNoTime(unreadable, unset),
    ...Object.entries(readings).map(([kind, value]) => `${kind} ${value}`),
    ...Object.entries(refused).map(([kind, value]) => `no ${kind} (${value} is impossible)`),
    ...(reader === null ? [] : [`reader ${reader}`]),
  ].join(', ');
}

function sayNoTime(unreadable: DryScan['time_unreadable'], unset: DryScan['clock_unset']): string {
  const received = 'at the time of receipt';
  if (unreadable !== undefined) {
    return `${received} (the time ${unreadable} could not be read)`;
  }
  return unset === undefined ? received : `${received} (the time ${unset} is of a clock that is not set)`;
}

function sayNoRssi(unusable: DryScan['rssi_unusable']): string {
  return unusable === undefined ? 'no RSSI' : `no RSSI (${unusable} is what no radio hears)`;
}

const MAX_BYTES = 1_048_576;

/**
 * Compiles a format from a file.
 *
 * @throws FileFault naming the file and every fault with its place.
 */
async function readFormatFile(path: string): Promise<Format> {
  const text = (await readFileOrStdin(path, 'The format', MAX_BYTES)).toString('utf8');
  let definition: unknown;
  try {
    definition = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    throw new FileFault(`${path} is not JSON: ${messageOf(error)}`);
  }
  try {
    return compileFormat(definition);
  } catch (error) {
    if (!(error instanceof FormatError)) {
      throw error;
    }
    const places = error.faults.map(({ pointer, message }) => `  ${pointer || '(the whole)'} ${message}`);
    throw new FileFault(`${path} is not a usable format:\n${places.join('\n')}\n${HINT}`);
  }
}

const HINT =
  'The language is explained in domain/formats/built-in/README.md; `format show` prints formats to copy.';

/** The definition of a format by name; built-in ones need no database. @throws AppError `not_found`. */
async function definitionOf(name: string): Promise<unknown> {
  const builtin = loadBuiltinFormats();
  return (
    builtin.get(name)?.definition ??
    (await withConnections(({ pool }) => findStoredDefinition(pool, builtin, name)))
  );
}
