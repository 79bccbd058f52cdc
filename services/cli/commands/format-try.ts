import { type Command, Option } from 'commander';
import { AppError } from '../../../base/errors.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { type DryRun, type DryScan, dryRun } from '../../../domain/formats/dry-run.ts';
import { compileFormat, type Format } from '../../../domain/formats/mapping/format.ts';
import { IDENTITIES } from '../../../domain/formats/mapping/language/definition.ts';
import type { Policies } from '../../../domain/formats/mapping/policies.ts';
import { MAX_PAYLOAD_BYTES } from '../../../domain/formats/mapping/values/limits.ts';
import { printable } from '../../../domain/formats/mapping/values/printable.ts';
import { addCommand, oneOf, printResult } from '../command-line/command-line.ts';
import { readFileOrStdin } from '../files/read-file.ts';
import { definitionOf, readFormatFile } from '../parts/read-format.ts';

interface Options extends Partial<Policies> {
  format?: string;
  formatFile?: string;
  topic: string;
  file: string;
  json?: boolean;
}

export function addFormatTry(program: Command): void {
  addCommand(program, 'format', 'try')
    .description(
      'Show what a format makes of a message: scans, what is ignored, what is rejected and why. Stores nothing.',
    )
    .option('--format <format>', 'a format by its name; a built-in one needs no database')
    .addOption(new Option('--format-file <file>', 'a format that is not added yet').conflicts('format'))
    .requiredOption('--topic <topic>', 'the topic the message came on')
    .requiredOption('--file <file>', 'the payload; - for standard input')
    .option('--identity <identity>', `what names a beacon: ${IDENTITIES.join(', ')}`, oneOf(...IDENTITIES))
    .option('--time <policy>', 'which time counts: device or receive', oneOf('device', 'receive'))
    .option('--report-unknown <on|off>', 'whether unknown tags are listed', oneOf('on', 'off'))
    .addHelpText(
      'after',
      `
The last three are the reader's own settings; without them the format's count.
JSON: {format, outcome, scans, ignored, rejected}. The outcome is "items", or "ignored" or "rejected" of the whole
message. Scans: {tag_type, value, antenna, rssi, observed_at, reader, report_unknown}; observed_at is null where the time
of receipt will be used. Ignored: {reason, warning}, the latter null or why it is worth a line in the log. Rejected: {item, reason, excerpt}; the item counts from 0, and is null
for the whole message.

Examples:
  ${TAGTRAIL} format try --format minew-json --topic site/gw --file payload.json --identity ibeacon
  mosquitto_sub -t site/gw -C 1 | ${TAGTRAIL} format try --format-file mine.json --topic site/gw --file -`,
    )
    .action(async (options: Options) => {
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
      printResult({ json: { format: format.name, ...run }, text: said(run) }, options);
    });
}

async function formatOf({ format, formatFile, file }: Options): Promise<Format> {
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

function said({ scans, ignored, rejected }: DryRun): string {
  return [
    ...scans.map((scan) => `scan      ${describe(scan)}`),
    ...ignored.map(
      ({ reason, warning }) =>
        `ignored   ${reason}${warning === null ? '' : ` (worth a warning: ${warning})`}`,
    ),
    ...rejected.map(
      ({ item, reason, excerpt }) =>
        `rejected  ${item === null ? 'the message' : `item ${item}`}: ${reason}${excerpt === null ? '' : `\n          ${excerpt}`}`,
    ),
    `${scans.length} ${scans.length === 1 ? 'scan' : 'scans'}, ${ignored.length} ignored, ${rejected.length} rejected. Nothing was stored.`,
  ].join('\n');
}

function describe({ tag_type, value, antenna, rssi, observed_at, reader }: DryScan): string {
  return [
    `${tag_type} ${printable(value, 255)}, antenna ${antenna}`,
    rssi === null ? 'no RSSI' : `${rssi} dBm`,
    observed_at ?? 'at the time of receipt',
    ...(reader === null ? [] : [`reader ${reader}`]),
  ].join(', ');
}
