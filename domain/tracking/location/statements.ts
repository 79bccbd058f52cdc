import { Turns } from '../../../base/each-in-turns.ts';
import { firstIndex } from '../../../base/first-index.ts';
import type { Micros } from '../../../base/instant.ts';
import { compareDeciding, type DecidingScan, type Proof } from '../history/deciding-scan.ts';
import { compareRssi, type Sighting } from '../history/history.ts';
import type { MetricPosition, ObservedPosition } from '../history/metric-position.ts';
import type { Fit, HeardPin, Plan } from './position.ts';
import { antennaId, type Setting, type Site } from './site.ts';

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

/** That the asset is at `locationId`, because of `scan`; with position, that may be another than the scan's. */
export interface Statement extends Sighting {
  scan: DecidingScan;
  rule: Rule;
  /** Of its bucket; null where none is known. */
  position: MetricPosition | null;
}

export interface Stated {
  /** One of each instant, in order. */
  statements: Statement[];
  /** One of each bucket that has one, in order. */
  positions: ObservedPosition[];
}

/** Buckets, both included. */
export interface Buckets {
  from: number;
  to: number;
}

/** Half a second: a step of a person. */
export const BUCKET: Micros = 500_000;

/** Rule 3: 5, 15 or 30 s to either side. */
const REACHES = [9, 29, 59] as const;

/** The buckets before and after a bucket that bear on it. */
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
  const stated: Stated = { statements: [], positions: [] };
  const turns = new Turns();
  const reads = await readsOf(inOrder(scans), site, turns);
  for (const bucket of bucketsIn(reads.scans, of)) {
    const decided = decide(bucket, reads, site);
    for (const statement of onePerInstant(decided.statements, site)) {
      stated.statements.push({ ...statement, position: decided.position });
    }
    if (decided.position !== null) {
      stated.positions.push({ ...decided.position, observedAt: decided.positionAt });
    }
    if (turns.isOver) {
      await turns.next();
    }
  }
  return stated;
}

const ALL: Buckets = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };

/** By time, then reader, antenna and tag (rule 6). */
function inOrder(scans: readonly Seen[]): readonly Seen[] {
  const isSorted = scans.every(
    (scan, index) => index === 0 || compareScans(scans[index - 1] as Seen, scan) <= 0,
  );
  return isSorted ? scans : scans.toSorted(compareScans);
}

function compareScans(a: Seen, b: Seen): number {
  return a.observedAt - b.observedAt || compareDeciding(a.scan, b.scan);
}

interface Bucket {
  number: number;
  scans: readonly Seen[];
}

function* bucketsIn(scans: readonly Seen[], { from, to }: Buckets): Generator<Bucket> {
  let first = firstIndex(0, scans.length, (index) => bucketOf(scans[index]?.observedAt ?? 0) >= from);
  while (first < scans.length) {
    const number = bucketOf(scans[first]?.observedAt ?? 0);
    if (number > to) {
      return;
    }
    let end = first + 1;
    while (end < scans.length && bucketOf(scans[end]?.observedAt ?? 0) === number) {
      end += 1;
    }
    yield { number, scans: scans.slice(first, end) };
    first = end;
  }
}

/** The reads that take part (rule 1), by antenna. */
interface Reads {
  /** All scans of the asset, in order. */
  scans: readonly Seen[];
  /** In order of their ids. */
  antennas: readonly AntennaReads[];
  /** Of the locations of the antennas, by {@link AntennaReads.place}. */
  places: readonly number[];
}

async function readsOf(scans: readonly Seen[], site: Site, turns: Turns): Promise<Reads> {
  const byAntenna = new Map<number, AntennaScans>();
  const places = new Map<number, number>();
  for (const scan of scans) {
    const { source } = scan.scan;
    if (source.kind === 'reader') {
      const id = antennaId(source);
      let antenna = byAntenna.get(id);
      if (antenna === undefined) {
        antenna = new AntennaScans(source, site.offsetOf(source.readerId, source.antenna), places);
        byAntenna.set(id, antenna);
      }
      antenna.add(scan);
    }
    if (turns.isOver) {
      await turns.next();
    }
  }
  const antennas = [...byAntenna].sort(([a], [b]) => a - b).flatMap(([, antenna]) => antenna.reads());
  return { scans, antennas, places: [...places.keys()] };
}

/** Takes an antenna's scans in order, and chooses of each bucket those that take part. */
class AntennaScans {
  readonly #antenna: { readerId: number; antenna: number };
  readonly #offset: number;
  readonly #places: Map<number, number>;
  /** By location: an antenna that is moved to another counts as two. */
  readonly #reads = new Map<number, AntennaReads>();
  #bucket = Number.NaN;
  #ofBucket: Seen[] = [];

