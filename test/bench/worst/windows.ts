import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { quantile } from '../../support/statistics.ts';
import { answerOf } from '../processes.ts';
import type { Answered, Attack } from './attack.ts';
import { type ServerLoad, whenIdle } from './server-load.ts';
import type { LookUps } from './victim.ts';

/** What look-ups of a window take, in ms. */
export interface Times {
  p50: number;
  p99: number;
}

/** What somebody's look-ups take while somebody else does the worst, and before and after. */
export interface Suffered {
  /** Before the first hostile window, between them, and after the last. */
  quiet: Times[];
  hostile: Times[];
  /** The longest that the server's event loop was held during an attack. */
  heldMs: number;
  /** By the attacks of all hostile windows. */
  answered: Answered;
}

/** A look-up is due every 4 ms: 500 and 1,000 of them. */
const QUIET_MS = 2_000;
const HOSTILE_MS = 4_000;

/**
 * Quiet and hostile windows in turn; a hostile one begins with the attack, which ends with it. The quiet one after an attack
 * is the one before the next.
 */
export class Windows {
  readonly #victim: ChildProcess;
  readonly #server: ServerLoad;
  #lastQuiet: Times | null = null;

  private constructor(victim: ChildProcess, server: ServerLoad) {
    this.#victim = victim;
    this.#server = server;
  }

  static async open(lookUps: LookUps, server: ServerLoad): Promise<Windows> {
    const victim = forkHere('victim.ts');
    victim.send(lookUps);
    await answerOf(victim);
    const windows = new Windows(victim, server);
    await windows.#lookUp(QUIET_MS);
    return windows;
  }

  /** @param attacks one for each hostile window. */
  async suffer(attacks: readonly Attack[]): Promise<Suffered> {
    const before = this.#lastQuiet ?? (await this.#quiet());
    const suffered: Suffered = { quiet: [before], hostile: [], heldMs: 0, answered: {} };
    for (const attack of attacks) {
      await whenIdle(this.#server);
      const attacker = forkHere('attacker.ts');
      await this.#server.ask();
      attacker.send(attack);
      suffered.hostile.push(timesOf(await this.#lookUp(HOSTILE_MS)));
      suffered.heldMs = Math.max(suffered.heldMs, (await this.#server.ask()).heldMs);
      attacker.send('stop');
      for (const [status, count] of Object.entries((await answerOf(attacker)) as Answered)) {
        suffered.answered[status] = (suffered.answered[status] ?? 0) + count;
      }
      this.#lastQuiet = await this.#quiet();
      suffered.quiet.push(this.#lastQuiet);
    }
    return suffered;
  }

  close(): void {
    this.#victim.kill();
  }

  /** What an attack has begun is waited for. */
  async #quiet(): Promise<Times> {
    await whenIdle(this.#server);
    return timesOf(await this.#lookUp(QUIET_MS));
  }

  async #lookUp(forMs: number): Promise<readonly number[]> {
    this.#victim.send(forMs);
    return (await answerOf(this.#victim)) as number[];
  }
}

/** Other than the bench's own programs these get bytes. */
function forkHere(file: string): ChildProcess {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  void once(child, 'spawn');
  return child;
}

function timesOf(took: readonly number[]): Times {
  const sorted = took.toSorted((a, b) => a - b);
  return { p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99) };
}
