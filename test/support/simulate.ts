import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { TruthDocument } from '../../simulation/truth/document.ts';
import { useApi } from './api.ts';
import { useIngest } from './ingest.ts';
import { type Program, run } from './process.ts';

/** `tagtrail simulate` as a user calls it, beside an API and ingestion with a broker of its own. */
export function useSimulate() {
  const api = useApi();
  const ingest = useIngest(api.database);
  const folder = mkdtempSync(join(tmpdir(), 'tagtrail-test-simulate-'));
  chmodSync(folder, 0o711);
  const file = join(folder, 'truth.json');
  after(() => rmSync(folder, { recursive: true, force: true }));

  const start = (args: string[], environment: NodeJS.ProcessEnv = {}): Program =>
    run('services/cli/tagtrail.ts', ['simulate', ...args], {
      DATABASE_URL: api.database.url,
      MQTT_PORT: String(ingest.port),
      ...environment,
    });
  const ended = async (program: Program) => ({
    status: await program.ended,
    stdout: program.stdout(),
    stderr: program.stderr(),
  });
  /** Simulates, and expects an installation that agrees with the truth. */
  const simulated = async (...args: string[]): Promise<TruthDocument> => {
    const { status, stdout, stderr } = await ended(
      start(['--org', String(api.orgId), '--truth', file, '--json', ...args]),
    );
    expect({ status, stderr }).to.deep.equal({ status: 0, stderr: '' });
    const truth = JSON.parse(stdout) as TruthDocument;
    expect(JSON.parse(readFileSync(file, 'utf8'))).to.deep.equal(truth);
    return truth;
  };
  const checked = async (...args: string[]) => {
    const { status, stdout, stderr } = await ended(start(['--check', file, '--json', ...args]));
    expect(stderr).to.equal('');
    return { status, ...JSON.parse(stdout) };
  };
  return { api, folder, file, start, ended, simulated, checked };
}
