import { Readable } from 'node:stream';
import type Koa from 'koa';
import { whenClosed } from './hanging-up.ts';

/** Milliseconds that a piece may take to be read, and characters or bytes of the longest piece. */
const PATIENCE = 30_000;
const LONGEST = 65_536;

/** An answer that a browser saves as a file, sent as fast as it is read. */
export class Download {
  readonly #name: string;
  readonly #type: string;
  readonly #pieces: () => AsyncIterable<string | Uint8Array>;
  readonly #onClose: () => void;
  readonly #cut: AbortSignal | undefined;

  /**
   * @param name of ASCII letters, digits, dots and dashes.
   * @param onClose called once it is over, also if nothing of it was read.
   * @param cut aborting it closes the connection: a browser then says that the download failed.
   */
  constructor(
    name: string,
    type: string,
    pieces: () => AsyncIterable<string | Uint8Array>,
    onClose = () => {},
    cut?: AbortSignal,
  ) {
    this.#name = name;
    this.#type = type;
    this.#pieces = pieces;
    this.#onClose = onClose;
    this.#cut = cut;
  }

  /** Nothing is read ahead: at most one piece is held for a slow reader, which is cut off in the end. */
  send(koa: Koa.Context): void {
    const { res } = koa;
    const close = () => res.destroy();
    this.#cut?.addEventListener('abort', close);
    whenClosed(res, () => {
      this.#cut?.removeEventListener('abort', close);
      this.#onClose();
    });
    koa.status = 200;
    koa.set({
      'Content-Type': this.#type,
      'Content-Disposition': `attachment; filename="${this.#name}"`,
      'Cache-Control': 'no-store',
    });
    koa.body =
      koa.method === 'HEAD'
        ? Readable.from([])
        : Readable.from(this.#whileRead(res), { objectMode: true, highWaterMark: 0 });
  }

  async *#whileRead(res: Koa.Context['res']): AsyncGenerator<string | Uint8Array, void> {
    for await (const piece of this.#pieces()) {
      for (let at = 0; at < piece.length; ) {
        const end = typeof piece === 'string' ? endOf(piece, at + LONGEST) : at + LONGEST;
        const timer = setTimeout(() => res.destroy(), PATIENCE);
        try {
          yield piece.slice(at, end);
        } finally {
          clearTimeout(timer);
        }
        at = end;
      }
    }
  }
}

/** Does not split a surrogate pair: each part is encoded by itself. */
function endOf(text: string, wanted: number): number {
  const last = text.charCodeAt(wanted - 1);
  return wanted < text.length && last >= 0xd800 && last <= 0xdbff ? wanted + 1 : wanted;
}
