import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { gunzipSync } from 'node:zlib';

/** An answer as it came over the wire. */
export interface RawAnswer {
  status: number;
  headers: Headers;
  text: string;
}

/** What is wrong with a connection when a request gets no answer. */
export class NoAnswer extends Error {}

/** How long an answer may take, in milliseconds: whoever reads the move feed may wait for 30 s. */
const LONGEST_MS = 40_000;

/**
 * A connection that sends bytes exactly as they are, which no HTTP client would: lone `%` signs, Latin-1 headers. It is
 * kept alive from request to request, so that a request that leaves it out of step is noticed by the next.
 */
export class RawConnection {
  readonly #port: number;
  #socket: Socket | null = null;

  constructor(url: string) {
    this.#port = Number(new URL(url).port);
  }

  /**
   * Sends a request, and reads its answer to the end.
   *
   * @param hasBody whether the answer has one: none has to HEAD.
   * @throws NoAnswer if none comes in time, or the connection ends first.
   */
  async exchange(request: Buffer, hasBody: boolean): Promise<RawAnswer> {
    const socket = await this.#open();
    const deadline = setTimeout(
      () => socket.destroy(new NoAnswer(`no answer in ${LONGEST_MS} ms`)),
      LONGEST_MS,
    );
    try {
      socket.write(request);
      const answer = await readAnswer(socket, hasBody);
      if (answer.headers.get('connection') === 'close') {
        this.close();
      }
      return answer;
    } catch (error) {
      this.close();
      throw error instanceof NoAnswer ? error : new NoAnswer(`the connection broke: ${error}`);
    } finally {
      clearTimeout(deadline);
    }
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = null;
  }

  async #open(): Promise<Socket> {
    const kept = this.#socket;
    if (kept?.readable === true && kept.writable) {
      return kept;
    }
    const socket = connect({ host: '127.0.0.1', port: this.#port, noDelay: true });
    socket.on('error', () => {});
    this.#socket = socket;
    await once(socket, 'connect');
    return socket;
  }
}

/** Every answer of this service that has a body says how long it is. */
async function readAnswer(socket: Socket, hasBody: boolean): Promise<RawAnswer> {
  let held: Buffer = Buffer.alloc(0);
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    held = Buffer.concat([held, chunk]);
    held = withoutInterim(held);
    const end = held.indexOf('\r\n\r\n');
    if (end === -1) {
      continue;
    }
    const { status, headers } = readHead(held.subarray(0, end).toString('latin1'));
    const body = held.subarray(end + 4);
    const length = hasBody ? Number(headers.get('content-length') ?? 0) : 0;
    if (body.length > length) {
      throw new NoAnswer(`${body.length - length} bytes too many in the answer`);
    }
    if (body.length === length) {
      const text = headers.get('content-encoding') === 'gzip' ? gunzipSync(body) : body;
      return { status, headers, text: text.toString('utf8') };
    }
  }
  throw new NoAnswer(`the connection ended after ${held.length} bytes of the answer`);
}

/** `100 Continue` comes before the answer. */
function withoutInterim(held: Buffer): Buffer {
  const end = held.indexOf('\r\n\r\n');
  return end !== -1 && held.subarray(0, 10).toString('latin1') === 'HTTP/1.1 1'
    ? withoutInterim(held.subarray(end + 4))
    : held;
}

function readHead(head: string): { status: number; headers: Headers } {
  const [line = '', ...fields] = head.split('\r\n');
  const headers = new Headers();
  for (const field of fields) {
    const colon = field.indexOf(':');
    headers.append(field.slice(0, colon), field.slice(colon + 1).trim());
  }
  return { status: Number(line.split(' ')[1]), headers };
}
