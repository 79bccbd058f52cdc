import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { pino } from 'pino';
import { databaseOn } from '../../db/timescale/connections/database.ts';
import { createApiKey } from '../../domain/administration/api-keys/issue-key.ts';
import { Lifecycle } from '../../platform/runtime/lifecycle.ts';
import { startApi } from '../../services/api/start.ts';
import { TEST_ACTOR } from '../support/actor.ts';
import { apiConfig } from '../support/api.ts';
import { useConsole } from '../support/console.ts';
import { Site } from '../support/site.ts';

const LOCATIONS = 300;

interface Answer {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
}

describe('large answers of the console', () => {
  const suite = useConsole();
  let site: Site;
  let token: string;

  before(async () => {
    site = await Site.create(suite.database);
    token = await suite.as('admin', site.orgId);
    await suite.database.rows(
      `insert into locations (org_id, external_key, name)
       select $1, 'SHELF-' || n, 'Shelf ' || n from generate_series(1, $2::int) n`,
      [site.orgId, LOCATIONS],
    );
  });

  /** As browsers send it, and with the bytes as they came. */
  const ask = async (
    path: string,
    { method = 'GET', accepted = 'gzip, deflate, br', url = suite.url, headers = {}, json = '' } = {},
  ): Promise<Answer> => {
    const asked = request(url + path, {
      method,
      headers: {
        ...{ Cookie: `tagtrail_session=${token}`, 'Accept-Encoding': accepted },
        ...(json === ''
          ? {}
          : { Origin: url, 'X-Tagtrail-Console': '1', 'Content-Type': 'application/json' }),
        ...headers,
      },
    });
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      asked.on('response', resolve);
      asked.on('error', reject);
    });
    asked.end(json);
    const response = await answered;
    return { status: response.statusCode, headers: response.headers, bytes: await buffer(response) };
  };

  for (const path of ['/console/v1/tree', '/console/v1/locations?limit=200']) {
    it(`come compressed to who takes that: ${path}`, async () => {
      const plain = await ask(path, { accepted: 'identity' });
      expect(plain.headers).to.not.have.property('content-encoding');
      const compressed = await ask(path);
      expect(compressed.headers).to.include({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
      expect(plain.headers).to.include({ vary: 'Accept-Encoding', 'content-type': 'application/json' });
      expect(compressed.headers['content-length']).to.equal(String(compressed.bytes.length));
      expect(compressed.bytes.length).to.be.below(plain.bytes.length / 3);
      const [read, expected] = [gunzipSync(compressed.bytes), plain.bytes].map((bytes) =>
        JSON.parse(`${bytes}`),
      );
      expect(read).to.deep.equal(expected);
      const head = await ask(path, { method: 'HEAD' });
      expect([head.status, head.bytes.length]).to.deep.equal([200, 0]);
      expect(head.headers).to.include({ 'content-encoding': 'gzip' });
    });
  }

  it('come as they are if they are small, or not a success', async () => {
    for (const path of ['/console/v1/session', '/console/v1/assets/999999', '/console/v1/nothing']) {
      const { headers, bytes } = await ask(path);
      expect(headers, path).to.not.have.property('content-encoding');
      expect(JSON.parse(bytes.toString())).to.be.an('object');
    }
  });

  it('come as they are if they answer a write, in which secrets are shown and what was sent comes back', async () => {
    const json = JSON.stringify({ name: 'Crate', metadata: { note: 'x'.repeat(20_000) } });
    const { status, headers, bytes } = await ask('/console/v1/assets', { method: 'POST', json });
    expect(status).to.equal(201);
    expect(bytes.length).to.be.above(20_000);
    expect(headers).to.not.have.property('content-encoding');
  });

  it('are compressed by the API, too', async () => {
    const lifecycle = new Lifecycle(pino({ level: 'silent' }));
    try {
      const { url } = await startApi(apiConfig(suite.database.url), pino({ level: 'silent' }), lifecycle);
      const { key } = await createApiKey(databaseOn(suite.database.pool), TEST_ACTOR, {
        ...{ orgId: site.orgId, name: 'test', scopes: ['locations:read'], expiresAt: null },
      });
      const headers = { Authorization: `Bearer ${key}` };
      const answer = await ask('/api/v1/locations?limit=200', { url, headers });
      expect(answer.status).to.equal(200);
      expect(answer.headers).to.include({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
      expect(JSON.parse(gunzipSync(answer.bytes).toString()).data).to.have.length(200);
    } finally {
      await lifecycle.stop();
    }
  });
});
