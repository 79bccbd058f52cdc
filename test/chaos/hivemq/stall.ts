import { setTimeout as pause } from 'node:timers/promises';
import type { Scenario } from '../scenario.ts';

/** Milliseconds without a message to ingestion, after which a broker is not waited for any longer. */
const LONGEST_SILENCE = 60_000;

/** The broker has messages for ingestion, which is connected and subscribed, and hands none over. */
export class Stall extends Error {}

/** @throws Stall once nothing was handed to ingestion for a minute; until `signal` is aborted. */
export async function untilStall({ tap, publishers }: Scenario, signal: AbortSignal): Promise<never> {
  for (;;) {
    const { deliveries } = tap;
    await pause(LONGEST_SILENCE, undefined, { signal });
    if (tap.deliveries === deliveries) {
      const waiting = publishers.acknowledged.size - tap.acknowledged.size;
      throw new Stall(
        `The broker handed nothing over for ${LONGEST_SILENCE / 1_000} s; ${waiting} messages that it acknowledged to readers wait`,
      );
    }
  }
}
