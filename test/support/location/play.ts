import { MICROS_PER_DAY, MICROS_PER_SECOND } from '../../../base/instant.ts';
import type { Pool } from '../../../db/timescale/connections/client.ts';
import { inTransaction } from '../../../db/timescale/connections/transaction.ts';
import { AlreadyStored, recordScans } from '../../../domain/tracking/record.ts';
import type { Scan } from '../../../domain/tracking/scan.ts';
import { createRandom, type Random } from '../../../simulation/random.ts';
import { aMemory, type Memory } from '../recording.ts';
import type { Rows } from '../site.ts';
import type { Moment } from './figures.ts';
import type { Measured } from './measured.ts';
import { type MeasuredSite, scanOf, storedMoments } from './measured-site.ts';

/** What was measured years ago is not too late. */
const RULES = { lateness: 36_500 * MICROS_PER_DAY, retention: 36_500 * MICROS_PER_DAY };

/** Scans that are recorded by one transaction. */
export type Batch = readonly Scan[];

/** Records batches one after another, as one process does. */
export async function recordBatches(
  pool: Pool,
  batches: Iterable<Batch>,
  memory: Memory = aMemory(),
): Promise<void> {
  for (const batch of batches) {
    const now = batch.reduce((latest, { receivedAt }) => Math.max(latest, receivedAt), 0);
    await inTransaction(
      pool,
      (client, attempt) =>
        recordScans(client, batch, { rules: RULES, now, isCareful: attempt > 1, ...memory }),
      (error) => error instanceof AlreadyStored,
    );
  }
}

/**
 * Records the reads of all tags in order of time, half a second of each at once, and looks each time where they are said to be.
 * An answer stays until there is another one, even where later reads prove nothing any more.
 *
 * @returns by tag, what was said at each of its seconds of truth.
 */
export async function recordAndLook(
  database: Rows & { pool: Pool },
  site: MeasuredSite,
  { reads, truth }: Measured,
): Promise<Map<string, Moment[]>> {
  const memory = aMemory();
  const moments = new Map([...truth.keys()].map((tag): [string, Moment[]] => [tag, []]));
  const said = new Map<string, Moment>();
  const buckets = new Map(
    [...reads].map(([tag, own]) => [tag, Map.groupBy(own, ({ at }) => Math.floor(at / BUCKET))]),
  );
  const firstOf = (tag: string) => Math.floor((reads.get(tag)?.[0]?.at ?? 0) / BUCKET);
  const lengths = [...reads].map(([tag, own]) => Math.ceil((own.at(-1)?.at ?? 0) / BUCKET) - firstOf(tag));
  for (let step = 0; step <= Math.max(...lengths); step++) {
    for (const [tag, positions] of truth) {
      const told = moments.get(tag) ?? [];
      // What lies before the beginning of this step has been recorded.
      while ((positions[told.length]?.at ?? Number.POSITIVE_INFINITY) < (firstOf(tag) + step + 1) * BUCKET) {
        told.push(said.get(tag) ?? { location: null, position: null });
      }
    }
    const batch = [...buckets].flatMap(([tag, own]) =>
      (own.get(firstOf(tag) + step) ?? []).map((read) => scanOf(site, tag, read)),
    );
    await recordBatches(database.pool, batch.length === 0 ? [] : [batch], memory);
    for (const [tag, moment] of await storedMoments(database, site)) {
      if (moment.location !== null) {
        said.set(tag, moment);
      }
    }
  }
  for (const [tag, positions] of truth) {
    const told = moments.get(tag) ?? [];
    told.push(...positions.slice(told.length).map(() => said.get(tag) ?? { location: null, position: null }));
  }
  return moments;
}

const BUCKET = MICROS_PER_SECOND / 2;

/** Ways in which the same reads may come. */
export const ARRIVALS = {
  'in order of time': (site, measured) => [inOrder(site, measured)],
  shuffled: (site, measured, random) => [inPieces(shuffled(inOrder(site, measured).flat(), random), random)],
  doubled: (site, measured) => {
    const batches = inOrder(site, measured);
    // Once more within a batch, and once more with the next but one.
    return [batches.flatMap((batch, index) => [[...batch, ...batch], batches[index - 2] ?? []])];
  },
  'in late pieces of an hour': (site, measured, random) => [latePieces(site, measured, random)],
  'by two writers at once': (site, measured) => {
    const batches = inOrder(site, measured);
    return [0, 1].map((writer) => batches.filter((_, index) => index % 2 === writer));
  },
} satisfies Record<string, (site: MeasuredSite, measured: Measured, random: Random) => Batch[][]>;

export type Arrival = keyof typeof ARRIVALS;

/** Records everything that was measured. Each writer has batches of its own. */
export async function recordArriving(
  pool: Pool,
  site: MeasuredSite,
  measured: Measured,
  arrival: Arrival,
  seed = 1,
): Promise<void> {
  const writers = ARRIVALS[arrival](site, measured, createRandom(seed));
  await Promise.all(writers.map((batches) => recordBatches(pool, batches)));
}

/** Of each tag's beginning, ten seconds of all tags together, and so on. */
function inOrder(site: MeasuredSite, { reads }: Measured): Batch[] {
  const LENGTH = 10 * MICROS_PER_SECOND;
  const scans = [...reads].flatMap(([tag, own]) =>
    own.map((read) => ({
      piece: Math.floor((read.at - (own[0]?.at ?? 0)) / LENGTH),
      scan: scanOf(site, tag, read),
    })),
  );
  return [...Map.groupBy(scans, ({ piece }) => piece)]
    .sort(([a], [b]) => a - b)
    .map(([, piece]) => piece.map(({ scan }) => scan));
}

/** Each reader was cut off for most of the time, and sends hour by hour what it kept, in no order. */
function latePieces(site: MeasuredSite, { reads }: Measured, random: Random): Batch[] {
  const HOUR = 3_600 * MICROS_PER_SECOND;
  const kept = [...reads].flatMap(([tag, own]) =>
    own.map((read) => ({
      piece: `${read.reader} ${Math.floor(read.at / HOUR)}`,
      scan: { ...scanOf(site, tag, read), receivedAt: (Math.floor(read.at / HOUR) + 2) * HOUR },
    })),
  );
  const pieces = [...Map.groupBy(kept, ({ piece }) => piece).values()];
  return shuffled(pieces, random).map((piece) => piece.map(({ scan }) => scan));
}

function inPieces(scans: readonly Scan[], random: Random): Batch[] {
  const pieces: Batch[] = [];
  const most = Math.ceil(scans.length / FEWEST_PIECES);
  for (let at = 0; at < scans.length; ) {
    const size = random.integer(1, most);
    pieces.push(scans.slice(at, at + size));
    at += size;
  }
  return pieces;
}

/** Each decides again nearly all of what came before. */
const FEWEST_PIECES = 5;

export function shuffled<Item>(items: readonly Item[], random: Random): Item[] {
  const mixed = [...items];
  for (let index = mixed.length - 1; index > 0; index--) {
    const other = random.integer(0, index);
    [mixed[index], mixed[other]] = [mixed[other] as Item, mixed[index] as Item];
  }
  return mixed;
}

/** A part of what was measured. */
export function onlyTags(measured: Measured, isWanted: (tag: string) => boolean): Measured {
  const wanted = <Value>(all: ReadonlyMap<string, Value>) =>
    new Map([...all].filter(([tag]) => isWanted(tag)));
  return { ...measured, reads: wanted(measured.reads), truth: wanted(measured.truth) };
}
