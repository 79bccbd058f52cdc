import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import Koa from 'koa';
import { compressAnswers } from '../../../platform/http/compress-answers.ts';

const ANSWER = JSON.stringify(Array.from({ length: 100_000 }, (_, n) => ({ id: n, name: `Shelf ${n}` })));
const VIEWERS = 30;

describe('compressed answers', () => {
  let server: Server;
  let url: string;
  const shared = Buffer.from(ANSWER);
  before(async () => {
    const app = new Koa();
    app.use(compressAnswers());
    app.use((koa) => {
      koa.type = 'application/json';
      koa.body = koa.path === '/shared' ? shared : Buffer.from(ANSWER);
    });
    server = createServer(app.callback()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => server.close());
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

  it('keep nobody waiting: beside others that are being compressed, an answer goes out as it is', async () => {
    const encodings = await Promise.all(Array.from({ length: VIEWERS }, () => get('/each')));
    expect(encodings).to.include(null);
    expect(encodings).to.include('gzip');
    expect(await get('/each')).to.equal('gzip');
  });
});
