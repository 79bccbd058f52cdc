import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { setImmediate as nextRound } from 'node:timers/promises';
import { readPast } from '../runtime/read-past.ts';
import { contentEncoding } from './body.ts';
import type { BodyRoom, Reservation } from './body-room.ts';
import type { Sender } from './body-room-bounds.ts';
import { badRequest, Problem } from './problem.ts';

/** Bytes of the largest body held in memory. */
export const BODY_LIMIT = 1_048_576;

/**
 * Bytes of bodies that need no room: Node.js has read that much before anybody asks. So everyday submissions
 * and changes never wait for large ones.
 */
export const SMALL = 16_384;

export class RequestBody {
  readonly #request: IncomingMessage;
  readonly #room: BodyRoom;
  readonly #sender: () => Sender;
  readonly #signal: () => AbortSignal;
  #reservation: Reservation | null = null;

  constructor(request: IncomingMessage, room: BodyRoom, sender: () => Sender, signal: () => AbortSignal) {
    this.#request = request;
    this.#room = room;
    this.#sender = sender;
    this.#signal = signal;
  }

  /** @throws Problem as {@link stream} does. */
  read(): Promise<Buffer<ArrayBuffer>> {
    return gather(this.stream(BODY_LIMIT), announcedOf(this.#request.headers));
  }

  /**
   * Streams the body as it arrives. Bytes beyond the limit, or not asked for, are read and discarded, so that a client
   * that sends without reading sees the answer and can reuse the connection (`lingering-close.ts` does the same for
   * bodies that nobody began to read).
   *
   * @param limit in bytes.
   * @param kept bytes that are streamed of a body that announces more than the limit, before it is refused.
   * @throws Problem `payload_too_large` above the limit, `bad_request` if it breaks off, `unavailable` and
   * `request_timeout` from the room.
   */
  async *stream(limit: number, kept = 0): AsyncGenerator<Buffer, void> {
    const { headers } = this.#request;
    const announced = announcedOf(headers) ?? limit;
    const isOver = announced > limit;
    if (isOver && kept === 0) {
      throw tooLarge(limit);
    }
    // Compressed bytes may become as many as are allowed. For a small body, the code that unpacks it takes the room.
    const whole = contentEncoding(headers) === 'identity' || announced <= SMALL ? announced : limit;
    const most = isOver ? kept : whole;
    if (most > SMALL) {
      this.#reservation = await this.#room.enter(this.#sender(), most, this.#signal());
    }
    const chunks = this.#request.iterator({ destroyOnReturn: false });
    let size = 0;
    try {
      for (let next = await this.#next(chunks); !next.done; next = await this.#next(chunks)) {
        const chunk: Buffer = next.value;
        size += chunk.length;
        if (size > limit) {
          throw tooLarge(limit);
        }
        this.#reservation?.heard(chunk.length);
        yield chunk;
        if (isOver && size >= kept) {
          throw tooLarge(limit);
        }
      }
      this.#reservation?.complete(most === announced ? size : most);
    } catch (error) {
      throw error instanceof Problem ? error : badRequest('Request body was cut off');
    } finally {
      this.#readPast(chunks);
    }
  }

  /** Takes room for a small body that unpacks to more. @throws Problem `unavailable`. */
  async unfold(bytes: number): Promise<void> {
    if (this.#reservation === null) {
      this.#reservation = await this.#room.enter(this.#sender(), bytes, this.#signal());
      this.#reservation.complete(bytes);
    }
  }

  leave(): void {
    this.#reservation?.leave();
    this.#reservation = null;
  }

  /** @throws Problem if the room is lost while waiting. */
  async #next(chunks: AsyncIterator<Buffer>): Promise<IteratorResult<Buffer>> {
    if (this.#request.headers['transfer-encoding'] !== undefined) {
      // What comes in one round of the event loop is one chunk then, even if it was sent in thousands.
      await nextRound();
    }
    const reservation = this.#reservation;
    return reservation === null
      ? chunks.next()
      : new Promise((resolve, reject) => {
          reservation.onLost(reject);
          chunks.next().then(resolve, reject);
        });
  }

  /** An iterator waiting for bytes keeps the request from flowing until some arrive. */
  #readPast(chunks: AsyncIterator<Buffer>): void {
    const rest = () => {
      if (!this.#request.readableEnded) {
        void readPast(this.#request);
      }
    };
    chunks.return?.().then(rest, rest);
  }
}

/**
 * @param announced their bytes; null if unknown, but at most {@link BODY_LIMIT}.
 * @param onFault gets what has come if they cannot all be had.
 */
export async function gather(
  chunks: AsyncIterable<Buffer>,
  announced: number | null,
  onFault: (bytes: Buffer<ArrayBuffer>) => void = () => {},
): Promise<Buffer<ArrayBuffer>> {
  let bytes = Buffer.alloc(0);
  let size = 0;
  try {
    for await (const chunk of chunks) {
      const length = size + chunk.length;
      if (length > bytes.length) {
        // One buffer: sockets deliver many small ones, each with an overhead of its own.
        const larger = Buffer.allocUnsafeSlow(
          Math.max(length, announced ?? Math.min(2 * length, BODY_LIMIT)),
        );
        bytes.copy(larger, 0, 0, size);
        bytes = larger;
      }
      chunk.copy(bytes, size);
      size = length;
    }
  } catch (error) {
    onFault(bytes.subarray(0, size));
    throw error;
  }
  return bytes.subarray(0, size);
}

export function announcedOf({ 'content-length': length }: IncomingHttpHeaders): number | null {
  return length === undefined ? null : Number(length);
}

export function tooLarge(limit: number): Problem {
  return new Problem('payload_too_large', `Request body must be at most ${limit} bytes`);
}
