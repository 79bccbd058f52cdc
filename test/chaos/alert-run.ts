import { setTimeout as lasts } from 'node:timers/promises';
import { AlertingSite } from './alerting-site.ts';
import { createCrashingDatabase } from './crashing-database.ts';
import { unlessAborted } from './unless-aborted.ts';

export interface AlertRun {
  kills: number;
  alerts: number;
  /** What is wrong with alerts, and with what was told of them. */
  faults: readonly string[];
}

/** Milliseconds: a turn each second, and three until another process goes on. */
const LONGEST_PAUSE = 5_000;

/** Of two absences, the first shorter than 15 seconds, with a connection as short between, readers keep the last only. */
const APART = 16_000;

/** Kills the process that derives alerts, and then the one that went on, at a random time each; again and again. */
export async function runAlerts(
  kills: number,
  isTimescale: boolean,
  random: () => number,
  signal: AbortSignal,
): Promise<AlertRun> {
  const database = await createCrashingDatabase(isTimescale);
  try {
    const site = await AlertingSite.start(database);
    return await unlessAborted(signal, async () => {
      for (let kill = 0; kill < kills; kill += 2) {
        await lasts(APART);
        await site.takeAwayAndKill(() => lasts(random() * LONGEST_PAUSE));
      }
      const made = site.kills;
      const faults = await site.findFaults();
      return { kills: made, alerts: (await site.count('overdue')) + (await site.count('reader')), faults };
    });
  } finally {
    await database.remove();
  }
}
