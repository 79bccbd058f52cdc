import type { IncomingMessage } from 'node:http';
import { readPast } from '../runtime/read-past.ts';
import type { Sender } from './body-bounds.ts';
import type { BodyRoom, Place } from './body-room.ts';
import { badRequest, Problem } from './problem.ts';

/** The largest request body that is held in memory, in bytes: 1 MiB. */
export const BODY_LIMIT = 1_048_576;

/**
 * Bodies up to this size need no room: Node.js has read as much of any request before anybody asks for its body. So the
 * submissions and changes of every day never wait for large ones.
 */
const SMALL = 16_384;

/** The body of a request, from before it is read until the request is answered. */
export class RequestBody {
  readonly #request: IncomingMessage;
  readonly #room: BodyRoom;
  readonly #sender: () => Sender;
  readonly #signal: () => AbortSignal;
  #place: Place | null = null;

  /** @param signal when it aborts, the sender has hung up. */
  constructor(request: IncomingMessage, room: BodyRoom, sender: () => Sender, signal: () => AbortSignal) {
    this.#request = request;
    this.#room = room;
    this.#sender = sender;
    this.#signal = signal;
  }

  /** The bytes of the body. @throws Problem as {@link stream} does. */
  async read(): Promise<Buffer<ArrayBuffer>> {
    let bytes = Buffer.alloc(0);
    let size = 0;
    for await (const chunk of this.stream(BODY_LIMIT)) {
      const length = size + chunk.length;
      if (length > bytes.length) {
        // A buffer of its own: what is read of a socket comes in many small ones, each of which costs memory beside its bytes.
        const larger = Buffer.allocUnsafeSlow(
          Math.max(length, this.#announced ?? Math.min(2 * length, BODY_LIMIT)),
        );
        bytes.copy(larger, 0, 0, size);
        bytes = larger;
      }
      chunk.copy(bytes, size);
      size = length;
    }
    return bytes.subarray(0, size);
  }

  /**
   * The body as it arrives. What lies beyond the limit, or is not asked for, is read past and not kept, so that
   * a caller who only sends gets to see the answer and can use the connection again. (So is a body that nobody began to
   * read, by `lingering-close.ts`.)
   *
   * @param limit in bytes.
   * @throws Problem `payload_too_large` above the limit, `bad_request` if the caller stops in the middle, `unavailable`
   * and `request_timeout` as the room has it.
   */
  async *stream(limit: number): AsyncGenerator<Buffer, void> {
    const announced = this.#announced ?? limit;
    if (announced > limit) {
      throw tooLarge(limit);
    }
    if (announced > SMALL) {
      this.#place = await this.#room.enter(this.#sender(), announced, this.#signal());
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
        this.#place?.heard(chunk.length);
        yield chunk;
      }
      this.#place?.complete(size);
    } catch (error) {
      throw error instanceof Problem ? error : badRequest('Request body was cut off');
    } finally {
      this.#readPast(chunks);
    }
  }

  /** The request is answered. */
  leave(): void {
    this.#place?.leave();
    this.#place = null;
  }

  get #announced(): number | null {
    const { 'content-length': length } = this.#request.headers;
    return length === undefined ? null : Number(length);
  }

  /** @throws Problem if the room is lost meanwhile. */
  #next(chunks: AsyncIterator<Buffer>): Promise<IteratorResult<Buffer>> {
    const place = this.#place;
    return place === null
      ? chunks.next()
      : new Promise((resolve, reject) => {
          place.onLost(reject);
          chunks.next().then(resolve, reject);
        });
  }

  /** An iterator that still waits for bytes keeps the request from flowing until some have come. */
  #readPast(chunks: AsyncIterator<Buffer>): void {
    const rest = () => {
      if (!this.#request.readableEnded) {
        void readPast(this.#request);
      }
    };
    chunks.return?.().then(rest, rest);
  }
}

function tooLarge(limit: number): Problem {
  return new Problem('payload_too_large', `Request body must be at most ${limit} bytes`);
}
