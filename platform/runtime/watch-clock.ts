import type { Logger } from 'pino';
import { TAGTRAIL } from '../../base/typed-command.ts';
import { TOLERATED_SKEW } from '../../db/timescale/queries/database-clock.ts';
import type { Check } from './health.ts';
import type { Lifecycle } from './lifecycle.ts';
import { repeat } from './repeat.ts';

/** Milliseconds between looks. */
const EVERY = 5_000;

/** Milliseconds for which readiness tells of a jump. */
const TOLD_FOR = 3_600_000;

/** The machine's clock, and a monotonic one: milliseconds. */
export interface MachineClocks {
  wall(): number;
  running(): number;
}

const OF_THIS_MACHINE: MachineClocks = { wall: () => Date.now(), running: () => performance.now() };

type Notices = Readonly<Record<'clock_steady' | 'clock_stored', Check>>;

/** Services of one process share it. */
const watched = new WeakMap<Lifecycle, Promise<Notices>>();

/**
 * Watches for a clock that was wrong for a while. Comparing with the database's clock shows nothing if both are one
 * machine's, so this looks for jumps against a monotonic clock, and for stored times in the future.
 *
 * @param findStored describes what is stored with such times; null if nothing is.
 * @returns notices: recording goes on, as the clock may have been put right.
 */
export function watchClock(
  findStored: () => Promise<string | null>,
  { log, lifecycle }: { log: Logger; lifecycle: Lifecycle },
): Promise<Notices> {
  const known = watched.get(lifecycle) ?? startWatch(findStored, { log, lifecycle });
  watched.set(lifecycle, known);
  return known;
}

async function startWatch(
  findStored: () => Promise<string | null>,
  { log, lifecycle }: { log: Logger; lifecycle: Lifecycle },
): Promise<Notices> {
  const jumps = new ClockJumps(OF_THIS_MACHINE);
  let stored: string | null = null;
  const look = async () => {
    const jump = jumps.look();
    if (jump !== null) {
      log.warn(
        { seconds: jump / 1_000 },
        `Clock of this machine ${sayJump(jump)}; recording continues with the new time`,
      );
    }
    const found = await findStored();
    if (found !== null && stored === null) {
      log.error(
        { fault: found },
        'Stored scans are dated in the future; until then they decide where their assets are',
      );
    } else if (found === null && stored !== null) {
      log.info('Stored scans are no longer dated in the future');
    }
    stored = found;
  };
  await lifecycle.start(
    'watch of the clock',
    async () => repeat(EVERY, look, (error) => log.error({ err: error }, 'Clock check failed')),
    (started) => started.stop(),
  );
  return {
    clock_steady: async () => {
      jumps.look();
      requireNone(jumps.told);
    },
    clock_stored: async () => requireNone(stored),
  };
}

function requireNone(fault: string | null): void {
  if (fault !== null) {
    throw new Error(fault);
  }
}

function sayJump(milliseconds: number): string {
  const seconds = Math.round(Math.abs(milliseconds) / 1_000);
  return `was set ${milliseconds > 0 ? 'forward' : 'back'} by ${seconds} s, or the machine slept`;
}

/** How far the clock has jumped since this process started. */
export class ClockJumps {
  readonly #clocks: MachineClocks;
  #apart: number;
  #last: { by: number; at: number } | null = null;

  constructor(clocks: MachineClocks) {
    this.#clocks = clocks;
    this.#apart = clocks.wall() - clocks.running();
  }

  /** @returns by how many milliseconds it was set since the last look; null if it was not. */
  look(): number | null {
    const apart = this.#clocks.wall() - this.#clocks.running();
    const by = apart - this.#apart;
    // A time server's small corrections are no jump, however much they add up to.
    this.#apart = apart;
    if (Math.abs(by) <= TOLERATED_SKEW) {
      return null;
    }
    this.#last = { by, at: this.#clocks.running() };
    return by;
  }

  /** The last jump, for an hour; null if there was none. */
  get told(): string | null {
    const last = this.#last;
    return last === null || this.#clocks.running() - last.at > TOLD_FOR
      ? null
      : `this machine's clock ${sayJump(last.by)}; if it was wrong, ${TAGTRAIL} clock mend corrects the recorded times`;
  }
}
