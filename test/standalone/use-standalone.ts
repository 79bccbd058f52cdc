import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Program, run } from '../support/process.ts';

export interface Standalone {
  /** The folder of its data, another for each test. */
  data: string;
  /** On ports of its own, unless told otherwise. What still runs after the test is killed. */
  start(environment?: NodeJS.ProcessEnv): Promise<Program>;
}

export function useStandalone(): Standalone {
  const programs: Program[] = [];
  const standalone: Standalone = {
    data: '',
    start: async (environment = {}) => {
      const program = run('services/standalone/main.ts', [], {
        TAGTRAIL_DATA: standalone.data,
        API_PORT: '0',
        MQTT_PORT: '0',
        HANDHELD_PORT: '0',
        CONSOLE_PORT: '0',
        READERS_PORT: '0',
        ...environment,
      });
      programs.push(program);
      return program;
    },
  };
  beforeEach(() => {
    standalone.data = mkdtempSync(join(tmpdir(), 'tagtrail-start-'));
    chmodSync(standalone.data, 0o711);
  });
  afterEach(async () => {
    for (const { child, ended } of programs.splice(0)) {
      child.kill('SIGKILL');
      await ended;
    }
    stopLeftServer(standalone.data);
    rmSync(standalone.data, { recursive: true, force: true });
  });
  return standalone;
}

export function stop(program: Program): Program['ended'] {
  program.child.kill('SIGINT');
  return program.ended;
}

/** The process of the embedded database; null if none runs. */
export function serverPid(data: string): number | null {
  try {
    const pid = Number(readFileSync(join(data, 'postgres/cluster/postmaster.pid'), 'utf8').split('\n')[0]);
    process.kill(pid, 0);
    return pid;
  } catch {
    return null;
  }
}

export function isServerRunning(data: string): boolean {
  return serverPid(data) !== null;
}

/** A test that fails must not leave a database server behind. */
function stopLeftServer(data: string): void {
  const pid = serverPid(data);
  if (pid !== null) {
    process.kill(pid, 'SIGQUIT');
    execFileSync('tail', [`--pid=${pid}`, '-f', '/dev/null']);
  }
}
