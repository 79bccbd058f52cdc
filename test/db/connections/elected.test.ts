import { once } from 'node:events';
import { expect } from 'chai';
import { ADVISORY_LOCKS } from '../../../db/timescale/connections/advisory-locks.ts';
import {
  type Elected,
  type Election,
  elect,
  whileElected,
} from '../../../db/timescale/connections/elected.ts';
import { inTransaction } from '../../../db/timescale/connections/transaction.ts';
import { useDatabase } from '../../support/database.ts';
import { Link, targetOf } from '../../support/link.ts';
import { type Program, run } from '../../support/process.ts';

const LOCK = ADVISORY_LOCKS.alerts;
const NAME = 'test elected';

describe('the only process that does something', () => {
  const database = useDatabase();
  const programs: Program[] = [];

  afterEach(async () => {
    for (const { child, ended } of programs.splice(0)) {
      child.kill('SIGKILL');
      await ended;
    }
  });

  it('is one at a time; another follows when it leaves', async () => {
    let atWork = 0;
    let most = 0;
    const work = async ({ pool }: Elected) => {
      atWork += 1;
      most = Math.max(most, atWork);
      await pool.query('select pg_sleep(0.01)');
      atWork -= 1;
      return 'done';
    };
    const done = await Promise.all(
      Array.from({ length: 6 }, () => whileElected(database.url, LOCK, { name: NAME, every: 10 }, work)),
    );
    expect(done).to.deep.equal(Array(6).fill('done'));
    expect(most).to.equal(1);
  });

  it('is told who has the lock, and gives up at once or when it is told to', async () => {
    const first = await elected();
    expect(await elect(database.url, LOCK, { name: NAME, isOnce: true })).to.equal(null);
    const stopping = new AbortController();
    const told = Promise.withResolvers<string>();
    const waiting = elect(database.url, LOCK, {
      ...{ name: NAME, signal: stopping.signal, onWaiting: told.resolve },
    });
    expect(await told.promise).to.match(/^pid \d+ \(test elected, user /);
    stopping.abort();
    expect(await waiting).to.equal(null);
    await first.leave();
    await (await elected({ isOnce: true })).leave();
  });

  it('does nothing more once it has lost its connection, and is followed', async () => {
    await database.rows('create table done (by text)');
    const first = await elected();
    let second: Elected | undefined;
    const writing = inTransaction(first.pool, async (transaction) => {
      await transaction.query("insert into done values ('first')");
      await endSessions();
      second = await elected();
      await transaction.query("insert into done values ('first, too late')");
    });
    expect(await writing.catch(() => 'failed')).to.equal('failed');
    expect(first.lost.aborted).to.equal(true);
    expect(await first.pool.query('select').catch(() => 'failed')).to.equal('failed');
    expect(await database.rows('select from done')).to.deep.equal([]);
    expect(second?.lost.aborted).to.equal(false);
    await Promise.all([first.leave(), second?.leave()]);
  });

  it('stays so through silence and through faults of its statements and transactions', async () => {
    const first = await elected({ silence: 1_500 });
    await database.rows('select pg_sleep(3.5)');
    expect(await first.pool.query('select 1 / 0').catch(() => 'failed')).to.equal('failed');
    await first.client.query('begin');
    await first.client.query('select 1 / 0').catch(() => {});
    await database.rows('select pg_sleep(2)');
    await first.client.query('rollback');
    expect(await elect(database.url, LOCK, { name: NAME, isOnce: true })).to.equal(null);
    expect(first.lost.aborted).to.equal(false);
    await first.leave();
  });

  it('is followed when it is killed', async () => {
    const [first, second] = [start(), start()];
    const winner = await Promise.race(
      [first, second].map((each) => each.printed('elected').then(() => each)),
    );
    winner.child.kill('SIGKILL');
    await (winner === first ? second : first).printed('elected');
  });

  it('is followed within seconds when it hangs, and learns it when it goes on', async () => {
    const first = start();
    await first.printed('elected');
    first.child.kill('SIGSTOP');
    const second = await elected();
    first.child.kill('SIGCONT');
    await first.printed('lost');
    expect(second.lost.aborted).to.equal(false);
    await second.leave();
  });

  it('notices when nothing comes from the database any more, which frees the lock by itself', async () => {
    const link = await Link.open(targetOf(database.url));
    const first = await elect(link.by(database.url), LOCK, { name: NAME, patience: 100 });
    if (first === null) {
      throw new Error('not elected');
    }
    link.abandon();
    const second = await elected();
    if (!first.lost.aborted) {
      await once(first.lost, 'abort');
    }
    expect(first.lost.reason).to.have.property('message', 'the database does not answer');
    await Promise.all([first.leave(), second.leave()]);
    await link.close();
  });

  function start(): Program {
    const program = run('test/db/connections/elected-program.ts', [], { DATABASE_URL: database.url });
    programs.push(program);
    return program;
  }

  async function elected(election: Partial<Election> = {}): Promise<Elected> {
    const found = await elect(database.url, LOCK, { name: NAME, every: 50, ...election });
    if (found === null) {
      throw new Error('not elected');
    }
    return found;
  }

  function endSessions() {
    return database.rows(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = $1`,
      [NAME],
    );
  }
});
