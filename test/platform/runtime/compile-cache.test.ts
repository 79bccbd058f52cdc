import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { run } from '../../support/process.ts';
import { itByNight } from '../../support/random-sets.ts';

const SERVICES = ['api', 'mqtt-ingest', 'handheld-gateway', 'standalone'];

describe('what was compiled at an earlier start', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tagtrail-compiled-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** Starts with a setting that is wrong: the process says so and ends, with what stands above it imported. */
  async function start(service: string, cache: string) {
    const environment = { HOST: '', LOG_LEVEL: 'wrong', NODE_COMPILE_CACHE: cache };
    const program = run(`services/${service}/main.ts`, [], environment);
    const status = await program.ended;
    return { status, said: program.stderr() };
  }

  for (const service of SERVICES) {
    const test = service === 'api' ? it : itByNight;
    test(`is kept for the next start of ${service}, and is not needed where nothing can be written`, async () => {
      const kept = await start(service, folder);
      expect(kept.status).to.equal(1);
      expect(readdirSync(folder, { recursive: true })).to.have.length.above(50);
      expect(await start(service, '/dev/null/not-a-folder')).to.deep.equal(kept);
    });
  }
});
