import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { TruthDocument } from '../../simulation/truth/document.ts';
import { useApi } from './api.ts';
import { type EndedCommand, runCommand } from './command-line.ts';
import { useIngest } from './ingest.ts';
import { type Program, run } from './process.ts';
import { useWorker } from './worker.ts';

/** `tagtrail simulate` as a user calls it, beside an API, a worker and ingestion with a broker of its own. */
export function useSimulate() {
  const api = useApi();
  const ingest = useIngest(api.database);
  useWorker(api.database);
  const folder = mkdtempSync(join(tmpdir(), 'tagtrail-test-simulate-'));
  chmodSync(folder, 0o711);
  const file = join(folder, 'truth.json');
  after(() => rmSync(folder, { recursive: true, force: true }));

  const settings = (environment: NodeJS.ProcessEnv) => ({
    DATABASE_URL: api.database.url,
    MQTT_PORT: String(ingest.port),
    ...environment,
  });
  const simulate = (args: string[], environment: NodeJS.ProcessEnv = {}): Promise<EndedCommand> =>
    runCommand(['simulate', ...args], settings(environment));
  /** As a process of its own, to be interrupted. */
  const start = (args: string[]): Program =>
    run('services/cli/tagtrail.ts', ['simulate', ...args], settings({}));
  /** Simulates, and expects an installation that agrees with the truth. */
  const simulated = async (...args: string[]): Promise<TruthDocument> => {
    const { status, stdout, stderr } = await simulate([
      ...['--org', String(api.orgId), '--truth', file, '--json'],
      ...args,
    ]);
    expect({ status, stderr }).to.deep.equal({ status: 0, stderr: '' });
    const truth = JSON.parse(stdout) as TruthDocument;
    expect(JSON.parse(readFileSync(file, 'utf8'))).to.deep.equal(truth);
    return truth;
  };
  const checked = async (...args: string[]) => {
    const { status, stdout, stderr } = await simulate(['--check', file, '--json', ...args]);
    expect(stderr).to.equal('');
    return { status, ...JSON.parse(stdout) };
  };
  return { api, folder, file, start, simulate, simulated, checked };
}
