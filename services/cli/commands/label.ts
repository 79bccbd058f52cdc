import type { Networks } from '../../../base/networks.ts';
import { openPrinters, printOn } from '../../../domain/labels/printers.ts';
import {
  addRange,
  labelAssets,
  listRanges,
  SERIAL_AIS,
  type SerialAi,
} from '../../../domain/labels/serials.ts';
import { CODES, HEIGHTS, RESOLUTIONS, USUAL_SIZE, WIDTHS, zplFor } from '../../../domain/labels/zpl.ts';
import { readSettings } from '../../../platform/runtime/settings.ts';
import { PRINTER_NETWORKS } from '../../console/config.ts';
import { addCommand, type Command, examples, id, oneOf, wholeNumber } from '../command-line/command-line.ts';
import { listTable } from '../command-line/list-table.ts';
import { withOrganization } from '../connections/database.ts';
import { running } from '../running/running.ts';

export function addLabel(program: Command): void {
  addLabelRange(program);
  addLabelRanges(program);
  addLabelPrint(program);
}

const serial = wholeNumber(0, Number.MAX_SAFE_INTEGER);

interface RangeOptions {
  org: number;
  ai: SerialAi;
  base: string;
}

function withRange(command: Command): Command {
  return command
    .requiredOption('--org <id>', 'the organization', id)
    .requiredOption(
      '--ai <identifier>',
      '01: items; 00: pallets (SSCC); 8003: returnable assets; 8004: individual assets',
      oneOf(...SERIAL_AIS),
    )
    .requiredOption(
      '--base <digits>',
      'what serial numbers complete. 01: GTIN of 14 digits; 00: extension digit and company prefix; 8003: GRAI of 13 digits; 8004: company prefix',
    );
}

function addLabelRange(program: Command): void {
  withRange(addCommand(program, 'label', 'range').description('Add a range of serial numbers for labels.'))
    .requiredOption('--prefix-length <digits>', 'digits of the company prefix, 6 to 12', wholeNumber(6, 12))
    .option('--filter <value>', "the EPC's filter value, 0 to 7; default: 0", wholeNumber(0, 7))
    .requiredOption('--first <number>', 'the first serial number', serial)
    .requiredOption('--last <number>', 'the last one', serial)
    .addHelpText(
      ...examples(
        'label range --org 1 --ai 01 --base 80614141123458 --prefix-length 7 --first 1 --last 999999',
        'label range --org 1 --ai 00 --base 10614141 --prefix-length 7 --first 1 --last 999999999 --filter 2',
      ),
    )
    .prints(
      async (
        options: RangeOptions & { prefixLength: number; filter?: number; first: number; last: number },
      ) => {
        const { org, ai, base, prefixLength, filter = 0, first, last } = options;
        const range = await withOrganization(org, (db, actor) =>
          addRange(db, actor, {
            ...{ ai, base, prefix_length: prefixLength, filter },
            ...{ next_serial: first, last_serial: last },
          }),
        );
        return { json: range, text: `Labels of (${ai})${base} get ${first} to ${last}.` };
      },
    );
}

function addLabelRanges(program: Command): void {
  addCommand(program, 'label', 'ranges')
    .description('List the ranges of serial numbers.')
    .requiredOption('--org <id>', 'the organization', id)
    .addHelpText(...examples('label ranges --org 1'))
    .prints(async ({ org }: { org: number }) => {
      const ranges = await withOrganization(org, listRanges);
      const lines = listTable(
        ['identifier', 'base', 'prefix', 'filter', 'next', 'last'],
        ranges.map(({ ai, base, prefix_length: prefix, filter, next_serial: next, last_serial: last }) =>
          [ai, base, prefix, filter, next, last].map(String),
        ),
      );
      return { json: ranges, text: ranges.length === 0 ? 'No ranges.' : lines.join('\n') };
    });
}

interface PrintOptions extends RangeOptions {
  asset: string[];
  dpi?: string;
  width?: number;
  height?: number;
  codes?: (typeof CODES)[number];
  lock?: true;
  printer?: string;
}

function addLabelPrint(program: Command): void {
  withRange(
    addCommand(program, 'label', 'print').description(
      'Print labels in ZPL II, for a printer that writes their RFID tags. Each asset gets a tag with the next serial number; one that has a tag of the range keeps it.',
    ),
  )
    .requiredOption(
      '--asset <key...>',
      'these assets, by their external keys',
      (key, keys: string[] = []) => [...keys, key],
    )
    .option(
      '--dpi <dots>',
      'resolution of the printer: 203, 300 or 600; default: 203',
      oneOf(...RESOLUTIONS.map(String)),
    )
    .option('--width <mm>', 'of the label; default: 100', wholeNumber(WIDTHS.min, WIDTHS.max))
    .option('--height <mm>', 'of the label; default: 50', wholeNumber(HEIGHTS.min, HEIGHTS.max))
    .option(
      '--codes <codes>',
      'gs1: a GS1 DataMatrix; link: a QR code with the Digital Link; default: both',
      oneOf(...CODES),
    )
    .option('--lock', 'let nobody write the tags again')
    .option('--printer <name>', 'print them on this printer, and the ZPL only with --json')
    .addHelpText(
      ...examples(
        'label print --org 1 --ai 01 --base 80614141123458 --asset PALLET-7 PALLET-8 --dpi 300 > labels.zpl',
        'label print --org 1 --ai 01 --base 80614141123458 --asset DRILL-3 --width 70 --height 25 --codes gs1 > label.zpl',
      ),
    )
    .prints(async (options: PrintOptions) => {
      const { width = USUAL_SIZE.width, height = USUAL_SIZE.height, codes = 'both' } = options;
      const dpi = RESOLUTIONS.find((each) => String(each) === options.dpi) ?? 203;
      const lock = options.lock === true ? 'forever' : null;
      const zplOf = zplFor({ dpi, width, height, codes, lock, accessPassword: null, killPassword: null });
      const { zpl, labels } = await withOrganization(options.org, (db, actor) => {
        const make = async () => {
          const made = await labelAssets(db, actor, options, options.asset);
          return { labels: made, zpl: zplOf(made) };
        };
        return options.printer === undefined
          ? make()
          : printOn(db, options.printer, openPrinters(printerNetworks()), make);
      });
      return {
        json: {
          zpl,
          labels: labels.map(({ external_key, epc, link }) => ({ external_key, epc, digital_link: link })),
        },
        text: options.printer === undefined ? zpl : `Sent to printer ${options.printer}.`,
      };
    });
}

/** Where printers may be. */
export function printerNetworks(): Networks {
  return readSettings({ PRINTER_NETWORKS }, running().env).PRINTER_NETWORKS;
}
