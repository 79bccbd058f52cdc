import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { quantile } from '../../support/statistics.ts';
import { answerOf } from '../processes.ts';
import type { Answered, Attack } from './attack.ts';
import { type ServerLoad, whenIdle } from './server-load.ts';
import type { Other, Took } from './victim.ts';

/** 99th percentiles of a window, in ms. */
export interface P99 {
  lookUps: number;
  acknowledgements: number;
}

/** What somebody's look-ups and publishes take while somebody else does the worst, and before and after. */
export interface Suffered {
  /** Before the first hostile window, between them, and after the last. */
  quiet: P99[];
  hostile: P99[];
  /** The longest that the server's event loop was held during an attack. */
  heldMs: number;
  /** The same in processor time of the thread. */
  heldCpuMs: number;
  /** By the attacks of all hostile windows. */
  answered: Answered;
  /** Memory of the server: before the first attack, at the end of the last, and after its connections were closed. */
  inUseMb: { before: number; during: number; after: number };
  /** The last hostile window. */
  hostileSince: Date;
  hostileUntil: Date;
}

/** A look-up is due every 4 ms, and a publish every 40. */
const QUIET_MS = 2_000;
export const HOSTILE_MS = 4_000;

/**
 * Quiet and hostile windows in turn; a hostile one begins with the attack, which ends with it. The quiet one after an attack
 * is the one before the next.
 */
export class Windows {
  readonly #victim: ChildProcess;
  readonly #server: ServerLoad;
  #lastQuiet: P99 | null = null;

  private constructor(victim: ChildProcess, server: ServerLoad) {
    this.#victim = victim;
    this.#server = server;
  }

  static async open(other: Other, server: ServerLoad): Promise<Windows> {
    const victim = forkHere('victim.ts');
    victim.send(other);
    await answerOf(victim);
    const windows = new Windows(victim, server);
    await windows.#ask(QUIET_MS);
    return windows;
  }

  /**
   * @param attacks one for each hostile window.
   * @param forMs how long each is.
   */
  async suffer(attacks: readonly Attack[], forMs: number): Promise<Suffered> {
    const before = this.#lastQuiet ?? (await this.#quiet());
    const inUseMb = await this.#server.inUseMb();
    const suffered: Suffered = {
      ...{ quiet: [before], hostile: [], heldMs: 0, heldCpuMs: 0, answered: {} },
      inUseMb: { before: inUseMb, during: inUseMb, after: inUseMb },
      ...{ hostileSince: new Date(), hostileUntil: new Date() },
    };
    for (const attack of attacks) {
      await whenIdle(this.#server);
      const attacker = forkHere('attacker.ts');
      // Starting it takes a processor for as long as some windows are.
      await answerOf(attacker);
      await this.#server.ask();
      suffered.hostileSince = new Date();
      attacker.send(attack);
      suffered.hostile.push(p99Of(await this.#ask(forMs)));
      suffered.hostileUntil = new Date();
      const { heldMs, heldCpuMs } = await this.#server.ask();
      suffered.heldMs = Math.max(suffered.heldMs, heldMs);
      suffered.heldCpuMs = Math.max(suffered.heldCpuMs, heldCpuMs);
      suffered.inUseMb.during = await this.#server.inUseMb();
      attacker.send('stop');
      for (const [status, count] of Object.entries((await answerOf(attacker)) as Answered)) {
        suffered.answered[status] = (suffered.answered[status] ?? 0) + count;
      }
      this.#lastQuiet = await this.#quiet();
      suffered.quiet.push(this.#lastQuiet);
      suffered.inUseMb.after = await this.#server.inUseMb();
    }
    return suffered;
  }

  close(): void {
    this.#victim.kill();
  }

  /** What an attack has begun is waited for. */
  async #quiet(): Promise<P99> {
    await whenIdle(this.#server);
    return p99Of(await this.#ask(QUIET_MS));
  }

  async #ask(forMs: number): Promise<Took> {
    this.#victim.send(forMs);
    return (await answerOf(this.#victim)) as Took;
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

function p99Of({ lookUps, acknowledgements }: Took): P99 {
  const of = (took: readonly number[]) =>
    quantile(
      took.toSorted((a, b) => a - b),
      0.99,
    );
  return { lookUps: of(lookUps), acknowledgements: of(acknowledgements) };
}
