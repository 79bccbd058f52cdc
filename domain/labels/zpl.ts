import { AppError } from '../../base/errors.ts';
import type { Elements } from '../identity/gs1-elements.ts';
import type { Labelled } from './serials.ts';

export const RESOLUTIONS = [203, 300, 600] as const;

/** With `by_password` whoever knows the access password can write the tag again. */
export const LOCKS = ['by_password', 'forever'] as const;

/** How a label is printed, and its tag written. */
export interface Printing {
  dpi: (typeof RESOLUTIONS)[number];
  /** Millimetres. */
  width: number;
  height: number;
  codes: (typeof CODES)[number];
  /** Null leaves the tag open. */
  lock: (typeof LOCKS)[number] | null;
  /** 8 hex digits each. */
  accessPassword: string | null;
  killPassword: string | null;
}

/** Millimetres of a label, as label printers for tags take them. */
export const WIDTHS = { min: 40, max: 170 } as const;
export const HEIGHTS = { min: 20, max: 300 } as const;
export const USUAL_SIZE = { width: 100, height: 50 } as const;

/** A GS1 DataMatrix, a QR code with the Digital Link, or both. */
export const CODES = ['both', 'gs1', 'link'] as const;

/** Dots per millimetre. */
const DOTS = { 203: 8, 300: 12, 600: 24 } as const;

/** Modules of the largest codes that numbers of a range take, with the DataMatrix's quiet zone. */
const MATRIX = 20;
const QR = 33;

/** Millimetres of a module: as large as common, and the smallest that printers and scanners manage. */
const MODULE = 0.5;
const SMALLEST = 0.25;
/** Dots of a module of a QR code, as printers draw them. */
const MOST_QR = 10;

/** What is where, in millimetres but for the dots of modules. */
interface Layout {
  dots: number;
  width: number;
  height: number;
  margin: number;
  /** Heights of name, external key and GS1 key. */
  texts: readonly [number, number, number];
  /** The upper edge of the codes, and of the GS1 key below. */
  codes: number;
  below: number;
  /** Null without the code. */
  matrix: number | null;
  qr: { x: number; module: number } | null;
}

/**
 * Makes ZPL II of labels, for printers that also write the RFID tag in them: name, key, codes, the GS1 key for people,
 * and the EPC.
 *
 * @throws AppError `invalid_input` if the codes have no room: at once, so that no serial number is drawn for it.
 */
export function zplFor(printing: Printing): (labels: readonly Labelled[]) => string {
  const layout = layOut(printing);
  return (labels) => labels.map((label) => zplOfOne(label, printing, layout)).join('');
}

function layOut({ dpi, width, height, codes: wanted }: Printing): Layout {
  const dots = DOTS[dpi];
  const margin = Math.min(width / 2, height) < 40 ? 2 : 4;
  const name = Math.min(5, Math.max(2.5, height / 10));
  const texts = [name, name * 0.8, name * 0.6] as const;
  const codes = margin + name + texts[1] + margin;
  const below = height - margin - texts[2];
  const inside = width - 2 * margin;
  const moduleOf = (modules: number) =>
    Math.floor(dots * Math.min(MODULE, (below - codes - 1) / modules, inside / modules));
  const matrix = wanted === 'link' ? null : moduleOf(MATRIX);
  const x = matrix === null ? margin : margin + (matrix * MATRIX) / dots + 2 * margin;
  const qr = wanted === 'gs1' ? null : { x, module: Math.min(MOST_QR, moduleOf(QR)) };
  const right = qr === null ? 0 : x + (qr.module * QR) / dots;
  const least = Math.min(matrix ?? dots, qr?.module ?? dots);
  if (least < SMALLEST * dots || right > width - margin) {
    throw new AppError(
      'invalid_input',
      `A label of ${width} × ${height} mm has no room for ${wanted === 'both' ? 'both codes: ask for one of them, or' : 'the code:'} use a larger label`,
    );
  }
  return { dots, width, height, margin, texts, codes, below, matrix, qr };
}

function zplOfOne(
  { name, external_key: key, epc, elements, link }: Labelled,
  printing: Printing,
  { dots, width, height, margin, texts, codes, below, matrix, qr }: Layout,
): string {
  const inDots = (millimetres: number) => Math.round(millimetres * dots);
  const at = (x: number, y: number) => `^FO${inDots(x)},${inDots(y)}`;
  const text = (y: number, size: number, of: string) =>
    `${at(margin, y)}^A0N,${inDots(size)}^TBN,${inDots(width - 2 * margin)},${inDots(size)}^FH\\^FD${escaped(of)}^FS`;
  const gs1 = bracketed(elements);
  return [
    '^XA^CI28',
    `^PW${inDots(width)}^LL${inDots(height)}`,
    ...tagCommands(epc, printing),
    text(margin, texts[0], name),
    text(margin + texts[0] + 1, texts[1], key),
    // The underscore begins a code of the symbol: `_1` is FNC1, which makes it a GS1 DataMatrix.
    ...(matrix === null
      ? []
      : [
          `${at(margin, codes)}^BXN,${matrix},200,,,,_^FD_1${elementString(elements).replaceAll('_', '__')}^FS`,
        ]),
    ...(qr === null ? [] : [`${at(qr.x, codes)}^BQN,2,${qr.module}^FDMA,${link}^FS`]),
    // Letters of this font are little more than half as wide as high.
    text(below, Math.min(texts[2], (width - 2 * margin) / (gs1.length * 0.6)), gs1),
    '^XZ\n',
  ].join('\n');
}

/**
 * The tag's memory from the word of its protocol control bits on: the length in words, no user memory, no toggle; then
 * the EPC. Passwords before the locks that need them.
 */
function tagCommands(epc: string, { lock, accessPassword, killPassword }: Printing): string[] {
  // One of 198 bits, as a tag that another program has encoded, ends within a word.
  const words = Math.ceil(epc.length / 4);
  const bits = (words * 2 ** 11).toString(16).toUpperCase().padStart(4, '0');
  const passwords = accessPassword ?? killPassword;
  const sign = lock === 'forever' ? 'P' : 'L';
  return [
    '^RS8',
    `^RFW,H,1,${2 * (words + 1)},1^FD${bits}${epc.padEnd(4 * words, '0')}^FS`,
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
