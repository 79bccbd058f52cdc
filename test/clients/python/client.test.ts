import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { useApi } from '../../support/api.ts';
import { appendMoves } from '../../support/feed-rows.ts';
import { freePort } from '../../support/free-port.ts';
import { sealAll } from '../../support/seal-all.ts';
import { SHOWN, usePythonClient } from './use-python-client.ts';

const PROGRAM = readFileSync(new URL('program.py', import.meta.url), 'utf8');

/** The head of a program, which then has a client. */
const CLIENT = `
import json, os, sys
from itertools import islice
from tagtrail import *
client = Client(os.environ["TAGTRAIL_URL"], os.environ["TAGTRAIL_KEY"])
`;

describe('the Python client', () => {
  const api = useApi();
  const python = usePythonClient();
  let orgId: number;
  let assetId: number;
  let access: { TAGTRAIL_URL: string; TAGTRAIL_KEY: string };
  beforeEach(async () => {
    const { key, ...organization } = await api.organization();
    orgId = organization.orgId;
    access = { TAGTRAIL_URL: api.url, TAGTRAIL_KEY: key };
    const json = { name: 'Any' };
    assetId = (await api.call({ method: 'POST', path: '/api/v1/assets', key, json })).body?.data.id;
  });
  const append = (count: number) => appendMoves(api.database, orgId, Array(count).fill({ assetId }));

  /** What a program prints that asks a server of our own. */
  const runAgainst = async (listener: RequestListener, program: string) => {
    const server = createServer(listener).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const TAGTRAIL_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      return await python.run(CLIENT + program, { ...access, TAGTRAIL_URL });
    } finally {
      server.closeAllConnections();
      server.close();
    }
  };

  it('writes, finds, pages and is refused, as a program wants it', async () => {
    expect(await python.run(PROGRAM, access)).to.equal('done');
  });

  it('does what its document shows, and waits for what is still to come', async () => {
    writeFileSync(join(python.folder, 'assets.csv'), 'external_key,name\nCRATE-71,Crate 71\n');
    const program = spawn('python3', ['-u', '-c', SHOWN], {
      cwd: python.folder,
      env: { ...python.environment, ...access },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      let said = '';
      let isSealed = false;
      let events = 0;
      for await (const text of program.stdout.setEncoding('utf8')) {
        said += text;
        if (!isSealed && said.includes('conflict')) {
          // It follows the changes by then.
          isSealed = true;
          await sealAll(api.database.url);
        }
        if (said.includes('create asset') && events < 2) {
          events = await append(1);
        }
        if (said.includes('\n2\n')) {
          break;
        }
      }
      expect(said).to.match(
        /^1\nconflict asset with external_key ASSET-0002 already exists \[\] [0-9A-Z]{26}\ncreate asset \d+\n/,
      );
    } finally {
      program.kill();
    }
  });

  it('has every event once and in order after a position, through failures of every kind', async () => {
    await append(8);
    const later = { 'Retry-After': '1' };
    const failures: ((response: ServerResponse) => void)[] = [
      (response) => response.destroy(),
      (response) => response.write('{"data":', () => response.destroy()),
      (response) => response.end('{"data":{"moves":['),
      (response) => response.writeHead(200, { 'Content-Encoding': 'gzip' }).end('{}'),
      (response) => response.writeHead(502).end('<h1>Bad gateway</h1>'),
      (response) => response.writeHead(503, later).end('{}'),
      (response) => response.writeHead(429, later).end('{}'),
    ];
    const asked: string[] = [];
    const said = await runAgainst(
      async ({ url = '', headers }, response) => {
        asked.push(url);
        const failure = asked.length % 2 === 1 ? failures.shift() : undefined;
        if (failure) {
          failure(response);
        } else {
          const authorization = String(headers.authorization);
          const answer = await fetch(api.url + url.replace('limit=200', 'limit=1'), {
            headers: { authorization },
          });
          const known = await answer.text();
          response.end(
            known.replace(/"tagtrail.asset.moved.v1"(?=.*"position":8)/, '"tagtrail.asset.left.v1"'),
          );
        }
      },
      `
print(json.dumps([[event["data"]["position"], is_move(event), is_alert(event)]
  for event in islice(client.follow_moves(after=1), 7)]))`,
    );
    expect(said).to.deep.equal([2, 3, 4, 5, 6, 7, 8].map((position) => [position, position < 8, false]));
    const twice = [1, 2, 3, 4, 5, 6, 7].flatMap((after) => [after, after]);
    expect(asked).to.deep.equal(twice.map((after) => `/api/v1/moves?after=${after}&limit=200&wait=25`));
  });

  it('says which positions are kept where the one to go on from is not, and what else is refused', async () => {
    await append(9);
    await api.database.rows('update move_heads set oldest = 6 where org_id = $1', [orgId]);
    const said = await python.run(
      `${CLIENT}
try:
    next(client.follow_moves(after=4))
except FeedExpiredError as error:
    said = [error.oldest, error.head]
try:
    next(client.follow_changes(after=7))
except TagtrailError as error:
    said += [error.type, error.fields[0]["field"]]
print(json.dumps([*said, client.moves_head(), next(client.follow_moves(after=5))["data"]["position"]]))`,
      access,
    );
    expect(said).to.deep.equal([6, 9, 'validation_error', 'after', 9, 6]);
  });

  it('sends a write again that was refused a connection, until its patience ends, and times', async () => {
    const said = await python.run(
      `${CLIENT}
import logging
from datetime import datetime, timezone
waits = []
handler = logging.Handler()
handler.emit = waits.append
logging.getLogger("tagtrail").setLevel("INFO")
logging.getLogger("tagtrail").addHandler(handler)
try:
    Client(os.environ["CLOSED"], "tt_", patience=1).create_asset({"name": "x"})
except ConnectionError:
    end = client.create_asset({"name": "x", "valid_to": datetime(2040, 5, 4, tzinfo=timezone.utc)})["data"]["valid_to"]
    print(json.dumps([len(waits) > 0, end]))`,
      { ...access, CLOSED: `http://127.0.0.1:${await freePort()}` },
    );
    expect(said).to.deep.equal([true, '2040-05-04T00:00:00.000Z']);
  });

  it('asks again when it is told to, whatever the method; after a failure only where that does no harm', async () => {
    const asked: string[] = [];
    const said = await runAgainst(
      ({ method, url, headers }, response) => {
        asked.push(`${method} ${url}`);
        const count = asked.filter((each) => each === asked.at(-1)).length;
        if (url === '/api/v1/orgs/me') {
          response.writeHead(307, { Location: '/elsewhere' }).end();
        } else if (method === 'GET') {
          response.writeHead(count === 1 ? 502 : 200).end('{"data":[],"total_count":0}');
        } else if (url === '/api/v1/assets') {
          response.writeHead(count === 1 ? 429 : 200, { 'Retry-After': '0' });
          response.end(JSON.stringify({ data: headers['content-type'] }));
        } else {
          response.writeHead(500).end('out of order');
        }
      },
      `
said = [client.create_asset({"name": "x"})["data"], client.list_assets()["data"]]
for refused in (lambda: client.create_location({"name": "x"}), client.get_own_organization):
    try:
        refused()
    except UnexpectedAnswerError as error:
        said.append(str(error).replace(os.environ["TAGTRAIL_URL"], ""))
print(json.dumps(said))`,
    );
    expect(said).to.deep.equal([
      'application/json',
      [],
      "500 from /api/v1/locations: b'out of order'",
      "307 from /api/v1/orgs/me: b''",
    ]);
    expect(asked).to.deep.equal([
      ...['POST /api/v1/assets', 'POST /api/v1/assets', 'GET /api/v1/assets', 'GET /api/v1/assets'],
      ...['POST /api/v1/locations', 'GET /api/v1/orgs/me'],
    ]);
  });
});
