import { Turns } from '../../../base/each-in-turns.ts';
import { firstIndex } from '../../../base/first-index.ts';
import type { Micros } from '../../../base/instant.ts';
import { compareDeciding, type DecidingScan, type Proof } from '../history/deciding-scan.ts';
import { compareRssi, type Sighting } from '../history/history.ts';
import type { MetricPosition, ObservedPosition } from '../history/metric-position.ts';
import { antennaId, type Fit, type Pin, type Plan } from './position.ts';
import { type Setting, type Site, tagDbmOf } from './site.ts';

/**
 * Where several antennas hear a tag at once, its scans together say where it is: this decides which of them *state* that
 * the asset is at a location. History is that of the statements (`history.ts`). The rules have the numbers of
 * docs/location.md; a scan states by one of these:
 *
 * - `person`: a handheld made it, at the location that the person named;
 * - `every`: the default: at its location;
 * - `only_here`, `strength`, `counts`, `position`: the reads around it prove a location.
 *
 * What a scan states depends on the scans of at most 30 s before and after it and on nothing else: not on the order of
 * arrival, and not on where the asset was before.
 */

/** An asset's scan: of a reader, which is a read of an antenna; or of a handheld. */
export interface Seen extends Sighting {
  scan: DecidingScan;
}

/** Why a scan states something. */
export type Rule = 'person' | 'every' | Proof;

/**
 * States that the asset is at `locationId`, because of `scan`; by position this may differ from the scan's location.
 */
export interface Statement extends Sighting {
  scan: DecidingScan;
  rule: Rule;
  /** The bucket's; null if there is none. */
  position: MetricPosition | null;
}

export interface Stated {
  /** One per instant, in order. */
  statements: Statement[];
  /** One per bucket that has one, in order. */
  positions: ObservedPosition[];
  /** Microseconds of processor time, as estimated. */
  cost: number;
}

/** Buckets, both included. */
export interface Buckets {
  from: number;
  to: number;
}

/** Half a second: a step of a person. */
export const BUCKET: Micros = 500_000;

/** Rule 3: 5, 15 or 30 s to either side. */
export const REACHES = [9, 29, 59] as const;

/** The buckets before and after a bucket that bear on it, where it is read often. */
export const NEAREST = REACHES[0];

/** How far scans may affect a bucket. */
export const FARTHEST = REACHES[2];

/** Rule 1: reads of one antenna in one bucket that take part. */
const MOST_READS = 50;

/** Rule 3: reads of one antenna that make a window wide enough. */
const ENOUGH = 5;

/** Rule 4: the strongest fifth. Bodies and reflections take away and rarely add, and the maximum alone is one lucky read. */
const FIFTH = 5;

/** Rule 9: twice the power, as a standard error over the root of the count. */
const MARGIN_DB = 3;

/** Rule 10: two standard deviations of a difference of counts. */
const DEVIATIONS = 2;

/** Rule 17: odds of 5 to 1 for one read, 1.4 to 1 for twenty. */
const ODDS = 1.6;

/** Rule 2. */
export function bucketOf(at: Micros): number {
  return Math.floor(at / BUCKET);
}

/**
 * @param scans of one asset, in any order; neither retracted nor unplaced ones, and each once.
 * @param of the buckets whose statements are wanted; for them to be right, all scans within {@link FARTHEST} buckets are
 *   needed. Without it, all.
 */
export async function statementsOf(scans: readonly Seen[], site: Site, of: Buckets = ALL): Promise<Stated> {
  return statementsIn(await hearing(scans, site), of);
}

const ALL: Buckets = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };

/** {@link statementsOf} scans that are heard already. */
export async function statementsIn(heard: Hearing, of: Buckets, turns = new Turns()): Promise<Stated> {
  const stated: Stated = { statements: [], positions: [], cost: 0 };
  for (const bucket of heard.buckets(of)) {
    heard.state(bucket, stated);
    if (turns.isOver) {
      await turns.next();
    }
  }
  return stated;
}

export async function hearing(scans: readonly Seen[], site: Site, turns?: Turns): Promise<Hearing> {
  const heard = new Hearing(site);
  await addScans(heard, scans, turns);
  return heard;
}

export async function addScans(to: Hearing, scans: readonly Seen[], turns = new Turns()): Promise<void> {
  for (const scan of inOrder(scans)) {
    to.add(scan);
    if (turns.isOver) {
      await turns.next();
    }
  }
}

/** By time, then reader, antenna and tag (rule 6). */
function inOrder(scans: readonly Seen[]): readonly Seen[] {
  const isSorted = scans.every(
    (scan, index) => index === 0 || compareScans(scans[index - 1] as Seen, scan) <= 0,
  );
  return isSorted ? scans : scans.toSorted(compareScans);
}

function compareScans(a: Read, b: Read): number {
  return a.observedAt - b.observedAt || compareDeciding(a.scan, b.scan);
}

