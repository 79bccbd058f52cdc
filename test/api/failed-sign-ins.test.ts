import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { expect } from 'chai';
import { newKey } from '../../domain/administration/api-keys/key-format.ts';
import { until } from '../support/subscribed-ingest.ts';
import { useLimitedApis } from './rate-limit/limited-api.ts';

/** A key that has the form of one. */
const stranger = () => `tt_${newKey().id}_${randomBytes(32).toString('base64url')}`;
const requestWith = (key: string) =>
  `GET /api/v1/orgs/me HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`;

describe('failed sign-ins', () => {
  const apis = useLimitedApis();
  const path = '/api/v1/orgs/me';

  /** Sends text as it is, and gives all that comes back until the connection is closed. */
  const exchange = async (url: string, text: string) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    const received: Buffer[] = [];
    socket.on('data', (bytes: Buffer) => received.push(bytes));
    const closed = new Promise((resolve) => socket.on('error', () => {}).once('close', resolve));
    socket.write(text);
    await closed;
    return Buffer.concat(received).toString();
  };

  it('of an address are told to wait beyond a number of them; a good key is let in all the same', async () => {
    const api = await apis.start({ SIGN_IN_FAILURES_PER_MINUTE: 5 });
    const [used, unused] = [await apis.key(), await apis.key()];
    expect((await api.get(path, { key: used })).status).to.equal(200);
    const statuses = new Map<number, number>();
    for (const key of [
      undefined,
      'malformed',
      stranger(),
      `${used.slice(0, -1)}~`,
      stranger(),
      stranger(),
      'x',
    ]) {
      const { status, error, retryAfter } = await api.get(path, key === undefined ? {} : { key });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status === 429) {
        expect(error).to.include({ type: 'rate_limited', status: 429 });
        expect(error?.['detail']).to.match(new RegExp(`^Retry after ${retryAfter} seconds`));
      }
    }
    expect([...statuses]).to.deep.equal([
      [401, 5],
      [429, 2],
    ]);
    for (const key of [used, unused]) {
      const { status, remaining } = await api.get(path, { key });
      expect([status, remaining]).to.deep.equal([200, 60]);
    }
  });

  it('are counted, those refused and those told to wait', async () => {
    const api = await apis.start({ SIGN_IN_FAILURES_PER_MINUTE: 2 });
    for (const key of ['x', 'y', 'z']) {
      await api.get(path, { key });
    }
    await api.get(path, { key: await apis.key() });
    const metrics = await (await fetch(`${api.url}/metrics`)).text();
    expect(metrics.match(/^tagtrail_http_sign_in_failures_total\{.*$/gm)).to.deep.equal([
      'tagtrail_http_sign_in_failures_total{answer="refused"} 2',
      'tagtrail_http_sign_in_failures_total{answer="limited"} 1',
    ]);
  });

  it('are each answered up to the one that ends the connection, also to who reads later', async () => {
    const api = await apis.start({ SIGN_IN_FAILURES_PER_MINUTE: 3_000 });
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1').pause();
    const closed = new Promise((resolve) => socket.on('error', () => {}).once('close', resolve));
    const request = 'GET /api/v1/orgs/me HTTP/1.1\r\nHost: x\r\n\r\n';
    socket.write(request.repeat(8_000));
    const limited = /^tagtrail_http_sign_in_failures_total\{answer="limited"\} [1-9]/m;
    await until(async () => limited.test(await (await fetch(`${api.url}/metrics`)).text()));
    const received: Buffer[] = [];
    socket.on('data', (bytes: Buffer) => received.push(bytes)).resume();
    await closed;
    const text = Buffer.concat(received).toString();
    expect(text.match(/HTTP\/1\.1 401/g)?.length).to.be.at.least(3_000);
    const [head = '', body = ''] = text.slice(text.lastIndexOf('HTTP/1.1 ')).split('\r\n\r\n');
    expect(head).to.match(/^HTTP\/1\.1 429 /);
    expect(JSON.parse(body).error.status).to.equal(429);
  });

  it('come back as no more bytes than were sent, however many are sent at once', async () => {
    const api = await apis.start({ SIGN_IN_FAILURES_PER_MINUTE: 600 });
    const sent = Array.from({ length: 8_000 }, () => requestWith(stranger())).join('');
    const answered = await exchange(api.url, sent);
    // Some are refilled meanwhile. The connection is reset, as more is coming in, so the last answers may be lost.
    expect(answered.match(/HTTP\/1\.1 401/g)?.length).to.be.within(1, 1_200);
    expect(answered.length).to.be.below(sent.length);
    expect((await exchange(api.url, sent)).length).to.be.below(answered.length);
  });
});
