import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startEmbedded } from '../../db/timescale/embedded/server.ts';
import { Link, targetOf } from '../support/link.ts';

/** A database server of the caller's own, which can be crashed. Its address stays the same. */
export interface CrashingServer {
  url: string;
  /** Ends it as `pg_ctl stop -m immediate` does, and starts it again. */
  restart(): Promise<void>;
  /** Stops it and removes its data. */
  remove(): Promise<void>;
}

export async function startCrashingEmbedded(): Promise<CrashingServer> {
  const data = mkdtempSync(join(tmpdir(), 'tagtrail-chaos-'));
  chmodSync(data, 0o711);
  const options = { data, durable: true };
  let server = await startEmbedded(options);
  const front = await Link.open(targetOf(server.url));
  return {
    url: front.by(server.url),
    restart: async () => {
      const [pid] = readFileSync(join(data, 'postgres/cluster/postmaster.pid'), 'utf8').split('\n');
      process.kill(Number(pid), 'SIGQUIT');
      await gone(Number(pid));
      server = await startEmbedded(options);
      front.target = targetOf(server.url);
    },
    remove: async () => {
      await front.close();
      await server.stop();
      rmSync(data, { recursive: true, force: true });
    },
  };
}

/** TimescaleDB as CI has it; takes root. */
export async function startCrashingTimescale(): Promise<CrashingServer> {
  // Ends with the number of this process: what it leaves behind is removed by the next that starts one.
  const name = `ci-chaos-${process.pid}`;
  const { stdout } = await timescaledb('start', name);
  return {
    url: stdout.trim(),
    restart: async () => void (await timescaledb('restart', name)),
    remove: async () => void (await timescaledb('stop', name)),
  };
}

const timescaledb = (command: string, name: string) =>
  promisify(execFile)(fileURLToPath(new URL('../../.ci/timescaledb', import.meta.url)), [command, name]);

async function gone(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    await pause(10);
  }
}
