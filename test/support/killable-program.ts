import { chmodSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { embeddedPostmaster } from '../../db/timescale/embedded/server.ts';
import { type Program, run } from './process.ts';
import { until } from './subscribed-ingest.ts';

/** `npm start` on a folder of its own, whose database is about to end. */
export interface KillableProgram extends Program {
  data: string;
  /** Process of the database; 0 while there is none. */
  postmaster(): number;
  api(): string;
  /**
   * Ends the database by a signal.
   *
   * @returns milliseconds from then until another one lets the program work, or until it has ended.
   */
  endDatabase(signal: NodeJS.Signals): Promise<{ ms: number; ended: number | NodeJS.Signals | null }>;
  /** Kills the database, which cannot be started again. @returns milliseconds from then until the program has ended. */
  killForGood(): Promise<number>;
  /** Ends both and removes the folder. */
  remove(): Promise<void>;
}

export async function startKillable(): Promise<KillableProgram> {
  const data = mkdtempSync(join(tmpdir(), 'tagtrail-killed-'));
  chmodSync(data, 0o711);
  const program = run('services/standalone/main.ts', [], {
    TAGTRAIL_DATA: data,
    API_PORT: '0',
    MQTT_PORT: '0',
    HANDHELD_PORT: '0',
    CONSOLE_PORT: '0',
    READERS_PORT: '0',
  });
  await program.printed('Try it');
  const postmaster = () => embeddedPostmaster(data)?.pid ?? 0;
  const api = () => /http:\S+(?=\/api\/v1)/.exec(program.stdout())?.[0] ?? '';
  let hasEnded = false;
  program.child.once('exit', () => {
    hasEnded = true;
  });
  const isReady = async () => (await fetch(`${api()}/readyz`).catch(() => null))?.status === 200;
  const end = (signal: NodeJS.Signals) => {
    const pid = postmaster();
    process.kill(pid, signal);
    return { pid, at: performance.now() };
  };
  return {
    ...program,
    data,
    postmaster,
    api,
    endDatabase: async (signal) => {
      const { pid, at } = end(signal);
      await until(async () => hasEnded || (postmaster() !== pid && (await isReady())));
      const ms = performance.now() - at;
      return { ms, ended: hasEnded ? await program.ended : null };
    },
    killForGood: async () => {
      const control = join(data, 'postgres/cluster/global/pg_control');
      renameSync(control, `${control}.away`);
      const { at } = end('SIGKILL');
      await program.ended;
      return performance.now() - at;
    },
    remove: async () => {
      program.child.kill('SIGINT');
      await program.ended;
      const left = embeddedPostmaster(data);
      if (left?.isAlive === true) {
        process.kill(left.pid, 'SIGQUIT');
        await until(() => embeddedPostmaster(data)?.isAlive !== true);
      }
      rmSync(data, { recursive: true, force: true });
    },
  };
}