/** An asset's scans, which may grow, and their statements. */
export class Hearing {
  #site: Site;
  /** Of the newest scan. */
  #lastAt: Micros = Number.NEGATIVE_INFINITY;
  /** By bucket, each in order, without reads that can state nothing and take no part. */
  readonly #scans = new Map<number, SetScan[]>();
  /** In order of their ids. */
  readonly #antennas: AntennaReads[] = [];
  readonly #byId = new Map<number, AntennaReads[]>();
  /** What reads share, by the value of their tag. */
  readonly #shared = new Map<string, Shared[]>();
  #sharedCount = 0;
  /** Locations of antennas, and {@link AntennaReads.place}. */
  readonly #places = new Map<number, number>();
  /** The participating reads of each antenna, in order, in buckets that may have more. */
  readonly #firsts = new Map<number, Map<number, SetScan[]>>();
  /** The last fit of each bucket. */
  readonly #fits = new Map<number, KnownFit>();
  /** Buckets that are known to be narrow: they stay so. */
  readonly #narrow = new Set<number>();
  #size = 0;

  constructor(site: Site) {
    this.#site = site;
  }

  get site(): Site {
    return this.#site;
  }

  /** Goes on at another site. @returns false if its scans may be decided otherwise there. */
  moveTo(site: Site): boolean {
    const before = this.#site;
    if (site.layout !== before.layout || site.differsFrom(before) <= this.#lastAt) {
      return false;
    }
    if (Number.isFinite(site.differsFrom(before))) {
      for (const scans of this.#scans.values()) {
        for (const { scan } of scans) {
          site.placeAsIn(before, scan.locationId);
        }
      }
      this.#site = site;
      this.#shared.clear();
      this.#sharedCount = 0;
    }
    return true;
  }

  /** Scans that are kept. */
  get size(): number {
    return this.#size;
  }

  /** What it takes of memory, as estimated. */
  get bytes(): number {
    const ofAntennas = BYTES_OF_ANTENNA * this.#antennas.length + BYTES_OF_SHARED * this.#sharedCount;
    const ofScans = BYTES_OF_BUCKET * this.#scans.size + BYTES_OF_SCAN * this.#size;
    return BYTES + ofAntennas + ofScans + BYTES_OF_FIT * this.#fits.size;
  }

  add(scan: Seen): void {
    const bucket = bucketOf(scan.observedAt);
    const scans = this.#scans.get(bucket);
    this.#lastAt = Math.max(this.#lastAt, scan.observedAt);
    const { observedAt, rssi } = scan;
    const added = { observedAt, rssi, receivedAt: scan.scan.receivedAt, scan: this.#sharedBy(scan) };
    if (scans === undefined) {
      this.#scans.set(bucket, [added]);
    } else {
      const isAfter = (other: SetScan) => compareScans(other, added) > 0;
      const index = isAfter(scans.at(-1) as SetScan)
        ? firstIndex(0, scans.length, (each) => isAfter(scans[each] as SetScan))
        : scans.length;
      scans.splice(index, 0, added);
    }
    this.#size += 1;
    const { source } = added.scan;
    const left = source.kind === 'reader' ? this.#addRead(antennaId(source), bucket, added) : undefined;
    if (left !== undefined) {
      this.#leaveOut(left, this.#scans.get(bucket) ?? []);
    }
  }

  #sharedBy({ observedAt, locationId, scan: { tagType, tagValue, source } }: Seen): Shared {
    const shared = {
      tagType,
      tagValue,
      source,
      locationId,
      setting: this.site.settingAt(locationId, observedAt),
    };
    if (source.kind === 'handheld') {
      return shared;
    }
    const ofTag = this.#shared.get(tagValue) ?? [];
    const known = ofTag.find((each) => isShared(each, shared));
    if (known === undefined) {
      ofTag.push(shared);
      this.#shared.set(tagValue, ofTag);
      this.#sharedCount += 1;
    }
    return known ?? shared;
  }

