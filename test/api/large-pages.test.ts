import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { StreamedList } from '../../platform/http/lists.ts';
import { expectProblem, useApi } from '../support/api.ts';
import { itByNight } from '../support/random-sets.ts';

const ASSETS = '/api/v1/assets';
/** A mebibyte of small numbers, which each were an object once. */
const NUMBERS = `{"a":[${'1,'.repeat(500_000)}1.10]}`;
const LARGE = 14;

describe('a page of much metadata', () => {
  const api = useApi();

  before(async () => {
    await api.database.rows(
      `insert into assets (org_id, external_key, name, metadata)
       select $1, 'LARGE-' || lpad(place::text, 2, '0'), 'large', $2::json from generate_series(1, $3) place`,
      [api.orgId, NUMBERS, LARGE],
    );
    await api.database.rows(
      `insert into assets (org_id, external_key, name, metadata)
       select $1, 'A-' || place, 'small', '{"n": 1.10}' from generate_series(1, 3) place`,
      [api.orgId],
    );
    for (const holder of ['LOC-1', 'LOC-2', 'LOC-3']) {
      await api.database.rows(
        `with location as (insert into locations (org_id, external_key, name) values ($1, $2, 'x') returning id)
         insert into tags (org_id, location_id, tag_type, value, tag_key)
         select $1, id, 'rfid', $2 || place, $2 || place from location, generate_series(1, 10000) place`,
        [api.orgId, holder],
      );
    }
  });

  function ask(path: string, method = 'GET', key = api.key): Promise<IncomingMessage> {
    const asked = request(api.url + path, {
      method,
      headers: { authorization: `Bearer ${key}` },
      agent: false,
    });
    asked.end();
    return once(asked, 'response').then(([response]) => response);
  }

  async function busyConnections(): Promise<number> {
    const [row] = await api.database.rows<{ busy: number }>(
      `select count(*)::int as busy from pg_stat_activity
       where datname = current_database() and application_name like 'tagtrail api%' and state <> 'idle'`,
    );
    return row?.busy ?? 0;
  }

  it('has every row in order, each as it is read by itself, and the metadata to the letter', async () => {
    const { body, text: whole, status } = await api.call({ path: `${ASSETS}?limit=200` });
    expect(status).to.equal(200);
    const keys = body?.data.map((asset: { external_key: string }) => asset.external_key);
    const large = Array.from({ length: LARGE }, (_, at) => `LARGE-${String(at + 1).padStart(2, '0')}`);
    expect(keys).to.deep.equal(['A-1', 'A-2', 'A-3', ...large]);
    expect(body).to.include({ limit: 200, offset: 0, total_count: LARGE + 3 });
    expect(whole.split('{"n": 1.10}')).to.have.length(4);
    expect(whole.split(`"metadata":${NUMBERS},`)).to.have.length(LARGE + 1);
    const last = body?.data.at(-1);
    expect((await api.call({ path: `${ASSETS}/${last.id}` })).body?.data).to.deep.equal(last);
  });

  it('has the same rows whatever part of it is asked for', async () => {
    const { body } = await api.call({ path: `${ASSETS}?limit=3&offset=${LARGE}&sort=-external_key` });
    expect(body?.data.map((asset: { external_key: string }) => asset.external_key)).to.deep.equal([
      'A-3',
      'A-2',
      'A-1',
    ]);
    const none = await api.call({ path: `${ASSETS}?limit=3&offset=500` });
    expect(none.body).to.deep.equal({ data: [], limit: 3, offset: 500, total_count: LARGE + 3 });
  });

  it('may as well have many tags', async () => {
    const { body } = await api.call({ path: '/api/v1/locations?limit=200' });
    const counts = body?.data.map((row: { external_key: string; tags: object[] }) => [
      row.external_key,
      row.tags.length,
    ]);
    expect(counts).to.deep.equal([
      ['LOC-1', 10_000],
      ['LOC-2', 10_000],
      ['LOC-3', 10_000],
    ]);
  });

  it('is asked for by HEAD without a row being sent, any number of times', async () => {
    for (let times = 0; times < 12; times++) {
      const answer = await ask(`${ASSETS}?limit=200`, 'HEAD');
      expect([answer.statusCode, answer.headers['content-type']]).to.deep.equal([200, 'application/json']);
      expect(await text(answer)).to.equal('');
    }
  });

  it('is sent to eight callers of a key at a time, who hold no connection to the database', async () => {
    const path = `${ASSETS}?limit=200`;
    const unread = await Promise.all(Array.from({ length: 8 }, () => ask(path)));
    const ninth = await api.call({ path });
    expectProblem(ninth, 'unavailable');
    expect([ninth.status, ninth.headers.get('retry-after')]).to.deep.equal([503, '5']);
    expect(ninth.body?.error?.detail).to.include('limit');
    expect((await api.call({ path: `${ASSETS}?limit=3` })).status).to.equal(200);
    // What is read ahead for them is read in turns; then there is nothing left to do for them.
    while ((await busyConnections()) > 0);
    const [first, ...others] = unread;
    for (const response of others) {
      response.destroy();
    }
    expect(JSON.parse(await text(first as IncomingMessage)).data).to.have.length(LARGE + 3);
  });

  it('takes up one place of a connection, however many are pipelined on it, and none when its caller hung up', async () => {
    const [path, key] = [`${ASSETS}?limit=200`, await api.keyWith(['assets:read'])];
    const { hostname, port } = new URL(api.url);
    const socket = connect({ host: hostname, port: Number(port) });
    const asked = `GET ${path} HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer ${key}\r\n\r\n`;
    socket.write(asked.repeat(9));
    await once(socket, 'readable');
    while ((await busyConnections()) > 0);
    const beside = await Promise.all(Array.from({ length: 7 }, () => ask(path, 'GET', key)));
    expect(beside.map(({ statusCode }) => statusCode)).to.deep.equal(Array(7).fill(200));
    expect((await api.call({ path, key })).status).to.equal(503);
    socket.destroy();
    const place = async () => {
      const answer = await ask(path, 'GET', key);
      beside.push(answer);
      return answer.statusCode;
    };
    while ((await place()) === 503);
    for (const answer of beside) {
      answer.destroy();
    }
  });

  itByNight('is sent to sixteen callers of an organization at a time, by however many keys', async () => {
    const path = `${ASSETS}?limit=200`;
    const keys = await Promise.all(Array.from({ length: 3 }, () => api.keyWith(['assets:read'])));
    const unread = await Promise.all(
      keys.flatMap((key) => Array.from({ length: 8 }, () => ask(path, 'GET', key))),
    );
    const statuses = unread.map(({ statusCode }) => statusCode);
    expect(statuses.filter((status) => status === 200)).to.have.length(16);
    expect(statuses.filter((status) => status === 503)).to.have.length(8);
    for (const response of unread) {
      response.destroy();
    }
  });

  it('is broken off where its rows cannot be read, so that nobody takes it for whole', async () => {
    const answer = await ask(`${ASSETS}?limit=200`);
    await api.database.rows('alter table assets rename to hidden_assets');
    try {
      expect(answer.statusCode).to.equal(200);
      await text(answer).then(
        () => expect.fail('it came to an end'),
        (error) => expect(error.code).to.equal('ECONNRESET'),
      );
    } finally {
      await api.database.rows('alter table hidden_assets rename to assets');
    }
    expect((await api.call({ path: `${ASSETS}?limit=1` })).status).to.equal(200);
  });

  it('reads rows when they are asked for, and none for who has gone', async () => {
    const read: number[] = [];
    let isClosed = false;
    async function* later() {
      try {
        for (let row = 1; row <= 3; row++) {
          read.push(row);
          yield Buffer.from(row === 2 ? '' : `{"row":${row}}`);
        }
      } finally {
        isClosed = true;
      }
    }
    const pieces = new StreamedList([], later(), { limit: 1 }).pieces();
    expect([String((await pieces.next()).value), read]).to.deep.equal(['{"data":[', []]);
    expect([String((await pieces.next()).value), read]).to.deep.equal(['{"row":1}', [1]]);
    expect([String((await pieces.next()).value), read]).to.deep.equal([',', [1, 2, 3]]);
    expect([String((await pieces.next()).value), read]).to.deep.equal(['{"row":3}', [1, 2, 3]]);
    await pieces.return();
    expect(isClosed).to.equal(true);
  });
});
