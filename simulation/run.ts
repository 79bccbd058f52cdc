import { setTimeout } from 'node:timers/promises';
import type { Clock } from '../base/clock.ts';
import { greatestOf } from '../base/extremes.ts';
import { MICROS_PER_MILLISECOND, MICROS_PER_SECOND, type Micros } from '../base/instant.ts';
import type { Connections } from './connections.ts';
import { Delivery } from './delivery.ts';
import { assignTroubles, type Fault, NO_TROUBLE, nightOf, type Trouble, theftsOf } from './faults.ts';
import { type Hall, HallLife } from './hall.ts';
import type { Message } from './message.ts';
import type { SimulatedAsset, TaggedAsset } from './population.ts';
import { createRandom, type Random } from './random.ts';
import type { ReaderLine } from './reader-line.ts';
import { antennaAt, type Site, type SiteLocation, type SiteReader } from './site.ts';
import { Traffic } from './traffic.ts';
import type { Truth } from './truth/truth.ts';
import type { Whereabouts } from './truth/whereabouts.ts';

export interface SimulationPlan {
  site: Site;
  assets: readonly SimulatedAsset[];
  rate: number;
  /** Seconds; null for no end. */
  duration: number | null;
  /** Speed of the site's time: 1 or more. More needs a duration: the site's time ends with the run. */
  speed: number;
  faults: ReadonlySet<Fault>;
  seed: number;
  /** Assets that stay at the site are read again within that; null leaves it to chance. */
  reread?: Micros | null;
  /** A hall of the site, and what is in it. */
  hall?: { hall: Hall; carts: readonly TaggedAsset[] } | null;
}

export interface SimulationOptions {
  connections: Connections;
  truth: Truth;
  clock: Clock;
  signal: AbortSignal;
  whereabouts?: Whereabouts | null;
  onProgress?(progress: Progress): void;
}

export interface Progress {
  elapsed: number;
  messages: number;
  reads: number;
}

/**
 * Runs a site and lets its readers publish until its time is over or the signal aborts. The same seed and start give
 * the same messages.
 */
export async function runSimulation(plan: SimulationPlan, options: SimulationOptions): Promise<Progress> {
  const { site, assets, rate, speed, faults, seed, reread = null, hall = null } = plan;
  const { connections, truth, clock, signal, whereabouts = null, onProgress } = options;
  const random = createRandom(seed);
  const duration = plan.duration === null ? null : plan.duration * MICROS_PER_SECOND;
  const troubles = assignTroubles(site.readers, { faults, duration, isRealTime: speed === 1 });
  const startedAt = clock();
  const from = startedAt - (duration ?? 0) * (speed - 1);
  const atSite = (elapsed: Micros) => from + elapsed * speed;
  const life = {
    ...eventsOf({ faults, duration }, assets.length, atSite),
    isSafe: ({ key }: SiteLocation) => troubles.get(antennaAt(site, key).reader) === NO_TROUBLE,
    whereabouts,
  };
  const traffic = new Traffic({
    ...{ site, assets, troubles, faults, from, random, life, reread },
    // With numbers of its own, so that the rest of the site goes on as without it.
    hall: hall === null ? null : new HallLife(hall.hall, hall.carts, from, createRandom(seed + 1)),
  });
  const delivery = new Delivery({ connections, truth, clock, troubles, signal });
  const progress = (elapsed: Micros) => ({
    elapsed: elapsed / MICROS_PER_SECOND,
    messages: delivery.acknowledged,
    reads: delivery.reads,
  });
  let elapsed = 0;
  let due = 0;
  for (let step = 0; duration === null || elapsed < duration; step++) {
    const next = Math.min(elapsed + STEP, duration ?? Number.POSITIVE_INFINITY);
    await waitUntil(startedAt + next, clock, signal);
    if (signal.aborted) {
      break;
    }
    const [begin, end] = [atSite(elapsed), atSite(next)];
    elapsed = next;
    await delivery.letTimePass(elapsed);
    due += ((end - begin) / speed / MICROS_PER_SECOND) * rate;
    const count = Math.floor(due);
    due -= count;
    for (const { line, message } of traffic.messages({ from: begin, to: end, elapsed }, count)) {
      const trouble = troubles.get(line.reader);
      await send(message, { line, trouble, faults, random, delivery, elapsed, end });
    }
    if (step % STEPS_BETWEEN_HEARTBEATS === 0) {
      for (const heartbeat of traffic.heartbeats(end)) {
        await delivery.deliver(heartbeat);
      }
    }
    truth.settle(
      Math.min(begin, delivery.oldest) - latestOf(troubles, speed),
      step % STEPS_BETWEEN_SETTLINGS,
      STEPS_BETWEEN_SETTLINGS,
    );
    onProgress?.(progress(elapsed));
  }
  await delivery.finish();
  return progress(elapsed);
}

/** Nights and thefts by the time of the site. */
function eventsOf(
  faulty: { faults: ReadonlySet<Fault>; duration: Micros | null },
  assets: number,
  atSite: (elapsed: Micros) => Micros,
) {
  const night = nightOf(faulty);
  return {
    night: night === null ? null : { from: atSite(night.from), to: atSite(night.to) },
    thefts: theftsOf(assets, faulty).map(atSite),
  };
}

interface Sending {
  line: ReaderLine;
  trouble: Trouble | undefined;
  faults: ReadonlySet<Fault>;
  random: Random;
  delivery: Delivery;
  elapsed: Micros;
  /** By the site's time. */
  end: Micros;
}

/** Sends a message now or late, once or twice, and sometimes a truncated one beside it. */
async function send(message: Message, sending: Sending): Promise<void> {
  const { line, trouble, faults, random, delivery, elapsed, end } = sending;
  const soon = () => elapsed + Math.ceil(random.fraction() * MOST_LATE);
  // A read without a time of its own would be another read if it came later, and a silent reader sends nothing later.
  const fallsSilent = trouble !== undefined && (trouble.deathAt !== null || trouble.silences.length > 0);
  const canWait = line.hasClock && !fallsSilent;
  const isLate = random.chance(0.06);
  await delivery.deliver(message, isLate && faults.has('late') && canWait ? soon() : null);
  const [isRepeated, isDup, later] = [random.chance(0.03), random.chance(0.5), soon()];
  if (isRepeated && faults.has('duplicates') && canWait) {
    await delivery.deliver({ ...message, isDup }, isDup ? null : later, true);
  }
  if (random.chance(0.01) && faults.has('poison')) {
    await delivery.deliver(line.broken(end));
  }
}

/** Real time between rounds of reads. */
const STEP: Micros = 200 * MICROS_PER_MILLISECOND;
const STEPS_BETWEEN_HEARTBEATS = 25;
const STEPS_BETWEEN_SETTLINGS = 25;

/** Longest delay of a late message; real time. */
const MOST_LATE: Micros = 8 * MICROS_PER_SECOND;

/** How much older than the site's time a future read can be, unacknowledged ones aside. */
function latestOf(troubles: ReadonlyMap<SiteReader, Trouble>, speed: number): Micros {
  const behind = greatestOf([...troubles.values()].map(({ clockOffset }) => -clockOffset));
  return behind + (MOST_LATE + 10 * MICROS_PER_SECOND) * speed;
}

async function waitUntil(at: Micros, clock: Clock, signal: AbortSignal): Promise<void> {
  const left = (at - clock()) / MICROS_PER_MILLISECOND;
  if (left > 0) {
    await setTimeout(left, undefined, { signal }).catch(() => {});
  }
}
