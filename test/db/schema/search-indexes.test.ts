import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import { pidOf } from '../../../db/timescale/connections/blockers.ts';
import { connectionConfig } from '../../../db/timescale/connections/connection.ts';
import { withDatabase } from '../../../db/timescale/connections/database-url.ts';
import { createDatabase } from '../../../db/timescale/schema/create-database.ts';
import { migrate } from '../../../db/timescale/schema/migrate.ts';
import { findSearchIndexes, finishSearchIndexes } from '../../../db/timescale/schema/search-indexes.ts';
import { serverUrl } from '../../support/database.ts';

const ASSET = `insert into assets (org_id, external_key, name) values (1, gen_random_uuid()::text, 'Pallet')`;

const ALL = ['locations__searched_text', 'tags__searched_text', 'assets__searched_text'];

describe('the indexes of searches, where they are missing', () => {
  let url: string;
  let client: pg.Client;
  let writer: pg.Client;
  const open = async () => {
    const opened = new pg.Client(connectionConfig(url, 'test'));
    await opened.connect();
    return opened;
  };
  beforeEach(async () => {
    url = withDatabase(serverUrl(), `search_${randomBytes(6).toString('hex')}`);
    await createDatabase(url);
    await migrate(url);
    client = await open();
    writer = await open();
    await client.query(`insert into organizations (name) values ('One')`);
    await client.query(`${ASSET}, (1, 'known', 'Crate')`);
    await client.query(`drop index ${ALL}`);
  });
  afterEach(async () => {
    await Promise.all([client.end(), writer.end()]);
    const server = new pg.Client(connectionConfig(withDatabase(url, 'postgres'), 'test'));
    await server.connect();
    await server.query(`drop database ${new URL(url).pathname.slice(1)} with (force)`);
    await server.end();
  });

  const missing = async () => (await findSearchIndexes(client)).missing;
  /** The process id of whoever is building, once it waits for those who write. */
  const builder = async (): Promise<number> => {
    for (;;) {
      const { rows } = await client.query<{ pid: number }>(
        `select pid from pg_stat_activity where datname = current_database() and query like 'create index concurrently assets%'
           and wait_event_type = 'Lock'`,
      );
      if (rows[0] !== undefined) {
        return rows[0].pid;
      }
    }
  };

  it('are built like those of a long log of changes and of submissions', async () => {
    const long = [
      'changes__org_id_resource',
      'changes__org_id_actor',
      'changes__at_of_address',
      'submissions__org_id_handheld_id_received_at',
      'assets__fields',
    ];
    await client.query(`drop index ${long}`);
    expect(await finishSearchIndexes(url)).to.deep.equal([...ALL, ...long]);
    expect(await finishSearchIndexes(url)).to.deep.equal([]);
  });

  it('are built while others write, by one of those who would, while the others wait for it', async () => {
    await writer.query('begin');
    await writer.query(ASSET);
    const blocked = Promise.withResolvers<[index: string, who: string]>();
    const first = finishSearchIndexes(url, { onBlocked: (...by) => blocked.resolve(by) });
    const pid = await builder();
    await client.query(ASSET);
    const told = Promise.withResolvers<string>();
    const second = finishSearchIndexes(url, { onWaiting: told.resolve });
    expect(await told.promise).to.match(new RegExp(`^pid ${pid} \\(tagtrail search indexes, user `));
    const [index, who] = await blocked.promise;
    expect(index).to.equal('assets__searched_text');
    expect(who).to.match(new RegExp(`^pid ${pidOf(writer)} \\(.+, in a transaction since .+Z\\)$`));
    await writer.query('commit');
    expect(await first).to.deep.equal(ALL);
    expect(await second).to.deep.equal([]);
    expect(await missing()).to.deep.equal([]);
    expect(await finishSearchIndexes(url)).to.deep.equal([]);
  });

  it('are built anew where building was broken off', async () => {
    await writer.query('begin');
    await writer.query(ASSET);
    const broken = finishSearchIndexes(url).catch((error: unknown) => error);
    await client.query('select pg_terminate_backend($1)', [await builder()]);
    expect(await broken).to.be.instanceOf(Error);
    await writer.query('commit');
    const { rows } = await client.query(
      `select indisvalid from pg_index where indexrelid = 'assets__searched_text'::regclass`,
    );
    expect(rows).to.deep.equal([{ indisvalid: false }]);
    expect(await finishSearchIndexes(url)).to.deep.equal(['assets__searched_text']);
    expect(await missing()).to.deep.equal([]);
  });

  it('wait for the next time when whoever builds them is told to stop', async () => {
    await writer.query('begin');
    await writer.query(ASSET);
    const controller = new AbortController();
    const stopped = finishSearchIndexes(url, { signal: controller.signal });
    await builder();
    controller.abort();
    expect(await stopped).to.deep.equal(ALL.slice(0, 2));
    await writer.query('commit');
    expect(await finishSearchIndexes(url)).to.deep.equal(ALL.slice(2));
  });
});
