import { Readable } from 'node:stream';
import type Koa from 'koa';
import { whenClosed } from './hanging-up.ts';

const PATIENCE_MS = 30_000;

/** An answer of server-sent events, which lasts until either side ends it. */
export class EventStream {
  readonly #pieces: (lastEventId: string | null) => AsyncIterable<string>;
  readonly #patience: number;
  readonly #onCut: () => void;
  readonly #onClose: () => void;

  /**
   * @param pieces whole events and comments, after the last one that the reader had, if it says.
   * @param patience milliseconds that a piece may take to be read; then the reader is cut off, and `onCut` is called.
   * @param onClose called once it is over, also if nothing of it was read.
   */
  constructor(
    pieces: (lastEventId: string | null) => AsyncIterable<string>,
    { patience = PATIENCE_MS, onCut = () => {}, onClose = () => {} } = {},
  ) {
    this.#pieces = pieces;
    this.#patience = patience;
    this.#onCut = onCut;
    this.#onClose = onClose;
  }

  /** Nothing is read ahead: at most one piece is held for a slow reader, which is cut off in the end. */
  send(koa: Koa.Context): void {
    const { req, res, method } = koa;
    whenClosed(res, this.#onClose);
    koa.status = 200;
    koa.set({
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store',
      // nginx would hold events back until its buffer is full.
      'X-Accel-Buffering': 'no',
    });
    const last = req.headers['last-event-id'];
    koa.body =
      method === 'HEAD'
        ? Readable.from([])
        : Readable.from(this.#whileRead(res, typeof last === 'string' ? last : null), {
            objectMode: true,
            highWaterMark: 0,
          });
  }

  async *#whileRead(res: Koa.Context['res'], lastEventId: string | null): AsyncGenerator<string, void> {
    for await (const piece of this.#pieces(lastEventId)) {
      const timer = setTimeout(() => {
        this.#onCut();
        res.destroy();
      }, this.#patience);
      try {
        yield piece;
      } finally {
        clearTimeout(timer);
      }
    }
  }
}

/** @param data goes on one line. */
export function eventText({ id, event, data }: { id: number; event: string; data: object }): string {
  return `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Keeps proxies from ending a silent connection. */
export const COMMENT = ':\n\n';
