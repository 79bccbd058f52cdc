import { expect } from 'chai';
import { useDatabase } from '../support/database.ts';
import { freePort } from '../support/free-port.ts';
import { type Program, run } from '../support/process.ts';
import { newOrganization, readSealed, writeUnsealed } from '../support/unsealed.ts';

describe('the move feed of several processes', () => {
  const database = useDatabase();
  const programs: Program[] = [];

  after(async () => {
    for (const { child, ended } of programs) {
      child.kill('SIGKILL');
      await ended;
    }
  });

  it('goes on when the worker that seals is killed, and a metric says which it is', async () => {
    const orgId = await newOrganization(database);
    const services = [await worker(), await worker()];
    let sealed = 0;
    for (const service of services) {
      await until(async () => (await sealing(service)) === 1);
      await writeUnsealed(database, orgId, 5);
      sealed += 5;
      await until(async () => (await readSealed(database)).length === sealed);
      const others = services.slice(services.indexOf(service) + 1);
      expect(await Promise.all(others.map(sealing))).to.deep.equal(others.map(() => 0));
      await writeUnsealed(database, orgId, 5);
      sealed += 5;
      service.program.child.kill('SIGKILL');
      await service.program.ended;
    }
    const last = await worker();
    await until(async () => (await sealing(last)) === 1 && (await readSealed(database)).length === sealed);
    expect((await readSealed(database)).map(({ position }) => position)).to.deep.equal(
      Array.from({ length: sealed }, (_, index) => index + 1),
    );
    last.program.child.kill('SIGTERM');
    expect(await last.program.ended).to.equal(0);
  });

  interface Service {
    program: Program;
    url: string;
  }

  async function worker(): Promise<Service> {
    const WORKER_PORT = String(await freePort());
    return start('services/worker/main.ts', WORKER_PORT, { WORKER_PORT });
  }

  async function start(path: string, port: string, environment: NodeJS.ProcessEnv): Promise<Service> {
    const program = run(path, [], { DATABASE_URL: database.url, ...environment });
    programs.push(program);
    const service = { program, url: `http://127.0.0.1:${port}/metrics` };
    await until(async () => (await sealing(service)) !== null);
    return service;
  }

  /** Null while it does not answer. */
  async function sealing({ url }: Service): Promise<number | null> {
    const answer = await fetch(url).catch(() => null);
    const [, value] = /^tagtrail_moves_sealing (\d)$/m.exec((await answer?.text()) ?? '') ?? [];
    return value === undefined ? null : Number(value);
  }

  /** The suite's time limit is the bound. */
  async function until(isSo: () => Promise<boolean>): Promise<void> {
    while (!(await isSo())) {
      await database.rows('select pg_sleep(0.02)');
    }
  }
});
