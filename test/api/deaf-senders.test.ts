import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { LINGERS } from '../../platform/runtime/lingering-close.ts';
import { useApi } from '../support/api.ts';

const PIECE = Buffer.alloc(65_536, 'x');
const CHUNK = Buffer.concat([Buffer.from('10000\r\n'), PIECE, Buffer.from('\r\n')]);

interface Sender {
  head: string;
  piece: Buffer;
  pieces: number;
  end: string;
}

describe('a sender that does not listen', () => {
  const api = useApi();

  /** Sends everything before anything is read; gives what then comes back, until the connection is closed. */
  const deafly = async ({ head, piece, pieces, end }: Sender) => {
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1').pause();
    const failed = new Promise((resolve) => socket.on('error', () => {}).once('close', resolve));
    socket.write(head);
    let sent = 0;
    while (sent < pieces && (await written(socket, piece, failed))) {
      sent += 1;
    }
    // Who closes its own side ends what is asked for as well.
    if (end.includes('Connection: close')) {
      socket.write(end);
    } else {
      socket.end(end);
    }
    const received: Buffer[] = [];
    socket.on('data', (bytes: Buffer) => received.push(bytes)).resume();
    await failed;
    return { sent, text: Buffer.concat(received).toString() };
  };

  const head = (key: string, more: string) =>
    `POST /api/v1/assets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n${more}\r\n`;
  const pieces = 160;
  const length = `Content-Length: ${pieces * PIECE.length}\r\n`;
  const framings = {
    'of a length that is known': { more: length, piece: PIECE, pieces, end: '' },
    'of chunks': { more: 'Transfer-Encoding: chunked\r\n', piece: CHUNK, pieces, end: '0\r\n\r\n' },
  };

  for (const [of, { more, ...body }] of Object.entries(framings)) {
    for (const connection of ['close', 'keep-alive']) {
      it(`gets the 413 or the 401 to read, for a body ${of}, with Connection: ${connection}`, async () => {
        for (const [key, status] of [
          [api.key, '413 Payload Too Large'],
          ['tt_wrong', '401 Unauthorized'],
        ] as const) {
          const sender = { ...body, head: head(key, `Connection: ${connection}\r\n${more}`) };
          const { sent, text } = await deafly(sender);
          expect(sent).to.equal(pieces);
          expect(text.split('\r\n')[0]).to.equal(`HTTP/1.1 ${status}`);
          expect(JSON.parse(text.split('\r\n\r\n')[1] ?? '').error.status).to.equal(
            Number(status.slice(0, 3)),
          );
        }
      });
    }
  }

  it('gets the 400 to read for headers without an end, and for what is no HTTP', async () => {
    for (const head of ['GET / HTTP/1.1\r\nHost: x\r\nX: ', 'hello\r\n']) {
      const { sent, text } = await deafly({ head, piece: PIECE, pieces, end: '' });
      expect(sent).to.equal(pieces);
      expect(text.match(/HTTP\/1\.1 [2-5]\d\d/g)).to.deep.equal(['HTTP/1.1 400']);
    }
  });

  it('is cut off when it does not come to an end', async () => {
    const bound = LINGERS.bytes / PIECE.length;
    const more = 'Transfer-Encoding: chunked\r\n';
    const connections = ['close', 'keep-alive'].map((connection) =>
      head('tt_wrong', `Connection: ${connection}\r\n${more}`),
    );
    for (const head of [...connections, 'hello\r\n']) {
      const { sent } = await deafly({ head, piece: CHUNK, pieces: 16 * bound, end: '' });
      expect(sent).to.be.within(bound, 15 * bound);
    }
  });

  it('can go on with the connection when its body has come to an end', async () => {
    const text = head(api.key, length);
    const next = head(api.key, 'Connection: close\r\nContent-Length: 14\r\n');
    const sender = { head: text, piece: PIECE, pieces, end: `${next}{"name":"Any"}` };
    expect((await deafly(sender)).text.match(/HTTP\/1\.1 [2-5]\d\d/g)).to.deep.equal([
      'HTTP/1.1 413',
      'HTTP/1.1 201',
    ]);
  });
});

async function written(socket: Socket, piece: Buffer, failed: Promise<unknown>): Promise<boolean> {
  if (!socket.destroyed && !socket.write(piece)) {
    await Promise.race([once(socket, 'drain').catch(() => {}), failed]);
  }
  return !socket.destroyed;
}