  /**
   * Rule 1: the first by time, cut to milliseconds; then the stronger, then the tag's value.
   *
   * @returns the read that takes no part for that, if any.
   */
  #addRead(id: number, bucket: number, scan: SetScan): SetScan | undefined {
    const firsts = this.#firstsOf(id, bucket, scan);
    const last = firsts?.[MOST_READS - 1];
    if (firsts !== null && last !== undefined) {
      if (byMillisecond(scan, last) >= 0) {
        return scan;
      }
      firsts.pop();
      this.#readsAt(id, last).remove(bucket, last.rssi);
    }
    this.#readsAt(id, scan).add(bucket, scan.rssi);
    firsts?.splice(
      firstIndex(0, firsts.length, (each) => byMillisecond(firsts[each] as SetScan, scan) > 0),
      0,
      scan,
    );
    return last;
  }

  /** Forgets a read that takes no part, unless it states by itself, or is the first that may state a decision (rule 6). */
  #leaveOut(read: SetScan, scans: SetScan[]): void {
    const index = firstIndex(0, scans.length, (each) => compareScans(scans[each] as SetScan, read) >= 0);
    const { setting, locationId } = read.scan;
    const isLike = ({ scan }: SetScan) =>
      scan.setting === setting && scan.locationId === locationId && scan.source.kind === 'reader';
    if (setting.procedure !== 'every' && scans.findIndex(isLike) < index) {
      scans.splice(index, 1);
      this.#size -= 1;
    }
  }

  /** The antenna's reads before `scan` that take part; null in a bucket with so few scans that all do. */
  #firstsOf(id: number, bucket: number, scan: SetScan): SetScan[] | null {
    const scans = this.#scans.get(bucket) ?? [];
    if (scans.length <= MOST_READS) {
      return null;
    }
    let ofBucket = this.#firsts.get(bucket);
    if (ofBucket === undefined) {
      ofBucket = new Map();
      this.#firsts.set(bucket, ofBucket);
      for (const each of scans.toSorted(byMillisecond)) {
        if (each !== scan && each.scan.source.kind === 'reader') {
          ofAntenna(ofBucket, antennaId(each.scan.source)).push(each);
        }
      }
    }
    return ofAntenna(ofBucket, id);
  }

  #readsAt(id: number, { scan: { locationId, source } }: SetScan): AntennaReads {
    let ofAntenna = this.#byId.get(id);
    if (ofAntenna === undefined) {
      ofAntenna = [];
      this.#byId.set(id, ofAntenna);
    }
    let reads = ofAntenna.find((each) => each.locationId === locationId);
    if (reads === undefined) {
      const { readerId, antenna } = source as ReaderSource;
      const place = this.#places.get(locationId) ?? this.#places.size;
      this.#places.set(locationId, place);
      const offset = this.site.offsetOf(readerId, antenna);
      reads = new AntennaReads({ readerId, antenna, offset, locationId, place });
      ofAntenna.push(reads);
      const added = reads;
      const index = firstIndex(
        0,
        this.#antennas.length,
        (each) => compareAntennas(this.#antennas[each] as AntennaReads, added) > 0,
      );
      this.#antennas.splice(index, 0, added);
    }
    return reads;
  }

  /** Those that have scans, ascending. */
  buckets({ from, to }: Buckets): number[] {
    return [...this.#scans.keys()].filter((bucket) => bucket >= from && bucket <= to).sort((a, b) => a - b);
  }

  /** Adds what a bucket states. @returns the buckets that bear on that. */
  state(bucket: number, stated: Stated): Buckets {
    const decided = this.decide(bucket);
    const statements =
      decided.statements.length === 1 ? decided.statements : onePerInstant(decided.statements, this.site);
    for (const statement of statements) {
      statement.position = decided.position;
      stated.statements.push(statement);
    }
    stated.cost += decided.cost;
    if (decided.position !== null) {
      stated.positions.push({ ...decided.position, observedAt: decided.positionAt });
    }
    return decided.window;
  }

  decide(bucket: number): Decided {
    return decide(this.#scans.get(bucket) ?? [], this, bucket);
  }

  /** The bucket's last fit, if the levels are still the same: most weak reads leave them so. */
  fit(bucket: number, pinned: Pinned, tagDbm: number): { fit: Fit; cost: number } {
    const known = this.#fits.get(bucket);
    if (known !== undefined && known.tagDbm === tagDbm && isSameLevels(known.pinned, pinned)) {
      return { fit: known.fit, cost: 0 };
    }
    // Before the plan remembers what it has to find for this fit, which counts.
    const cost = pinned.plan.costOf(pinned.pins);
    const fit = fitOf(pinned, tagDbm);
    this.#fits.set(bucket, { pinned, tagDbm, fit });
    return { fit, cost };
  }

  /** Whether the nearest window suffices: then no farther bucket ever affects this one. */
  isNarrow(bucket: number): boolean {
    if (!this.#narrow.has(bucket) && this.#antennas.some((antenna) => antenna.look(bucket, 0) >= ENOUGH)) {
      this.#narrow.add(bucket);
    }
    return this.#narrow.has(bucket);
  }

  /** Forgets everything before a bucket. */
  forget(before: number): void {
    for (const [bucket, { length }] of this.#scans) {
      if (bucket < before) {
        this.#scans.delete(bucket);
        this.#size -= length;
        this.#fits.delete(bucket);
        this.#firsts.delete(bucket);
        this.#narrow.delete(bucket);
      }
    }
    for (const antenna of this.#antennas) {
      antenna.forget(before);
    }
  }

  /** Rules 3, 4 and 8. */
  hear(bucket: number): Heard {
    const antennas = this.#antennas;
    let wideness = 0;
    for (; wideness < REACHES.length; wideness++) {
      let most = 0;
      for (const antenna of antennas) {
        most = Math.max(most, antenna.look(bucket, wideness));
      }
      if (most >= ENOUGH || wideness === REACHES.length - 1) {
        break;
      }
    }
    const reach = REACHES[wideness] as number;
    const heard: Heard = {
      window: { from: bucket - reach, to: bucket + reach },
      antennas: [],
      locations: [],
      cost: (wideness + 1) * antennas.length * COST_OF_ANTENNA,
    };
    const at: (HeardLocation | undefined)[] = new Array(this.#places.size).fill(undefined);
    for (const antenna of antennas) {
      if (antenna.count > 0) {
        antenna.measure(bucket, wideness);
        heard.antennas.push(antenna);
        hearAt(heard, at, antenna);
      }
    }
    return heard;
  }
}

function compareAntennas(a: AntennaReads, b: AntennaReads): number {
  return a.readerId - b.readerId || a.antenna - b.antenna || a.locationId - b.locationId;
}

type ReaderSource = Extract<DecidingScan['source'], { kind: 'reader' }>;

function byMillisecond(a: SetScan, b: SetScan): number {
  return (
    Math.floor(a.observedAt / 1_000) - Math.floor(b.observedAt / 1_000) ||
    compareRssi(b.rssi, a.rssi) ||
    compareDeciding(a.scan, b.scan) ||
    a.observedAt - b.observedAt
  );
}

function ofAntenna(firsts: Map<number, SetScan[]>, id: number): SetScan[] {
  let own = firsts.get(id);
  if (own === undefined) {
    own = [];
    firsts.set(id, own);
  }
  return own;
}

/** Rule 8. */
function hearAt(heard: Heard, at: (HeardLocation | undefined)[], antenna: AntennaReads): void {
  const { locationId, place, count, level, known } = antenna;
  const location = at[place];
  if (location === undefined) {
    const first = { locationId, count, loudest: antenna, level, known };
    at[place] = first;
    heard.locations.push(first);
    return;
  }
  location.count += count;
  const isLouder =
    location.known === 0 || level > location.level || (level === location.level && known > location.known);
  if (known > 0 && isLouder) {
    location.loudest = antenna;
    location.level = level;
    location.known = known;
  }
}

/** One antenna's reads at a location, in order, and its level in a window. */
class AntennaReads {
  readonly readerId: number;
  readonly antenna: number;
  readonly offset: number;
  /** An antenna that moves to another location counts as two. */
  readonly locationId: number;
  /** A number of the location. */
  readonly place: number;
  /** Reads in the window, with or without RSSI. */
  count = 0;
  /** Those with RSSI: `n`. */
  known = 0;
  /** Rule 4; NaN without RSSI. */
  level = Number.NaN;
  readonly #buckets: number[] = [];
  /** NaN: none. */
  readonly #rssi: number[] = [];
  /** The first index in the last window, and the index after its last. */
  #first = 0;
  #end = 0;
  /** Levels in the nearest windows around buckets, by the last digits of the bucket. */
  readonly #measured: (Measured | undefined)[] = new Array(REMEMBERED).fill(undefined);

  constructor(of: Pick<AntennaReads, 'readerId' | 'antenna' | 'offset' | 'locationId' | 'place'>) {
    this.readerId = of.readerId;
    this.antenna = of.antenna;
    this.offset = of.offset;
    this.locationId = of.locationId;
    this.place = of.place;
  }

  add(bucket: number, rssi: number | null): void {
    const index = this.#firstFrom(bucket + 1);
    this.#buckets.splice(index, 0, bucket);
    this.#rssi.splice(index, 0, rssi ?? Number.NaN);
    this.#changeAround(bucket, (measured) => isLevelSame(measured, rssi));
  }

  /** One read with that strength. */
  remove(bucket: number, rssi: number | null): void {
    let index = this.#firstFrom(bucket + 1) - 1;
    while (index > 0 && !Object.is(this.#rssi[index], rssi ?? Number.NaN)) {
      index -= 1;
    }
    this.#buckets.splice(index, 1);
    this.#rssi.splice(index, 1);
    this.#changeAround(bucket, () => false);
  }

  /** Forgets measurements around a bucket, unless `isSame` says that the level is unchanged. */
  #changeAround(bucket: number, isSame: (measured: Measured) => boolean): void {
    for (let near = bucket - REACHES[0]; near <= bucket + REACHES[0]; near++) {
      const measured = this.#measured[near & (REMEMBERED - 1)];
      if (measured?.bucket === near && !isSame(measured)) {
        this.#measured[near & (REMEMBERED - 1)] = undefined;
      }
    }
  }

  forget(before: number): void {
    const count = this.#firstFrom(before);
    this.#buckets.splice(0, count);
    this.#rssi.splice(0, count);
  }

  /** @returns how many reads are in the window. */
  look(bucket: number, wideness: number): number {
    const measured = this.#measured[bucket & (REMEMBERED - 1)];
    if (wideness === 0 && measured?.bucket === bucket) {
      this.count = measured.count;
      return this.count;
    }
    const reach = REACHES[wideness] as number;
    this.#first = this.#firstFrom(bucket - reach);
    this.#end = this.#firstFrom(bucket + reach + 1);
    this.count = this.#end - this.#first;
    return this.count;
  }

  /** The index of the first read in a bucket or a later one. */
  #firstFrom(bucket: number): number {
    return firstIndex(0, this.#buckets.length, (index) => (this.#buckets[index] as number) >= bucket);
  }

  /** Rule 4, for the last window. */
  measure(bucket: number, wideness: number): void {
    const measured = this.#measured[bucket & (REMEMBERED - 1)];
    if (wideness === 0 && measured?.bucket === bucket) {
      this.known = measured.known;
      this.level = measured.level;
      return;
    }
    const reads = this.#rssi.slice(this.#first, this.#end);
    let known = 0;
    for (const rssi of reads) {
      known += Number.isNaN(rssi) ? 0 : 1;
    }
    const strongest = strongestOf(reads, known, Math.ceil(known / FIFTH));
    let sum = 0;
    for (const rssi of strongest) {
      sum += rssi;
    }
    this.known = known;
    this.level = known === 0 ? Number.NaN : sum / strongest.length - this.offset;
    if (wideness === 0) {
      const { count, level } = this;
      const least = strongest.at(-1) ?? Number.POSITIVE_INFINITY;
      this.#measured[bucket & (REMEMBERED - 1)] = { bucket, count, known, level, least };
    }
  }
}

/** An antenna's level in the nearest window around a bucket. */
interface Measured {
  bucket: number;
  count: number;
  known: number;
  level: number;
  /** The least of the strengths that make up the level. */
  least: number;
}

/** A power of two, above the buckets that one read bears on. */
const REMEMBERED = 32;

/**
 * Counts one more read.
 *
 * @returns whether the level is unchanged: the read is not in the strongest fifth.
 */
function isLevelSame(measured: Measured, rssi: number | null): boolean {
  measured.count += 1;
  if (rssi === null) {
    return true;
  }
  measured.known += 1;
  return rssi <= measured.least && measured.known % FIFTH !== 1;
}

/** From strong to weak. @param known how many of the reads have RSSI. */
function strongestOf(reads: readonly number[], known: number, count: number): Float64Array {
  if (known > FEW) {
    return strongestWhole(reads, count) ?? strongestSorted(reads, count);
  }
  const strongest = new Float64Array(count).fill(Number.NEGATIVE_INFINITY);
  for (const rssi of reads) {
    for (let index = count; index > 0 && rssi > (strongest[index - 1] as number); index--) {
      if (index < count) {
        strongest[index] = strongest[index - 1] as number;
      }
      strongest[index - 1] = rssi;
    }
  }
  return strongest;
}

/** Reads in which looking for the strongest fifth takes less time than counting, in the worst order too. */
const FEW = 40;

/** By counting how often each strength was read, a tenth of the time of sorting; null if they are no whole numbers. */
function strongestWhole(reads: readonly number[], count: number): Float64Array | null {
  const times = new Uint32Array(STRENGTHS);
  for (const rssi of reads) {
    const strength = rssi - WEAKEST;
    if (strength >= 0 && strength < STRENGTHS && Number.isInteger(strength)) {
      times[strength] = (times[strength] as number) + 1;
    } else if (!Number.isNaN(rssi)) {
      return null;
    }
  }
  const strongest = new Float64Array(count);
  for (let strength = STRENGTHS - 1, found = 0; found < count; strength--) {
    const end = Math.min(count, found + (times[strength] as number));
    strongest.fill(strength + WEAKEST, found, end);
    found = end;
  }
  return strongest;
}

/** In dBm, and how many. */
const WEAKEST = -200;
const STRENGTHS = 256;

function strongestSorted(reads: readonly number[], count: number): Float64Array {
  const known = Float64Array.from(reads.filter((rssi) => !Number.isNaN(rssi)));
  return known.sort().reverse().subarray(0, count);
}

/** The reads in the window around a bucket. */
interface Heard {
  window: Buckets;
  /** With reads in the window; ordered by id. */
  antennas: AntennaReads[];
  locations: HeardLocation[];
  /** Microseconds, as estimated. */
  cost: number;
}

/** Microseconds to look at one and measure it. */
const COST_OF_ANTENNA = 0.3;

/** Microseconds to take a scan of the bucket into account. */
const COST_OF_SCAN = 0.1;

/** Rule 8. */
interface HeardLocation {
  locationId: number;
  /** All reads there: `N`. */
  count: number;
  loudest: AntennaReads;
  /** Its loudest antenna's level; NaN without RSSI. */
  level: number;
  /** Its loudest antenna's number of reads with RSSI. */
  known: number;
}

interface Decided {
  statements: Statement[];
  position: MetricPosition | null;
  /** The instant of the scan that it is by. */
  positionAt: Micros;
  /** The buckets that affect it; none if nothing has to be proven. */
  window: Buckets;
  /** Microseconds, as estimated. */
  cost: number;
}

/** Rules 5 and 6. @param scans in the bucket. */
function decide(scans: readonly SetScan[], hearing: Hearing, bucket: number): Decided {
  const cost = scans.length * COST_OF_SCAN;
  const decided: Decided = { statements: [], position: null, positionAt: 0, window: NOTHING, cost };
  const proving: SetScan[] = [];
  for (const each of scans) {
    const { source, locationId, setting } = each.scan;
    if (source.kind === 'handheld') {
      decided.statements.push(toStatement(each, locationId, 'person'));
    } else if (setting.procedure === 'every') {
      decided.statements.push(toStatement(each, locationId, 'every'));
    } else {
      proving.push(each);
    }
  }
  if (proving.length === 0) {
    return decided;
  }
  const heard = hearing.hear(bucket);
  decided.window = heard.window;
  decided.cost += heard.cost;
  const { byPosition, byStrength } = deciding(proving, heard, hearing.site);
  if (byPosition !== null) {
    const { scan, setting } = byPosition;
    const { fit, cost } = hearing.fit(bucket, byPosition.pinned, tagDbmOf(setting, scan.scan));
    const { proof, locationId } = decideByPosition(heard, byPosition.pinned, setting, fit);
    decided.position = fit.position;
    decided.positionAt = scan.observedAt;
    decided.cost += cost;
    if (proof !== null && locationId !== null) {
      decided.statements.push(toStatement(scan, locationId, proof));
    }
  }
  if (byStrength !== null) {
    const { proof, locationId } = decideByStrength(heard, byStrength.setting.certainty);
    if (proof !== null) {
      decided.statements.push(toStatement(byStrength.scan, locationId, proof));
    }
  }
  return decided;
}

/** Scans that need no proof depend on no other bucket. */
const NOTHING: Buckets = { from: Number.POSITIVE_INFINITY, to: Number.NEGATIVE_INFINITY };

function toStatement(
  { observedAt, receivedAt, rssi, scan }: SetScan,
  locationId: number,
  rule: Rule,
): Statement {
  const { tagType, tagValue, source } = scan;
  const deciding = { receivedAt, tagType, tagValue, rssi, source };
  return { observedAt, locationId, rssi, scan: deciding, rule, position: null };
}

/** A scan, and the setting that holds for it. Many are in memory, so what they have in common is there once. */
interface SetScan {
  observedAt: Micros;
  receivedAt: Micros;
  rssi: number | null;
  scan: Shared;
}

interface Shared extends Pick<DecidingScan, 'tagType' | 'tagValue' | 'source'> {
  locationId: number;
  setting: Setting;
}

/** Of a reader, both of one tag. */
function isShared(a: Shared, b: Shared): boolean {
  return a.locationId === b.locationId && a.setting === b.setting && compareDeciding(a, b) === 0;
}

interface Read extends Pick<SetScan, 'observedAt'> {
  scan: Pick<DecidingScan, 'tagType' | 'tagValue' | 'source'>;
}

type ProvingSetting = Exclude<Setting, { procedure: 'every' }>;

/** The scans that state the decision of a bucket. */
interface Deciding {
  byPosition: { scan: SetScan; setting: PositionSetting; pinned: Pinned } | null;
  byStrength: { scan: SetScan; setting: ProvingSetting } | null;
}

type PositionSetting = Extract<Setting, { procedure: 'position' }>;

/**
 * Rule 6: the first scan of the bucket that is decided by position, and the first at the loudest location among those
 * decided by strength; an asset does not arrive where it is not heard.
 */
function deciding(scans: readonly SetScan[], heard: Heard, site: Site): Deciding {
  const found: Deciding = { byPosition: null, byStrength: null };
  const { locationId } = loudest(heard);
  const pinnedOf = new Map<Plan | null, Pinned | null>([[null, null]]);
  for (const scan of scans) {
    const { setting, locationId: own } = scan.scan;
    const plan = setting.procedure === 'position' ? site.planAt(own) : null;
    let pinned = pinnedOf.get(plan);
    if (pinned === undefined) {
      pinned = pinnedOn(plan, heard);
      pinnedOf.set(plan, pinned);
    }
    if (setting.procedure === 'position' && pinned !== null) {
      found.byPosition ??= { scan, setting, pinned };
    } else if (setting.procedure !== 'every' && own === locationId) {
      found.byStrength ??= { scan, setting };
    }
    if (found.byStrength !== null && found.byPosition !== null) {
      break;
    }
  }
  return found;
}

/** The only location that can be decided by strength: the loudest, or without levels that with the most reads. */
function loudest({ locations }: Heard): HeardLocation {
  const isByCounts = locations.some(({ known }) => known === 0);
  return locations.reduce((best, each) =>
    (isByCounts ? each.count > best.count : each.level > best.level) ? each : best,
  );
}

/** By how much one location leads another, and by how much it must. */
export interface Margin {
  reached: number;
  needed: number;
  isReached: boolean;
}

interface ByStrength {
  /** Null: not decided. */
  proof: Proof | null;
  /** The location that is, or is closest to being, decided. */
  locationId: number;
  /** In dB, or a number of reads; null without a comparison. */
  unit: 'dB' | 'reads' | null;
  marginOf: (here: HeardLocation, there: HeardLocation) => Margin;
}

/** Section 3. */
function decideByStrength(heard: Heard, certainty: number): ByStrength {
  const here = loudest(heard);
  const { locationId } = here;
  // Rule 10.
  const isByCounts = heard.locations.some(({ known }) => known === 0);
  const marginOf = (one: HeardLocation, other: HeardLocation) =>
    isByCounts ? marginOfCounts(one, other, certainty) : marginOfLevels(one, other, certainty);
  // Rule 7.
  if (heard.locations.length === 1) {
    return { proof: 'only_here', locationId, unit: null, marginOf };
  }
  const isDecided = heard.locations.every((there) => there === here || marginOf(here, there).isReached);
  const proof = isByCounts ? 'counts' : 'strength';
  return { proof: isDecided ? proof : null, locationId, unit: isByCounts ? 'reads' : 'dB', marginOf };
}

/** Rule 9. */
function marginOfLevels(here: HeardLocation, there: HeardLocation, certainty: number): Margin {
  const reached = here.level - there.level;
  const needed = certainty * MARGIN_DB * Math.sqrt(1 / here.known + 1 / there.known);
  return { reached, needed, isReached: reached >= needed };
}

/** Rule 10. */
function marginOfCounts(
  { count: here }: HeardLocation,
  { count: there }: HeardLocation,
  certainty: number,
): Margin {
  const [reached, deviations] = [here - there, certainty * DEVIATIONS];
  return {
    reached,
    needed: deviations * Math.sqrt(here + there),
    isReached: reached > 0 && reached * reached >= deviations * deviations * (here + there),
  };
}

/** The antennas with RSSI in the window that hang on a plan. */
interface Pinned {
  plan: Plan;
  /** In order of their ids. */
  pins: Pin[];
  /** Of each of them. */
  levels: number[];
  /** The highest level in the window. */
  loudest: number;
  /** The most reads with RSSI at one of them. */
  most: number;
}

/** @returns null if there is none (rule 12). */
function pinnedOn(plan: Plan | null, { antennas }: Heard): Pinned | null {
  if (plan === null) {
    return null;
  }
  const pinned: Pinned = { plan, pins: [], levels: [], loudest: Number.NEGATIVE_INFINITY, most: 0 };
  for (const antenna of antennas) {
    if (antenna.known > 0) {
      const pin = plan.pinOf(antenna);
      pinned.loudest = Math.max(pinned.loudest, antenna.level);
      if (pin !== null) {
        pinned.pins.push(pin);
        pinned.levels.push(antenna.level);
        pinned.most = Math.max(pinned.most, antenna.known);
      }
    }
  }
  return pinned.pins.length === 0 ? null : pinned;
}

function fitOf({ plan, pins, levels, loudest }: Pinned, tagDbm: number): Fit {
  return plan.fit(pins, levels, loudest, tagDbm);
}

/** The fit of a bucket, with its inputs. */
interface KnownFit {
  pinned: Pinned;
  tagDbm: number;
  fit: Fit;
}

function isSameLevels(one: Pinned, other: Pinned): boolean {
  return (
    one.plan === other.plan &&
    one.loudest === other.loudest &&
    one.pins.length === other.pins.length &&
    one.pins.every((pin, index) => pin === other.pins[index] && one.levels[index] === other.levels[index])
  );
}

/** As measured; an antenna's include the levels in its last windows. */
const BYTES = 2_000;
const BYTES_OF_ANTENNA = 4_000;
const BYTES_OF_SHARED = 200;
const BYTES_OF_BUCKET = 150;
const BYTES_OF_SCAN = 150;
const BYTES_OF_FIT = 500;

interface ByPosition {
  /** Null: not decided. */
  proof: Proof | null;
  /** The likeliest. */
  locationId: number | null;
  fit: Fit;
  /** Logarithms of the odds of the likeliest location against the second. */
  odds: Margin;
}

/** Section 4. */
function decideByPosition(
  { locations }: Heard,
  { most }: Pinned,
  setting: PositionSetting,
  fit: Fit,
): ByPosition {
  const [first, second] = fit.shares;
  // Rule 17.
  const reached = Math.log((first?.share ?? 0) / (second?.share ?? 0));
  const needed = (setting.certainty * ODDS) / Math.sqrt(most);
  const odds = { reached, needed, isReached: reached >= needed };
  // Rule 13.
  const [only] = locations;
  if (locations.length === 1 && only !== undefined) {
    return { proof: 'only_here', locationId: only.locationId, fit, odds };
  }
  const locationId = first?.locationId ?? null;
  return { proof: odds.isReached ? 'position' : null, locationId, fit, odds };
}

/**
 * One per instant, in order: from the first setting that asks for proof on, a person's before a reader's; then the
 * strongest, and so on (`history.ts`).
 */
function onePerInstant(statements: readonly Statement[], { since }: Site): Statement[] {
  const ordered = statements.toSorted(
    (a, b) =>
      a.observedAt - b.observedAt ||
      (a.observedAt < since ? 0 : Number(b.rule === 'person') - Number(a.rule === 'person')) ||
      compareRssi(b.rssi, a.rssi) ||
      a.locationId - b.locationId ||
      compareDeciding(a.scan, b.scan),
  );
  return ordered.filter(({ observedAt }, index) => observedAt !== ordered[index - 1]?.observedAt);
}

/** Why a scan states something, or does not. */
export interface Explained {
  setting: Setting;
  /** Null if it states nothing. */
  rule: Rule | null;
  /** The location that the scan states; null if it states nothing. */
  locationId: number | null;
  /** Null where nothing is to be proven: `person` and `every`. */
  evidence: Evidence | null;
  /** The statements of its bucket, several of one instant too. */
  stated: readonly Statement[];
}

/** The reads around a scan's bucket, and the decision by them. */
export interface Evidence {
  /** As set, but `strength` if no antenna on the plan was heard. */
  procedure: 'strength' | 'position';
  certainty: number;
  /** Instants, both included. */
  window: { from: Micros; to: Micros };
  /** Null: nothing is decided in this bucket. */
  proof: Proof | null;
  /** The decided location, or the closest one; null if there is none. */
  locationId: number | null;
  /** By level, loudest first; by counts, most reads first. */
  heard: HeardAt[];
  /** The loudest; by counts, those with the most reads. */
  antennas: AntennaAt[];
  antennaCount: number;
  /** Unit of the margins in `heard` and of what `antennas` lack; null if nothing is compared. */
  unit: 'dB' | 'reads' | null;
  /** The likeliest three locations, and how likely each is; with `position` only. */
  shares: { locationId: number; share: number }[] | null;
  /** For `position` only: the logarithms of the odds of the first against the second; `reads` is `n` of rule 17. */
  odds: (Margin & { reads: number }) | null;
  position: MetricPosition | null;
}

export interface HeardAt {
  locationId: number;
  /** The location's loudest antenna; the first of several without RSSI. */
  readerId: number;
  antenna: number;
  /** All at the location: `N` of rule 10. */
  reads: number;
  /** The antenna's reads with RSSI: `n` of rule 9. */
  readsWithRssi: number;
  /** dBm less the antenna's offset; null without RSSI. */
  level: number | null;
  /** From the best location to this one; null for itself. */
  margin: Margin | null;
}

interface AntennaAt {
  readerId: number;
  antenna: number;
  locationId: number;
  /** With or without RSSI. */
  reads: number;
  /** dBm less its offset; null without RSSI. */
  level: number | null;
  /** How much more it needs for strength to decide its location; null where another antenna there is the loudest. */
  lacking: number | null;
}

/** Antennas that an explanation shows. */
const MOST_ANTENNAS = 20;

/**
 * Explains one scan by the same functions that decide.
 *
 * @param scans as for {@link statementsOf}, all within {@link FARTHEST} buckets of `asked`, which is one of them.
 */
export async function explain(scans: readonly Seen[], site: Site, asked: Seen): Promise<Explained> {
  const heard = await hearing(scans, site);
  const bucket = bucketOf(asked.observedAt);
  const setting = site.settingAt(asked.locationId, asked.observedAt);
  const { statements: stated } = heard.decide(bucket);
  const own = stated.find((each) => compareScans(each, asked) === 0);
  const explained = { setting, rule: own?.rule ?? null, locationId: own?.locationId ?? null, stated };
  if (asked.scan.source.kind === 'handheld' || setting.procedure === 'every') {
    return { ...explained, evidence: null };
  }
  const around = heard.hear(bucket);
  const pinned = setting.procedure === 'position' ? pinnedOn(site.planAt(asked.locationId), around) : null;
  return { ...explained, evidence: evidenceOf(around, pinned, setting, asked.scan) };
}

function evidenceOf(
  heard: Heard,
  pinned: Pinned | null,
  setting: ProvingSetting,
  asked: DecidingScan,
): Evidence {
  const strength = decideByStrength(heard, setting.certainty);
  const place =
    setting.procedure === 'position' && pinned !== null
      ? decideByPosition(heard, pinned, setting, fitOf(pinned, tagDbmOf(setting, asked)))
      : null;
  const decided = place ?? strength;
  const isByCounts = strength.unit === 'reads';
  const here = loudest(heard);
  return {
    procedure: place === null ? 'strength' : 'position',
    certainty: setting.certainty,
    window: { from: heard.window.from * BUCKET, to: (heard.window.to + 1) * BUCKET - 1 },
    proof: decided.proof,
    locationId: decided.locationId,
    heard: heard.locations
      .toSorted((a, b) => (isByCounts ? b.count - a.count : b.level - a.level) || a.locationId - b.locationId)
      .map((there) => ({
        locationId: there.locationId,
        readerId: there.loudest.readerId,
        antenna: there.loudest.antenna,
        reads: there.count,
        readsWithRssi: there.known,
        level: there.known === 0 ? null : there.level,
        margin: there === here ? null : strength.marginOf(here, there),
      })),
    antennas: antennasOf(heard, strength),
    antennaCount: heard.antennas.length,
    unit: strength.unit,
    shares:
      place?.fit.shares.map(({ locationId, share }) => ({ locationId, share: share / place.fit.all })) ??
      null,
    odds: place === null || pinned === null ? null : { ...place.odds, reads: pinned.most },
    position: place?.fit.position ?? null,
  };
}

function antennasOf({ antennas, locations }: Heard, { unit, marginOf }: ByStrength): AntennaAt[] {
  const strengthOf = ({ known, level }: AntennaReads) => (known === 0 ? Number.NEGATIVE_INFINITY : level);
  const lackingAt = (here: HeardLocation) =>
    locations.reduce((most, there) => {
      const { reached, needed, isReached } = there === here ? REACHED : marginOf(here, there);
      return isReached ? most : Math.max(most, needed - reached);
    }, 0);
  return antennas
    .toSorted((a, b) => (unit === 'reads' ? b.count - a.count : strengthOf(b) - strengthOf(a)))
    .slice(0, MOST_ANTENNAS)
    .map((each) => {
      const { readerId, antenna, locationId, count: reads, known, level } = each;
      const own = locations.find(({ loudest }) => loudest === each);
      const lacking = own === undefined ? null : lackingAt(own);
      return { readerId, antenna, locationId, reads, level: known === 0 ? null : level, lacking };
    });
}

const REACHED: Margin = { reached: 0, needed: 0, isReached: true };
