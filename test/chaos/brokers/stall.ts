import { setTimeout as pause } from 'node:timers/promises';
import type { Scenario } from '../scenario.ts';

/** Milliseconds without a message to ingestion. */
const LONGEST_SILENCE = 60_000;

/** The broker has messages for ingestion, which is connected and subscribed, and hands none over. */
export class Stall extends Error {}

/**
 * Goes on without what the broker keeps back, once nothing was handed to ingestion for a minute; until `signal` is aborted.
 *
 * @throws Stall if nothing is handed over for another minute.
 */
export async function untilStall(scenario: Scenario, signal: AbortSignal): Promise<never> {
  const { tap, publishers } = scenario;
  let forgivenAt = -1;
  for (;;) {
    const { deliveries } = tap;
    await pause(LONGEST_SILENCE, undefined, { signal });
    if (tap.deliveries === deliveries && forgivenAt === deliveries) {
      const waiting = publishers.acknowledged.size - tap.acknowledged.size;
      const underWay = publishers.published - publishers.acknowledged.size;
      throw new Stall(
        `The broker handed nothing over for ${(2 * LONGEST_SILENCE) / 1_000} s; ${waiting} messages that it acknowledged to readers wait, ` +
          `${underWay} it did not acknowledge; ingestion has ${await figures(scenario, 'subscriptions')} subscriptions, ` +
          `and holds ${await figures(scenario, 'held_messages')} messages`,
      );
    }
    if (tap.deliveries === deliveries) {
      forgivenAt = deliveries;
      await scenario.forgive();
    }
  }
}

/** One of each process of ingestion. */
async function figures({ ingest }: Scenario, name: string): Promise<string> {
  return (await Promise.all(ingest.map((program) => program.figure(name).catch(() => 'no')))).join(' and ');
}
