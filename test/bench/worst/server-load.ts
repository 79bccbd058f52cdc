import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from '../../../db/timescale/connections/client.ts';

/** What the server's process says of itself since it was asked before, and what of its processor time ever. */
export interface Told {
  /** How long its event loop was held, at most. */
  heldMs: number;
  /** The same in processor time, to which other programs add nothing. */
  heldCpuMs: number;
  /** Of the thread that answers. */
  threadMs: number;
  /** Of all its threads. */
  processMs: number;
}

export class ServerLoad {
  readonly #process: ChildProcess;
  readonly #pool: Pool;

  constructor(process: ChildProcess, pool: Pool) {
    this.#process = process;
    this.#pool = pool;
  }

  async ask(): Promise<Told> {
    this.#process.send('held');
    const [told] = await once(this.#process, 'message');
    return told;
  }

  /** Megabytes of memory that the server's process uses, rubbish left out. */
  async inUseMb(): Promise<number> {
    this.#process.send('in use');
    const [{ inUseMb }] = await once(this.#process, 'message');
    return inUseMb;
  }

  /** Processor time, in milliseconds: of the thread that answers, and of that process and the database's together. */
  async cpu(): Promise<{ thread: number; all: number }> {
    const { threadMs, processMs } = await this.ask();
    const { rows } = await this.#pool.query<{ pid: number }>(
      'select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    return { thread: threadMs, all: rows.reduce((sum, { pid }) => sum + cpuOf(pid), processMs) };
  }
}

/** Milliseconds that a process has had of the processors; 0 of one that has ended. */
function cpuOf(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return 0;
  }
}

const LOOK_EVERY_MS = 250;
const IDLE_MS = 25;
const PATIENCE_MS = 60_000;
/** What is left of an attack pauses: one idle look may fall between two of its messages. */
const IDLE_LOOKS = 6;

/** Waits until the server and its database do next to nothing; for a minute at the most. */
export async function whenIdle(server: ServerLoad): Promise<void> {
  const since = performance.now();
  let idleLooks = 0;
  for (let last = Number.NEGATIVE_INFINITY; performance.now() - since < PATIENCE_MS; ) {
    const { all } = await server.cpu();
    idleLooks = Math.abs(all - last) < IDLE_MS ? idleLooks + 1 : 0;
    if (idleLooks === IDLE_LOOKS) {
      return;
    }
    last = all;
    await pause(LOOK_EVERY_MS);
  }
}
