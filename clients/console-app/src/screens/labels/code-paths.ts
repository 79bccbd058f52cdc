import type { DrawingContext } from 'bwip-js/generic';
import { encode } from 'uqr';

/** Dark modules as a path, by the rule `evenodd`: within `width` by `height` units, the quiet zone included. */
export interface CodePath {
  width: number;
  height: number;
  path: string;
}

// MIT, kept up, without dependencies. Its two kinds of codes are half as large as the rest of this screen.
let library: Pick<typeof import('bwip-js/generic'), 'code128' | 'gs1datamatrix'>;

/** To be awaited before anything is drawn. */
export async function loadCodes(): Promise<void> {
  const { code128, gs1datamatrix } = await import('bwip-js/generic');
  library = { code128, gs1datamatrix };
}

/** Codes that are kept: as many labels are printed at once, and drawing one takes a millisecond. */
const MOST_KEPT = 1_000;

function kept<Drawn>(draw: (text: string) => Drawn): (text: string) => Drawn {
  const drawn = new Map<string, Drawn>();
  return (text) => {
    const code = drawn.get(text) ?? draw(text);
    if (drawn.size >= MOST_KEPT && !drawn.has(text)) {
      drawn.clear();
    }
    drawn.set(text, code);
    return code;
  };
}

/** Modules around a code that stay white (ISO/IEC 18004, 16022, 15417). */
const QUIET = { qr: 4, matrix: 1, barcode: 10 };

export const qrPath = kept((text): CodePath => {
  const { data, size } = encode(text, { ecc: 'M', border: QUIET.qr });
  const path = data.flatMap((row, y) => {
    const runs = row.map(Number).join('').matchAll(/1+/g);
    return [...runs].map(({ index, 0: { length } }) => `M${index} ${y}h${length}v1h-${length}z`);
  });
  return { width: size, height: size, path: path.join('') };
});

/** A GS1 DataMatrix. @param elements in brackets, such as `(01)09524000059109(21)ABC`; each has to be valid. */
export const matrixPath = kept((elements): CodePath => {
  // Two units a module.
  const quiet = 2 * QUIET.matrix;
  return library.gs1datamatrix(
    { bcid: 'gs1datamatrix', text: elements, scale: 1 },
    new PathDrawing(quiet, quiet),
  );
});

/** Code 128. Null if a character is not in it. */
export const barcodePath = kept((text): CodePath | null =>
  /^[\x20-\x7e]+$/.test(text)
    ? library.code128({ bcid: 'code128', text, scale: 1, height: 1 }, new PathDrawing(QUIET.barcode, 0))
    : null,
);

/** What the library asks to be drawn, as a path. Codes have no text here, and no round modules. */
class PathDrawing implements DrawingContext<CodePath> {
  readonly #across: number;
  readonly #down: number;
  #size = { width: 0, height: 0 };
  #path = '';

  constructor(across: number, down: number) {
    this.#across = across;
    this.#down = down;
  }

  scale(x: number, y: number): [number, number] {
    return [x, y];
  }

  init(width: number, height: number): void {
    this.#size = { width: width + 2 * this.#across, height: height + 2 * this.#down };
  }

  /** A bar. */
  line(x: number, _y: number, _x1: number, _y1: number, width: number): void {
    const left = this.#across + x - Math.ceil(width / 2);
    this.#path += `M${left} 0h${width}v${this.#size.height}h-${width}z`;
  }

  polygon(points: [number, number][]): void {
    const moved = points.map(([x, y]) => `${x + this.#across} ${y + this.#down}`);
    this.#path += `M${moved.join('L')}z`;
  }

  end(): CodePath {
    return { ...this.#size, path: this.#path };
  }

  measure() {
    return { width: 0, ascent: 0, descent: 0 };
  }

  fill(): void {}
  ellipse(): void {}
  hexagon(): void {}
  text(): void {}
}
