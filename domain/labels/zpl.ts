import type { Elements } from '../identity/gs1-elements.ts';
import type { Labelled } from './serials.ts';

export const RESOLUTIONS = [203, 300, 600] as const;

/** With `by_password` whoever knows the access password can write the tag again. */
export const LOCKS = ['by_password', 'forever'] as const;

/** How a label is printed, and its tag written. */
export interface Printing {
  dpi: (typeof RESOLUTIONS)[number];
  /** Null leaves the tag open. */
  lock: (typeof LOCKS)[number] | null;
  /** 8 hex digits each. */
  accessPassword: string | null;
  killPassword: string | null;
}

/** Dots per millimetre, and per module: 0.5 mm for a DataMatrix, as large as printers draw them for a QR code. */
const OF_RESOLUTION = {
  203: { dots: 8, matrix: 4, qr: 4 },
  300: { dots: 12, matrix: 6, qr: 6 },
  600: { dots: 24, matrix: 12, qr: 10 },
} as const;

/** Millimetres of the label. */
const WIDTH = 100;
const HEIGHT = 50;

/**
 * Labels in ZPL II, for printers that also write the RFID tag in them: name, key, a GS1 DataMatrix, a QR code with the
 * Digital Link, and the EPC.
 */
export function zplOf(labels: readonly Labelled[], printing: Printing): string {
  return labels.map((label) => zplOfOne(label, printing)).join('');
}

function zplOfOne({ name, external_key: key, epc, elements, link }: Labelled, printing: Printing): string {
  const { dots, matrix, qr } = OF_RESOLUTION[printing.dpi];
  const at = (x: number, y: number) => `^FO${x * dots},${y * dots}`;
  const text = (x: number, y: number, height: number, of: string) =>
    `${at(x, y)}^A0N,${height * dots}^TBN,${(WIDTH - x - 4) * dots},${height * dots}^FH\\^FD${escaped(of)}^FS`;
  return [
    '^XA^CI28',
    `^PW${WIDTH * dots}^LL${HEIGHT * dots}`,
    ...tagCommands(epc, printing),
    text(4, 4, 5, name),
    text(4, 10, 4, key),
    // The underscore begins a code of the symbol: `_1` is FNC1, which makes it a GS1 DataMatrix.
    `${at(4, 17)}^BXN,${matrix},200,,,,_^FD_1${elementString(elements).replaceAll('_', '__')}^FS`,
    `${at(34, 17)}^BQN,2,${qr}^FDMA,${link}^FS`,
    text(4, 44, 3, bracketed(elements)),
    '^XZ\n',
  ].join('\n');
}

/**
 * The tag's memory from the word of its protocol control bits on: the length in words, no user memory, no toggle; then
 * the EPC. Passwords before the locks that need them.
 */
function tagCommands(epc: string, { lock, accessPassword, killPassword }: Printing): string[] {
  const words = epc.length / 4;
  const bits = (words * 2 ** 11).toString(16).toUpperCase().padStart(4, '0');
  const passwords = accessPassword ?? killPassword;
  const sign = lock === 'forever' ? 'P' : 'L';
  return [
    '^RS8',
    `^RFW,H,1,${2 * (words + 1)},1^FD${bits}${epc}^FS`,
    ...(passwords === null ? [] : [`^RFW,H,P^FD${accessPassword ?? ''},${killPassword ?? ''}^FS`]),
    ...(lock === null
      ? []
      : [`^RLM,${killPassword === null ? '' : sign},${accessPassword === null ? '' : sign},${sign},`]),
  ];
}

/** As a scanner reads it. No label has a second value behind one of variable length, which would need a separator. */
function elementString(elements: Elements): string {
  return [...elements].map(([ai, value]) => ai + value).join('');
}

function bracketed(elements: Elements): string {
  return [...elements].map(([ai, value]) => `(${ai})${value}`).join('');
}

/** Signs that begin commands, and control characters, as codes. */
function escaped(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
  return text.replace(/[\\^~\u0000-\u001f\u007f]/g, (sign) =>
    sign < ' ' || sign === '\u007f' ? ' ' : `\\${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