  constructor(antenna: { readerId: number; antenna: number }, offset: number, places: Map<number, number>) {
    this.#antenna = antenna;
    this.#offset = offset;
    this.#places = places;
  }

  add(scan: Seen): void {
    const bucket = bucketOf(scan.observedAt);
    if (bucket !== this.#bucket) {
      this.#endBucket();
      this.#bucket = bucket;
    }
    this.#ofBucket.push(scan);
  }

  reads(): AntennaReads[] {
    this.#endBucket();
    return [...this.#reads.values()].sort((a, b) => a.locationId - b.locationId);
  }

  #endBucket(): void {
    const all = this.#ofBucket;
    const taking = all.length <= MOST_READS ? all : all.sort(byMillisecond).slice(0, MOST_READS);
    for (const { locationId, rssi } of taking) {
      let reads = this.#reads.get(locationId);
      if (reads === undefined) {
        const place = this.#places.get(locationId) ?? this.#places.size;
        this.#places.set(locationId, place);
        reads = new AntennaReads(this.#antenna, this.#offset, locationId, place);
        this.#reads.set(locationId, reads);
      }
      reads.add(this.#bucket, rssi);
    }
    this.#ofBucket = [];
  }
}

/** Rule 1: the first by time, cut to milliseconds; then the stronger, then the tag's value. */
function byMillisecond(a: Seen, b: Seen): number {
  return (
    Math.floor(a.observedAt / 1_000) - Math.floor(b.observedAt / 1_000) ||
    compareRssi(b.rssi, a.rssi) ||
    compareDeciding(a.scan, b.scan)
  );
}

/** One antenna's reads at a location, and what is heard of them in a window that moves on. */
class AntennaReads {
  readonly readerId: number;
  readonly antenna: number;
  readonly offset: number;
  readonly locationId: number;
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
  /** The first index in the window, and that after the last; by reach. */
  readonly #first = [0, 0, 0];
  readonly #end = [0, 0, 0];
  #levelOf = [0, 0];

  constructor(
    { readerId, antenna }: { readerId: number; antenna: number },
    offset: number,
    locationId: number,
    place: number,
  ) {
    this.readerId = readerId;
    this.antenna = antenna;
    this.offset = offset;
    this.locationId = locationId;
    this.place = place;
  }

  add(bucket: number, rssi: number | null): void {
    this.#buckets.push(bucket);
    this.#rssi.push(rssi ?? Number.NaN);
  }

  /** To be called with ascending buckets. */
  look(bucket: number, wideness: number): void {
    const reach = REACHES[wideness] as number;
    const buckets = this.#buckets;
    let first = this.#first[wideness] as number;
    while (first < buckets.length && (buckets[first] as number) < bucket - reach) {
      first += 1;
    }
    let end = Math.max(first, this.#end[wideness] as number);
    while (end < buckets.length && (buckets[end] as number) <= bucket + reach) {
      end += 1;
    }
    this.#first[wideness] = first;
    this.#end[wideness] = end;
    this.count = end - first;
  }

  /** Rule 4, of the window that was looked at last. */
  measure(wideness: number): void {
    const [first, end] = [this.#first[wideness] as number, this.#end[wideness] as number];
    if (this.#levelOf[0] === first && this.#levelOf[1] === end) {
      return;
    }
    this.#levelOf = [first, end];
    const strengths = new Float64Array(end - first);
    let known = 0;
    for (let index = first; index < end; index++) {
      const rssi = this.#rssi[index] as number;
      if (!Number.isNaN(rssi)) {
        strengths[known++] = rssi;
      }
    }
    const strongest = Math.ceil(known / FIFTH);
    strengths.subarray(0, known).sort();
    let sum = 0;
    for (let index = known - 1; index >= known - strongest; index--) {
      sum += strengths[index] as number;
    }
    this.known = known;
    this.level = known === 0 ? Number.NaN : sum / strongest - this.offset;
  }
}

/** What is heard around a bucket. */
interface Heard {
  window: Buckets;
  /** With reads in the window; in order of their ids. */
  antennas: AntennaReads[];
  locations: HeardLocation[];
}

/** Rule 8. */
interface HeardLocation {
  locationId: number;
  /** All reads there: `N`. */
  count: number;
  loudest: AntennaReads;
  /** Of its loudest antenna; NaN without RSSI. */
  level: number;
  /** Of its loudest antenna. */
  known: number;
}

/** Rules 3, 4 and 8. */
function hear(bucket: number, { antennas, places }: Reads): Heard {
  const wideness = REACHES.findIndex((_, index) => {
    let most = 0;
    for (const antenna of antennas) {
      antenna.look(bucket, index);
      most = Math.max(most, antenna.count);
    }
    return most >= ENOUGH || index === REACHES.length - 1;
  });
  const reach = REACHES[wideness] as number;
  const heard: Heard = { window: { from: bucket - reach, to: bucket + reach }, antennas: [], locations: [] };
  const at: (HeardLocation | undefined)[] = new Array(places.length).fill(undefined);
  for (const antenna of antennas) {
    if (antenna.count === 0) {
      continue;
    }
    antenna.measure(wideness);
    heard.antennas.push(antenna);
    const { locationId, count, level, known } = antenna;
    const location = at[antenna.place];
    if (location === undefined) {
      const first = { locationId, count, loudest: antenna, level, known };
      at[antenna.place] = first;
      heard.locations.push(first);
    } else {
      location.count += count;
      if (
        known > 0 &&
        (location.known === 0 ||
          level > location.level ||
          (level === location.level && known > location.known))
      ) {
        location.loudest = antenna;
        location.level = level;
        location.known = known;
      }
    }
  }
  return heard;
}

interface Decided {
  statements: Statement[];
  position: MetricPosition | null;
  /** The instant of the scan that it is by. */
  positionAt: Micros;
}

/** Rules 5 and 6. */
function decide({ number, scans }: Bucket, reads: Reads, site: Site): Decided {
  const decided: Decided = { statements: [], position: null, positionAt: 0 };
  const proving: Proving[] = [];
  for (const scan of scans) {
    const setting = site.settingAt(scan.locationId, scan.observedAt);
    if (scan.scan.source.kind === 'handheld') {
      decided.statements.push(toStatement(scan, scan.locationId, 'person'));
    } else if (setting.procedure === 'every') {
      decided.statements.push(toStatement(scan, scan.locationId, 'every'));
    } else {
      proving.push({ scan, setting });
    }
  }
  if (proving.length === 0) {
    return decided;
  }
  const heard = hear(number, reads);
  const { byPosition, byStrength } = deciding(proving, heard, site);
  if (byPosition !== null) {
    const { scan, setting } = byPosition;
    const { proof, locationId, fit } = decideByPosition(heard, byPosition.pinned, setting);
    decided.position = fit.position;
    decided.positionAt = scan.observedAt;
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

function toStatement(scan: Seen, locationId: number, rule: Rule): Statement {
  return { ...scan, locationId, rule, position: null };
}

/** A reader's scan, and the setting by which it has to be proven. */
interface Proving {
  scan: Seen;
  setting: ProvingSetting;
}

type ProvingSetting = Exclude<Setting, { procedure: 'every' }>;

/** The scans that state what is decided in a bucket. */
interface Deciding {
  byPosition: (Proving & { setting: PositionSetting; pinned: Pinned }) | null;
  byStrength: Proving | null;
}

type PositionSetting = Extract<Setting, { procedure: 'position' }>;

/**
 * Rule 6: the first scan of the bucket that is decided by position, and the first at the loudest location of those that
 * are decided by strength; a thing does not arrive where it is not heard.
 */
function deciding(proving: readonly Proving[], heard: Heard, site: Site): Deciding {
  const found: Deciding = { byPosition: null, byStrength: null };
  const { locationId } = loudest(heard);
  for (const { scan, setting } of proving) {
    const pinned = setting.procedure === 'position' ? pinnedOn(site.planAt(scan.locationId), heard) : null;
    if (setting.procedure === 'position' && pinned !== null) {
      found.byPosition ??= { scan, setting, pinned };
    } else if (scan.locationId === locationId) {
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

/** How far one location is ahead of another, and has to be. */
export interface Margin {
  reached: number;
  needed: number;
  isReached: boolean;
}

interface ByStrength {
  /** Null: not decided. */
  proof: Proof | null;
  /** The one that is, or comes closest to being decided. */
  locationId: number;
  /** In dB, or a number of reads; null if nothing is compared. */
  unit: 'dB' | 'reads' | null;
  marginTo: (there: HeardLocation) => Margin;
}

/** Section 3. */
function decideByStrength(heard: Heard, certainty: number): ByStrength {
  const here = loudest(heard);
  const { locationId } = here;
  // Rule 10.
  const isByCounts = heard.locations.some(({ known }) => known === 0);
  const marginTo = (there: HeardLocation) =>
    isByCounts ? marginOfCounts(here, there, certainty) : marginOfLevels(here, there, certainty);
  // Rule 7.
  if (heard.locations.length === 1) {
    return { proof: 'only_here', locationId, unit: null, marginTo };
  }
  const isDecided = heard.locations.every((there) => there === here || marginTo(there).isReached);
  const proof = isByCounts ? 'counts' : 'strength';
  return { proof: isDecided ? proof : null, locationId, unit: isByCounts ? 'reads' : 'dB', marginTo };
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
  heard: HeardPin[];
  /** The most reads with RSSI at one of them. */
  most: number;
}

/** @returns null if there is none (rule 12). */
function pinnedOn(plan: Plan | null, { antennas }: Heard): Pinned | null {
  if (plan === null) {
    return null;
  }
  const pinned: Pinned = { plan, heard: [], most: 0 };
  for (const antenna of antennas) {
    const pin = antenna.known === 0 ? null : plan.pinOf(antenna);
    if (pin !== null) {
      pinned.heard.push({ pin, level: antenna.level });
      pinned.most = Math.max(pinned.most, antenna.known);
    }
  }
  return pinned.heard.length === 0 ? null : pinned;
}

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
  { antennas, locations }: Heard,
  { plan, heard, most }: Pinned,
  setting: PositionSetting,
): ByPosition {
  const highest = antennas.reduce(
    (best, { known, level }) => (known > 0 ? Math.max(best, level) : best),
    Number.NEGATIVE_INFINITY,
  );
  const fit = plan.fit(heard, highest, setting.tagDbm);
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
 * One of each instant, in order: from the first setting that asks for proof on, a person's before a reader's; then the
 * strongest, and so on as everywhere (`history.ts`).
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
  /** Where the scan says that the asset is; null if it states nothing. */
  locationId: number | null;
  /** Null where nothing is to be proven: `person` and `every`. */
  evidence: Evidence | null;
}

/** What was heard around a scan's bucket, and what follows from it. */
export interface Evidence {
  /** As the setting has it, but `strength` where no antenna on the plan was heard. */
  procedure: 'strength' | 'position';
  certainty: number;
  /** Instants, both included. */
  window: { from: Micros; to: Micros };
  /** Null: nothing is decided in this bucket. */
  proof: Proof | null;
  /** The decided one, or that which comes closest; null if there is none. */
  locationId: number | null;
  /** By level, the loudest first; by counts, that with the most reads. */
  heard: HeardAt[];
  /** Of the margins in `heard`; null if nothing is compared. */
  unit: 'dB' | 'reads' | null;
  /** The likeliest three locations; with `position` only. */
  shares: { locationId: number; share: number }[] | null;
  /** With `position` only: the logarithms of the odds of the first against the second. */
  odds: Margin | null;
  position: MetricPosition | null;
}

export interface HeardAt {
  locationId: number;
  /** The location's loudest antenna; the first of several without RSSI. */
  readerId: number;
  antenna: number;
  /** All at the location. */
  reads: number;
  /** With RSSI, of the antenna. */
  readsWithRssi: number;
  /** dBm less the antenna's offset; null without RSSI. */
  level: number | null;
  /** Of the best location to this one; null for itself. */
  margin: Margin | null;
}

/**
 * Explains one scan by the same functions that decide.
 *
 * @param scans as for {@link statementsOf}, all within {@link FARTHEST} buckets of `asked`, which is one of them.
 */
export async function explain(scans: readonly Seen[], site: Site, asked: Seen): Promise<Explained> {
  const reads = await readsOf(inOrder(scans), site, new Turns());
  const number = bucketOf(asked.observedAt);
  const [bucket = { number, scans: [] }] = bucketsIn(reads.scans, { from: number, to: number });
  const setting = site.settingAt(asked.locationId, asked.observedAt);
  const stated = decide(bucket, reads, site).statements.find((each) => compareScans(each, asked) === 0);
  const explained = { setting, rule: stated?.rule ?? null, locationId: stated?.locationId ?? null };
  if (asked.scan.source.kind === 'handheld' || setting.procedure === 'every') {
    return { ...explained, evidence: null };
  }
  const heard = hear(number, reads);
  const pinned = setting.procedure === 'position' ? pinnedOn(site.planAt(asked.locationId), heard) : null;
  return { ...explained, evidence: evidenceOf(heard, pinned, setting) };
}

function evidenceOf(heard: Heard, pinned: Pinned | null, setting: ProvingSetting): Evidence {
  const strength = decideByStrength(heard, setting.certainty);
  const place =
    setting.procedure === 'position' && pinned !== null ? decideByPosition(heard, pinned, setting) : null;
  const decided = place ?? strength;
  const isByCounts = strength.unit === 'reads';
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
        margin: there.locationId === strength.locationId ? null : strength.marginTo(there),
      })),
    unit: strength.unit,
    shares: place?.fit.shares.slice(0, 3) ?? null,
    odds: place?.odds ?? null,
    position: place?.fit.position ?? null,
  };
}
