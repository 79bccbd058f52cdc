import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { quantile } from '../statistics.ts';
import type { Answered, Attack } from './attacker.ts';

/** What somebody's look-ups take while somebody else does his worst, and before and after. */
export interface Suffered {
  /** Milliseconds: the 99th percentile. */
  quiet: number;
  hostile: number;
  /** The longest that the server's event loop was held. */
  heldMs: number;
  answered: Answered;
}

const QUIET_MS = 400;
const HOSTILE_MS = 1_500;
const PATIENCE_MS = 6_000;

/** What the server's process says of itself: how long its event loop was held, at most, since it was asked before. */
export interface Held {
  heldMs: number;
  /** What the thread that answers has had of the processor, ever. */
  cpuMs: number;
}

export async function held(server: ChildProcess): Promise<Held> {
  server.send('held');
  const [answer] = await once(server, 'message');
  return answer;
}

/** Whether so many milliseconds have passed since now. */
function within(forMs: number): () => boolean {
  const end = performance.now() + forMs;
  return () => performance.now() > end;
}

/** Looks something up again and again, on one connection. */
export class Victim {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #url: string;
  readonly #key: string;

  constructor(url: string, key: string) {
    this.#url = url;
    this.#key = key;
  }

  async suffer(server: ChildProcess, attack: Attack): Promise<Suffered> {
    const quiet = await this.#lookUps(within(QUIET_MS));
    const attacker = fork(fileURLToPath(new URL('attacker.ts', import.meta.url)), {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    let hasBegun = false;
    attacker.once('message', () => {
      hasBegun = true;
    });
    await held(server);
    attacker.send(attack);
    const tooLate = within(PATIENCE_MS);
    const first = await this.#lookUps(() => hasBegun || tooLate());
    const hostile = [...first, ...(await this.#lookUps(within(HOSTILE_MS)))];
    const { heldMs } = await held(server);
    const over = Promise.race([once(attacker, 'message'), once(attacker, 'exit')]);
    attacker.send('stop');
    const late = setTimeout(() => attacker.kill('SIGKILL'), PATIENCE_MS);
    const [answered] = await over;
    clearTimeout(late);
    attacker.kill('SIGKILL');
    await this.#settle();
    quiet.push(...(await this.#lookUps(within(QUIET_MS))));
    return {
      quiet: p99(quiet),
      hostile: p99(hostile),
      heldMs,
      answered: typeof answered === 'object' && answered !== null ? answered : {},
    };
  }

  close(): void {
    this.#agent.destroy();
  }

  async #lookUps(isOver: () => boolean): Promise<number[]> {
    const times: number[] = [];
    while (!isOver()) {
      times.push(await this.#lookUp());
    }
    return times;
  }

  /** What was begun in the server comes to its end: until twenty look-ups in a row are quick. */
  async #settle(): Promise<void> {
    for (let quick = 0, turns = 0; quick < 20 && turns < 2_000; turns++) {
      quick = (await this.#lookUp()) < 5 ? quick + 1 : 0;
    }
  }

  #lookUp(): Promise<number> {
    return new Promise((resolve, reject) => {
      const since = performance.now();
      const headers = { authorization: `Bearer ${this.#key}` };
      const asked = request(this.#url, { agent: this.#agent, headers }, (response) => {
        response.resume().on('end', () => resolve(performance.now() - since));
      });
      asked.on('error', reject).end();
    });
  }
}

function p99(times: readonly number[]): number {
  return quantile(
    times.toSorted((a, b) => a - b),
    0.99,
  );
}
