import { expect } from 'chai';
import pg from 'pg';
import { pino } from 'pino';
import { type AccessDoor, openAccessDoor } from '../../db/timescale/connections/access-door.ts';
import type { Pool } from '../../db/timescale/connections/client.ts';
import { connectionConfig } from '../../db/timescale/connections/connection.ts';
import { databaseOn } from '../../db/timescale/connections/database.ts';
import { createWritePool } from '../../db/timescale/connections/pool.ts';
import { createApiKey } from '../../domain/administration/api-keys/issue-key.ts';
import {
  CredentialUsage,
  type CredentialUse,
  startCredentialUsage,
} from '../../platform/access/credential-usage.ts';
import { Lifecycle } from '../../platform/runtime/lifecycle.ts';
import { writeLastUsed } from '../../services/api/access/queries.ts';
import { startApi } from '../../services/api/start.ts';
import { TEST_ACTOR } from '../support/actor.ts';
import { apiConfig } from '../support/api.ts';
import { useDatabase } from '../support/database.ts';
import { Site } from '../support/site.ts';

describe('the time a key was last used', () => {
  const database = useDatabase();
  let pool: Pool;
  let asAccess: AccessDoor;
  let orgId: number;
  before(async () => {
    ({ orgId } = await Site.create(database));
    pool = createWritePool(database.url, { max: 1 });
    asAccess = openAccessDoor(database.url, { max: 4 });
    database.beforeDrop(() => Promise.all([pool.end(), asAccess.end()]));
  });
  const newKey = (db: Pool = pool) =>
    createApiKey(databaseOn(db), TEST_ACTOR, { orgId, name: 'test', scopes: [], expiresAt: null });
  /** In seconds before now; null if never. */
  const age = async (id: string) => {
    const [row] = await database.rows<{ age: number | null }>(
      'select extract(epoch from now() - last_used_at)::float8 as age from api_keys where id = $1',
      [id],
    );
    return row?.age ?? null;
  };
  /** An API of its own, which is stopped after `work`. */
  const withApi = async (work: (url: string) => Promise<void>) => {
    const log = pino({ level: 'silent' });
    const lifecycle = new Lifecycle(log);
    try {
      await work((await startApi(apiConfig(database.url), log, lifecycle)).url);
    } finally {
      await lifecycle.stop();
    }
  };
  const ask = async (url: string, key: string) =>
    (await fetch(`${url}/api/v1/orgs/me`, { headers: { Authorization: `Bearer ${key}` } })).status;

  it('is not written while a request waits, and is written when the process stops', async () => {
    const [used, unused] = [await newKey(), await newKey()];
    await withApi(async (url) => {
      expect(await ask(url, used.key)).to.equal(200);
      expect(await age(used.id)).to.equal(null);
    });
    expect(await age(used.id)).to.be.within(0, 10);
    expect(await age(unused.id)).to.equal(null);
  });

  it('is not that of a request that was refused', async () => {
    const [revoked, guessed] = [await newKey(), await newKey()];
    await database.rows('update api_keys set revoked_at = now() where id = $1', [revoked.id]);
    await withApi(async (url) => {
      expect(await ask(url, revoked.key)).to.equal(401);
      expect(await ask(url, `${guessed.key.slice(0, -3)}xyz`)).to.equal(401);
    });
    expect(await age(revoked.id)).to.equal(null);
    expect(await age(guessed.id)).to.equal(null);
  });

  it('never goes back', async () => {
    const { id } = await newKey();
    await writeLastUsed(asAccess, [{ id, secondsAgo: 100 }]);
    expect(await age(id)).to.be.within(100, 160);
    await writeLastUsed(asAccess, [{ id, secondsAgo: 1_000 }]);
    expect(await age(id)).to.be.within(100, 160);
    await writeLastUsed(asAccess, [{ id, secondsAgo: 50 }]);
    expect(await age(id)).to.be.within(50, 90);
  });

  it('is written for many keys at once, by several processes, and for keys that are gone', async () => {
    const uses: CredentialUse[] = [{ id: 'gone', secondsAgo: 0 }];
    for (let count = 0; count < 50; count++) {
      uses.push({ id: (await newKey()).id, secondsAgo: count });
    }
    const orders = Array.from({ length: 12 }, (_, index) => (index % 2 === 0 ? uses : uses.toReversed()));
    await Promise.all(orders.map((each) => writeLastUsed(asAccess, each)));
    for (const { id, secondsAgo } of uses.slice(1)) {
      expect(await age(id)).to.be.within(secondsAgo, secondsAgo + 60);
    }
  });

  it('is all that the role which writes it may change', async () => {
    const client = new pg.Client(connectionConfig(database.url, 'test', 'tagtrail_access'));
    await client.connect();
    for (const statement of [
      `update api_keys set scopes = '{keys:admin}'`,
      'update api_keys set last_used_at = now(), revoked_at = null',
      'delete from api_keys',
      'select from assets',
    ]) {
      const error = await client.query(statement).catch((e: unknown) => e);
      expect(error).to.have.property('code', '42501');
    }
    await client.end();
  });

  it('does not make processes forget the keys they hold', async () => {
    const client = await database.pool.connect();
    const heard: string[] = [];
    client.on('notification', ({ channel }) => heard.push(channel));
    await client.query('listen access_changed');
    const { id } = await newKey();
    await writeLastUsed(asAccess, [{ id, secondsAgo: 0 }]);
    await database.rows('select pg_notify($1, $2)', ['access_changed', 'after']);
    while (heard.length === 0) {
      await client.query('select');
    }
    client.release(true);
    expect(heard).to.have.length(1);
  });

  it('is kept while it cannot be written, the later of two, up to a bound', async () => {
    let time = 0;
    let isOut = true;
    const written: (readonly CredentialUse[])[] = [];
    const usage = new CredentialUsage({
      now: () => time,
      write: async (uses) => {
        usage.note('b');
        if (isOut) {
          throw new Error('out');
        }
        written.push(uses);
      },
    });
    expect(await usage.flush()).to.equal(false);
    usage.note('a');
    usage.note('b');
    time = 2_000;
    expect(await usage.flush().catch(({ message }) => message)).to.equal('out');
    isOut = false;
    time = 5_000;
    expect(await usage.flush()).to.equal(true);
    expect(written).to.deep.equal([
      [
        { id: 'a', secondsAgo: 5 },
        { id: 'b', secondsAgo: 3 },
      ],
    ]);
    for (let count = 0; count < 20_000; count++) {
      usage.note(`key ${count}`);
    }
    await usage.flush();
    expect(written[1]).to.have.length(10_000);
  });

  it('is logged about once when it cannot be written, and once when it can again', async () => {
    const lines: { level: number; msg: string }[] = [];
    const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    let failures = 0;
    const succeeded = Promise.withResolvers<void>();
    const { usage, stop } = startCredentialUsage(
      async () => {
        if (failures++ < 3) {
          throw new Error('out');
        }
        succeeded.resolve();
      },
      { log, what: 'API keys', pause: 1 },
    );
    usage.note('a');
    await succeeded.promise;
    await stop();
    expect(lines.map(({ level, msg }) => [level, msg])).to.deep.equal([
      [40, 'Last use of API keys cannot be recorded; it is kept for later'],
      [30, 'Last use of API keys is recorded again'],
    ]);
  });
});
