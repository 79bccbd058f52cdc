import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ADVISORY_LOCKS } from '../../db/timescale/connections/advisory-locks.ts';
import { Lifecycle } from '../../platform/runtime/lifecycle.ts';
import { createLog } from '../../platform/runtime/log.ts';
import { readApiConfig } from '../../services/api/config.ts';
import { startApi } from '../../services/api/start.ts';
import { expectFinding, runDoctor } from '../support/doctor.ts';
import { jsonOn, onEmbedded, useDataFolders } from '../support/embedded-folder.ts';
import { freePort } from '../support/free-port.ts';
import { run } from '../support/process.ts';
import { itByNight } from '../support/random-sets.ts';

describe('doctor, on the embedded database', () => {
  const folders = useDataFolders();
  const postmasterPid = (data: string) =>
    Number(readFileSync(join(data, 'postgres/cluster/postmaster.pid'), 'utf8').split('\n')[0]);

  it('looks at one that runs, finds one that was stopped, and starts none', async () => {
    const data = folders.path('stopped');
    await onEmbedded(data, async ({ pool }) => {
      const occupant = await pool.connect();
      await occupant.query('select pg_advisory_lock($1)', [ADVISORY_LOCKS.occupation]);
      const { isAtFault, of } = await runDoctor({ DATABASE_URL: '', TAGTRAIL_DATA: data });
      expect(isAtFault).to.equal(false);
      expect(of('schema')[0]).to.include({ status: 'ok' });
      await occupant.query('select pg_advisory_unlock($1)', [ADVISORY_LOCKS.occupation]);
      occupant.release();
    });
    const { isAtFault, of } = await runDoctor({ DATABASE_URL: '', TAGTRAIL_DATA: data });
    expect(isAtFault).to.equal(true);
    expectFinding(of('database'), 'fault', 'not running', 'npm start');
    expect(existsSync(join(data, 'postgres/cluster/postmaster.pid'))).to.equal(false);
  });

  itByNight('finds that npm start was killed, and the database it left behind', async () => {
    const data = folders.path('orphaned');
    const everything = run('services/standalone/main.ts', [], {
      TAGTRAIL_DATA: data,
      API_PORT: '0',
      MQTT_PORT: String(await freePort()),
      HANDHELD_PORT: '0',
      CONSOLE_PORT: '0',
      READERS_PORT: '0',
    });
    await everything.printed('tagtrail is running');
    const before = await runDoctor({ DATABASE_URL: '', TAGTRAIL_DATA: data });
    expect(before.of('npm start')[0]).to.include({ status: 'ok' });
    everything.child.kill('SIGKILL');
    await everything.ended;
    const { isAtFault, of } = await runDoctor({ DATABASE_URL: '', TAGTRAIL_DATA: data });
    expect(isAtFault).to.equal(true);
    expectFinding(of('npm start'), 'fault', 'nothing is recorded', 'npm start');
    await jsonOn(data, 'org', 'list');
  });

  it('finds that it died beneath a system that runs, which says so itself', async () => {
    const data = folders.path('dead');
    await onEmbedded(data, async ({ url }) => {
      const config = readApiConfig({ DATABASE_URL: url, API_PORT: '0' });
      const lifecycle = new Lifecycle(createLog('api', 'silent'));
      const api = await startApi(config, createLog('api', 'silent'), lifecycle);
      const environment = { DATABASE_URL: '', TAGTRAIL_DATA: data, API_PORT: new URL(api.url).port };
      const before = await runDoctor(environment);
      expect(before.of('API')[0]).to.include({ status: 'ok' });

      const pid = postmasterPid(data);
      process.kill(pid, 'SIGKILL');
      execFileSync('tail', [`--pid=${pid}`, '-f', '/dev/null']);
      const { isAtFault, of } = await runDoctor(environment);
      expect(isAtFault).to.equal(true);
      expectFinding(of('database'), 'fault', 'has died', 'npm start');
      expectFinding(of('API'), 'fault', 'not ready: database: ', 'restart');
      expect(postmasterPid(data)).to.equal(pid);
      await lifecycle.stop();
    });
  });
});
