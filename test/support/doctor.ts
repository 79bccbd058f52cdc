import { expect } from 'chai';
import type { Finding } from '../../domain/health/finding.ts';
import { runCommand } from './command-line.ts';

export interface Findings {
  isAtFault: boolean;
  of(check: string): Finding[];
}

/** What `doctor` finds. */
export async function runDoctor(environment: NodeJS.ProcessEnv): Promise<Findings> {
  const ports = { API_PORT: '0', HANDHELD_PORT: '0', CONSOLE_PORT: '0', INGEST_PORT: '0', WORKER_PORT: '0' };
  const {
    status: exit,
    stdout,
    stderr,
  } = await runCommand(['doctor', '--json'], { ...ports, ...environment });
  expect(stderr).to.equal('');
  const { findings } = JSON.parse(stdout) as { findings: Finding[] };
  // The suite's own server trades durability for speed, and most suites have no worker.
  const faults = findings.filter(
    ({ status, check }) => status === 'fault' && check !== 'durability' && check !== 'jobs',
  );
  expect(exit).to.equal(findings.some((finding) => finding.status === 'fault') ? 1 : 0);
  return {
    isAtFault: faults.length > 0,
    of: (check) => findings.filter((finding) => finding.check === check),
  };
}

/** The one finding of a check, which is not all right, says this, and says what to do. */
export function expectFinding(
  [finding, ...others]: Finding[],
  status: Finding['status'],
  message: string,
  remedy: string,
): void {
  expect(others).to.deep.equal([]);
  expect(finding).to.include({ status });
  expect(finding?.message).to.include(message);
  expect(finding?.remedy).to.include(remedy);
}
