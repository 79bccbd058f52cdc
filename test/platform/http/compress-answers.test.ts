import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { get as ask, createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';
import { expect } from 'chai';
import Koa from 'koa';
import { compressAnswers } from '../../../platform/http/compress-answers.ts';

const ANSWER = JSON.stringify(Array.from({ length: 100_000 }, (_, n) => ({ id: n, name: `Shelf ${n}` })));
const VIEWERS = 30;

/** As hard to compress as can be, so that a slow reader's sockets fill. */
const PIECE = randomBytes(786_432).toString('base64');
const PIECES = 40;

describe('compressed answers', () => {
  let server: Server;
  let url: string;
  const shared = Buffer.from(ANSWER);
  before(async () => {
    const app = new Koa();
    app.use(compressAnswers());
    app.silent = true;
    app.use((koa) => {
      koa.type = 'application/json';
      if (koa.path.startsWith('/stream')) {
        koa.body = Readable.from(piecesUntil(koa.path === '/stream-fails' ? 3 : PIECES), {
          highWaterMark: 0,
        });
        return;
      }
      koa.body = koa.path === '/shared' ? shared : Buffer.from(ANSWER);
    });
    server = createServer(app.callback()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  /** How many pieces were made of each stream. */
  const made: number[] = [];
  function* piecesUntil(end: number) {
    const at = made.push(0) - 1;
    for (let piece = 1; piece <= end; piece += 1) {
      made[at] = piece;
      yield PIECE;
    }
    if (end < PIECES) {
      throw new Error('no more rows can be read');
    }
  }
  const begin = async (path: string): Promise<IncomingMessage> => {
    const [response] = await once(
      ask(url + path, { agent: false, headers: { 'Accept-Encoding': 'gzip' } }),
      'response',
    );
    return response;
  };
  const get = async (path: string) => {
    const response = await fetch(url + path, { headers: { 'Accept-Encoding': 'gzip' } });
    const encoding = response.headers.get('content-encoding');
    await response.body?.cancel();
    return encoding;
  };
  const timeOf = async (path: string) => {
    const before = process.cpuUsage();
    for (let viewer = 0; viewer < VIEWERS; viewer += 1) {
      expect(await get(path)).to.equal('gzip');
    }
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };

  it('are compressed once, however many share them', async () => {
    await get('/shared');
    const once = await timeOf('/shared');
    const each = await timeOf('/each');
    expect(once).to.be.below(each / 2);
  });

  it('are streamed as they are read, two at a time, and a slow reader holds a few pieces', async () => {
    const slow = await begin('/stream');
    const other = await begin('/stream');
    const third = await begin('/stream');
    expect([slow, other, third].map(({ headers }) => headers['content-encoding'])).to.deep.equal([
      ...['gzip', 'gzip', undefined],
    ]);
    expect([third.headers['vary'], third.headers['content-length']]).to.deep.equal([
      ...['Accept-Encoding', undefined],
    ]);
    third.destroy();
    expect((await text(other.pipe(createGunzip()))).length).to.equal(PIECES * PIECE.length);
    const again = await begin('/stream');
    expect(again.headers['content-encoding']).to.equal('gzip');
    expect((await text(again.pipe(createGunzip()))).length).to.equal(PIECES * PIECE.length);
    // While others were read to their end, no more was made of it than sockets hold.
    expect(made[0]).to.be.below(PIECES / 2);
    slow.destroy();
  });

  it('that end early are cut, and leave their place', async () => {
    for (let turn = 0; turn < 4; turn += 1) {
      const failing = await begin('/stream-fails');
      expect(failing.headers['content-encoding']).to.equal('gzip');
      failing.resume();
      const [error] = await once(failing, 'error');
      expect(error).to.have.property('code', 'ECONNRESET');
    }
    for (let turn = 0; turn < 4; turn += 1) {
      let left = await begin('/stream');
      // The server learns a moment later that somebody hung up.
      while (left.headers['content-encoding'] !== 'gzip') {
        left.destroy();
        left = await begin('/stream');
      }
      left.destroy();
    }
  });

  it('keep nobody waiting: beside others that are being compressed, an answer goes out as it is', async () => {
    const encodings = await Promise.all(Array.from({ length: VIEWERS }, () => get('/each')));
    expect(encodings).to.include(null);
    expect(encodings).to.include('gzip');
    expect(await get('/each')).to.equal('gzip');
  });
});
