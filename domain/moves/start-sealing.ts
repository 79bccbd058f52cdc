import { setTimeout as pause } from 'node:timers/promises';
import { type SealingFigures, type SealingHooks, sealOn } from './sealing/sealing-loop.ts';
import { holdSealing, leave } from './sealing/sealing-session.ts';

export interface Sealing {
  /** Of this process. */
  figures(): SealingFigures & { isSealing: boolean };
  stop(): Promise<void>;
}

export interface SealingOptions extends SealingHooks {
  /** This process is the sealer now. */
  onBegin?(): void;
  /** It is not, or no longer; will retry. */
  onFault(error: unknown): void;
}

/** Milliseconds. */
const AGAIN = 1_000;

/** Of a process that does not seal. */
const NONE = { unsealed: 0, lag: 0, setAside: [] as readonly number[] };

/**
 * Gives the events of the move feed their positions, or stands by: one of the processes that call this is the sealer,
 * and if it goes away another takes over within 5 seconds.
 *
 * @param url of PostgreSQL itself: the lock belongs to a session.
 */
export function startSealing(url: string, { onBegin, onFault, ...hooks }: SealingOptions): Sealing {
  const stopping = new AbortController();
  const { signal } = stopping;
  const figures = { isSealing: false, sealed: 0, ...NONE };
  const seal = async () => {
    const client = await holdSealing(url, signal);
    if (client !== null) {
      try {
        figures.isSealing = true;
        onBegin?.();
        await sealOn(client, figures, { signal, ...hooks });
      } finally {
        Object.assign(figures, { isSealing: false, ...NONE });
        leave(client);
      }
    }
  };
  const run = async () => {
    while (!signal.aborted) {
      await seal().catch(async (error: unknown) => {
        onFault(error);
        await pause(AGAIN, undefined, { signal }).catch(() => {});
      });
    }
  };
  const running = run();
  return {
    figures: () => ({ ...figures }),
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}

/**
 * Seals everything that is committed now, once no other process holds the lock.
 *
 * @returns how many events it sealed.
 */
export async function sealAll(url: string): Promise<number> {
  const figures = { sealed: 0, ...NONE };
  const client = await holdSealing(url);
  if (client !== null) {
    try {
      await sealOn(client, figures, { isOnce: true });
    } finally {
      leave(client);
    }
  }
  return figures.sealed;
}
