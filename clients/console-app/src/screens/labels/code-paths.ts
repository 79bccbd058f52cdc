import JsBarcode from 'jsbarcode';
import { encode } from 'uqr';

/** Dark modules as a path: one unit a module, within `width` by `height` units, the quiet zone included. */
export interface CodePath {
  width: number;
  height: number;
  path: string;
}

/** Modules around a QR code, and beside a barcode, that stay white (ISO/IEC 18004, 15417). */
const QUIET_QR = 4;
const QUIET_BARCODE = 10;

export function qrPath(text: string): CodePath {
  const { data, size } = encode(text, { ecc: 'M', border: 0 });
  const path = data
    .flatMap((row, y) =>
      runsOf(row).map(([x, length]) => `M${x + QUIET_QR} ${y + QUIET_QR}h${length}v1h-${length}z`),
    )
    .join('');
  return { width: size + 2 * QUIET_QR, height: size + 2 * QUIET_QR, path };
}

/** Code 128. Null if a character is not in it. */
export function barcodePath(text: string): CodePath | null {
  if (!/^[\x20-\x7e]+$/.test(text)) {
    return null;
  }
  const made: { encodings?: { data: string }[] } = {};
  JsBarcode(made, text, { format: 'CODE128' });
  const modules = [...(made.encodings?.map(({ data }) => data).join('') ?? '')].map((bit) => bit === '1');
  const path = runsOf(modules)
    .map(([x, length]) => `M${x + QUIET_BARCODE} 0h${length}v1h-${length}z`)
    .join('');
  return { width: modules.length + 2 * QUIET_BARCODE, height: 1, path };
}

function runsOf(modules: readonly boolean[]): [start: number, length: number][] {
  const runs: [number, number][] = [];
  for (const [index, isDark] of modules.entries()) {
    const last = runs.at(-1);
    if (isDark && last !== undefined && last[0] + last[1] === index) {
      last[1] += 1;
    } else if (isDark) {
      runs.push([index, 1]);
    }
  }
  return runs;
}
