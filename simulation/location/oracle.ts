/**
 * What an asset's scans say about where it is, written down from the specification as plainly as can be and without regard to
 * cost. It shares no code with the product, so that a mistake in one of the two shows.
 *
 * Instants are whole microseconds since 1970, coordinates metres on a plan.
 */

import { greatestOf, leastOf } from '../../base/extremes.ts';

export interface ReaderScan {
  kind: 'read';
  at: number;
  readerId: number;
  antenna: number;
  tagType: string;
  tagValue: string;
  rssi: number | null;
  locationId: number;
}

export interface PersonScan {
  kind: 'handheld';
  at: number;
  handheldId: number;
  submissionId: string;
  index: number;
  tagType: string;
  tagValue: string;
  locationId: number;
  isRetracted: boolean;
}

export type OracleScan = ReaderScan | PersonScan;

export interface World {
  /** The location above each location; null at the top. */
  parents: ReadonlyMap<number, number | null>;
  settings: readonly Setting[];
  antennas: readonly Antenna[];
  /** The plans that have a scale. */
  plans: readonly Plan[];
}

export interface Setting {
  /** Null: the organization's. */
  locationId: number | null;
  from: number;
  by: 'every' | 'strength' | 'position' | 'inherit';
  certainty: number;
  /** Strength of the tags at 1 m; null for the usual. */
  tagDbm: number | null;
  /** The same of tags whose values begin so, the longest beginning first. That of a bucket's first scan by `position` counts. */
  tagKinds?: readonly (readonly [beginning: string, dbm: number])[];
}

export interface Antenna {
  readerId: number;
  antenna: number;
  offsetDb: number;
  heightM: number;
}

export interface Plan {
  /** The location that has the plan. */
  locationId: number;
  outlines: readonly Outline[];
  pins: readonly { readerId: number; antenna: number; x: number; y: number }[];
}

export interface Outline {
  locationId: number;
  corners: readonly Point[];
}

type Point = readonly [x: number, y: number];

export type Rule = 'person' | 'every' | 'only_here' | 'strength' | 'counts' | 'position';

export interface Position {
  /** The time of the bucket's first scan decided by `position`. */
  at: number;
  planLocationId: number;
  x: number;
  y: number;
  radius: number;
}

export interface Statement {
  at: number;
  locationId: number;
  rule: Rule;
  scan: OracleScan;
  /** Its bucket's; null if there is none. */
  position: Position | null;
}

export interface HistoryRow {
  at: number;
  locationId: number;
  durationSeconds: number | null;
  statement: Statement;
}

export interface Outcome {
  /** One for each instant that has any, in order of time. */
  statements: Statement[];
  history: HistoryRow[];
  newestPosition: Position | null;
  /** The newest scan; null without a location. */
  lastSeen: number | null;
}

export type Buckets = ReadonlyMap<number, Bucket>;

interface Bucket {
  /** All, by time, then reader, antenna, tag. */
  reads: readonly ReaderScan[];
  /** Those that take part in deciding. */
  taking: readonly ReaderScan[];
}

const BUCKET_US = 500_000;

export function outcomeOf(recorded: readonly OracleScan[], world: World): Outcome {
  const scans = distinct(recorded).filter((scan) => scan.kind === 'read' || !scan.isRetracted);
  const buckets = bucketsOf(scans);
  const numbers = [...buckets.keys()].sort(ascending);
  const decided = new Map(numbers.map((bucket) => [bucket, decideBucket(bucket, buckets, world)]));
  const statements = oneAnInstant(
    [
      ...scans.flatMap((scan) => unconditional(scan, world)),
      ...[...decided.values()].flatMap((each) => each.statements),
    ],
    world,
  ).map((each) => ({ ...each, position: decided.get(bucketAt(each.at))?.position ?? null }));
  const history = historyOf(statements);
  return {
    statements,
    history,
    newestPosition: [...decided.values()].findLast(({ position }) => position !== null)?.position ?? null,
    lastSeen: history.length === 0 ? null : greatestOf(scans.map(({ at }) => at)),
  };
}

/** Tracking, rule 3: of a read, the stronger; of a handheld's scan, one, and taken back if any of its copies was. */
export function distinct(recorded: readonly OracleScan[]): OracleScan[] {
  const known = new Map<string, OracleScan>();
  for (const scan of recorded) {
    const identity =
      scan.kind === 'read'
        ? JSON.stringify([scan.readerId, scan.antenna, scan.tagType, scan.tagValue, scan.at])
        : JSON.stringify([scan.submissionId, scan.index]);
    const before = known.get(identity);
    if (before === undefined) {
      known.set(identity, scan);
    } else if (scan.kind === 'read' && before.kind === 'read') {
      known.set(identity, stronger(scan.rssi, before.rssi) < 0 ? scan : before);
    } else if (scan.kind === 'handheld' && before.kind === 'handheld') {
      known.set(identity, { ...before, isRetracted: before.isRetracted || scan.isRetracted });
    }
  }
  return [...known.values()];
}

/** Rules 1 and 2. */
export function bucketsOf(scans: readonly OracleScan[]): Buckets {
  const reads = scans.filter((scan) => scan.kind === 'read').sort(byTime);
  const buckets = Map.groupBy(reads, ({ at }) => bucketAt(at));
  return new Map([...buckets].map(([bucket, own]) => [bucket, { reads: own, taking: takingOf(own) }]));
}

/** 1. Of one antenna 50: the first by time, cut to milliseconds, then the stronger, then the tag's value. */
function takingOf(reads: readonly ReaderScan[]): ReaderScan[] {
  const byAntenna = Map.groupBy(reads, ({ readerId, antenna }) => `${readerId} ${antenna}`);
  return [...byAntenna.values()].flatMap((same) =>
    same
      .sort(
        (a, b) =>
          Math.floor(a.at / 1000) - Math.floor(b.at / 1000) ||
          stronger(a.rssi, b.rssi) ||
          byText(a.tagValue, b.tagValue),
      )
      .slice(0, 50),
  );
}

/** 2. The bucket contains its beginning, not its end. */
export function bucketAt(at: number): number {
  return Math.floor(at / BUCKET_US);
}

/** Section 1: `person` and `every`. */
function unconditional(scan: OracleScan, world: World): Statement[] {
  const { at, locationId } = scan;
  const rule = scan.kind === 'handheld' ? 'person' : 'every';
  return rule === 'person' || settingOf(locationId, at, world) === null
    ? [{ at, locationId, rule, scan, position: null }]
    : [];
}

/** Section 1, `proven`: what the reads of a bucket state, and the position they give. */
export function decideBucket(
  bucket: number,
  buckets: Buckets,
  world: World,
): { statements: Statement[]; position: Position | null } {
  const window = windowOf(bucket, buckets);
  const levelsOn = new Map(world.plans.map((plan) => [plan, levelsOnPlan(plan, window, world)]));
  const statements: Statement[] = [];
  let position: Position | null = null;
  const asked = new Set<number>();
  // 6. In order of time, then reader, antenna, tag; each by its own setting.
  for (const scan of buckets.get(bucket)?.reads ?? []) {
    const { at, locationId } = scan;
    const setting = settingOf(locationId, at, world);
    if (setting === null) {
      continue;
    }
    const plan = setting.by === 'position' ? planOf(locationId, world) : null;
    const levels = plan === null ? [] : (levelsOn.get(plan) ?? []);
    if (plan === null || levels.length === 0) {
      // 12. No antenna with coordinates on the plan has RSSI: strength decides.
      // 6. The first scan that was made at the decided location, if its certainty is reached.
      if (!asked.has(locationId)) {
        asked.add(locationId);
        const decided = byStrength(window, setting.certainty, world);
        if (decided?.locationId === locationId) {
          statements.push({ at, locationId, rule: decided.rule, scan, position: null });
        }
      }
    } else if (position === null) {
      // 6. The first scan, at whichever location.
      const fit = fitOf(plan, levels, window, ofKind(setting, scan), world);
      position = { ...positionOf(plan, fit.cells), at };
      if (fit.decided !== null) {
        statements.push({ at, ...fit.decided, scan, position: null });
      }
    }
  }
  return { statements, position };
}

/** 14. A kind of tag may have a strength of its own. */
function ofKind(setting: Deciding, { tagValue }: ReaderScan): Deciding {
  const plain = (text: string) => text.toUpperCase().replaceAll(/[-:\s]/g, '');
  const kind = setting.tagKinds?.find(([beginning]) => plain(tagValue).startsWith(plain(beginning)));
  return kind === undefined ? setting : { ...setting, tagDbm: kind[1] };
}

/** 3. Ten seconds around the bucket, thirty, or a minute. */
function windowOf(bucket: number, buckets: Buckets): ReaderScan[] {
  const within = (reach: number) =>
    Array.from(
      { length: 2 * reach + 1 },
      (_, index) => buckets.get(bucket - reach + index)?.taking ?? [],
    ).flat();
  const isEnough = (reads: ReaderScan[]) =>
    [...Map.groupBy(reads, mappedKey).values()].some((same) => same.length >= 5);
  const narrow = within(9);
  if (isEnough(narrow)) {
    return narrow;
  }
  const wider = within(29);
  return isEnough(wider) ? wider : within(59);
}

interface Level {
  level: number;
  /** The reads with RSSI. */
  n: number;
}

/** 4. The strongest fifth, on average, less the antenna's offset; null without RSSI. */
function levelOf(reads: readonly ReaderScan[], world: World): Level | null {
  const [first] = reads;
  const strengths = reads.flatMap(({ rssi }) => (rssi === null ? [] : [rssi])).sort((a, b) => b - a);
  const n = strengths.length;
  if (first === undefined || n === 0) {
    return null;
  }
  const k = Math.ceil(n / 5);
  let sum = 0;
  for (const strength of strengths.slice(0, k)) {
    sum += strength;
  }
  return { level: sum / k - (antennaOf(first, world)?.offsetDb ?? 0), n };
}

/** Section 3. */
function byStrength(
  window: readonly ReaderScan[],
  certainty: number,
  world: World,
): { locationId: number; rule: Rule } | null {
  const heard = [...Map.groupBy(window, ({ locationId }) => locationId)].map(([locationId, reads]) => ({
    locationId,
    N: reads.length,
    loudest: loudestOf(reads, world),
  }));
  // 7. Reads of one location only.
  if (heard.length === 1) {
    return (
      heard.map(({ locationId }): { locationId: number; rule: Rule } => ({
        locationId,
        rule: 'only_here',
      }))[0] ?? null
    );
  }
  const hasLevels = heard.every(({ loudest }) => loudest !== null);
  for (const here of heard) {
    const isAhead = heard.every((there) => {
      if (there === here) {
        return true;
      }
      if (hasLevels && here.loudest !== null && there.loudest !== null) {
        // 9. Three decibels, as a standard error over the root of the count.
        const margin = certainty * 3 * Math.sqrt(1 / here.loudest.n + 1 / there.loudest.n);
        return here.loudest.level - there.loudest.level >= margin;
      }
      // 10. Some location has no RSSI at all: counts decide.
      return here.N > there.N && (here.N - there.N) ** 2 >= (certainty * 2) ** 2 * (here.N + there.N);
    });
    if (isAhead) {
      return { locationId: here.locationId, rule: hasLevels ? 'strength' : 'counts' };
    }
  }
  return null;
}

/** 8. The loudest antenna; of equally loud ones that with more reads. */
function loudestOf(reads: readonly ReaderScan[], world: World): Level | null {
  const levels = [...Map.groupBy(reads, mappedKey).values()]
    .map((same) => levelOf(same, world))
    .filter((level) => level !== null);
  return levels.sort((a, b) => b.level - a.level || b.n - a.n)[0] ?? null;
}

interface LevelOnPlan extends Level {
  x: number;
  y: number;
  heightM: number;
}

/** The levels of the antennas that are pinned on the plan, in order of their ids (15). */
function levelsOnPlan(plan: Plan, window: readonly ReaderScan[], world: World): LevelOnPlan[] {
  const pins = [...plan.pins].sort((a, b) => a.readerId - b.readerId || a.antenna - b.antenna);
  return pins.flatMap((pin) => {
    const reads = window.filter((read) => antennaKey(read) === antennaKey(pin));
    const heightM = antennaOf(pin, world)?.heightM ?? 1;
    return [...Map.groupBy(reads, mappedKey).values()]
      .sort(([a], [b]) => (a?.locationId ?? 0) - (b?.locationId ?? 0))
      .flatMap((same) => {
        const level = levelOf(same, world);
        return level === null ? [] : [{ ...level, x: pin.x, y: pin.y, heightM }];
      });
  });
}

/** Section 4. */
function fitOf(
  plan: Plan,
  levels: readonly LevelOnPlan[],
  window: readonly ReaderScan[],
  setting: Deciding,
  world: World,
): { decided: { locationId: number; rule: Rule } | null; cells: SharedCell[] } {
  const cells = cellsOf(plan);
  const everyLevel = [...Map.groupBy(window, mappedKey).values()]
    .map((same) => levelOf(same, world))
    .filter((level) => level !== null);
  const L = greatestOf(everyLevel.map(({ level }) => level));
  const fits = cells.map(({ x, y }) => {
    let sumW = 0;
    let sumWE = 0;
    let sumWEE = 0;
    for (const { level, x: antennaX, y: antennaY, heightM } of levels) {
      // 14. Expected.
      const d = Math.sqrt(square(x - antennaX) + square(y - antennaY) + square(heightM));
      const mu = (setting.tagDbm ?? -55) - 20 * Math.log10(Math.max(1, d));
      // 15. Weight.
      const w = 1 / (5 ** 2 * (1 + square((L - level) / 15)));
      const e = level - mu;
      sumW += w;
      sumWE += w * e;
      sumWEE += w * square(e);
    }
    // 16. Fit.
    return -(sumWEE - square(sumWE) / (sumW + 1 / 3 ** 2)) / 2;
  });
  const best = greatestOf(fits);
  const shared = cells.map((cell, index) => ({ ...cell, share: Math.exp((fits[index] ?? 0) - best) }));
  return { decided: locationByShares(shared, levels, window, setting.certainty), cells: shared };
}

interface SharedCell extends Cell {
  share: number;
}

function locationByShares(
  cells: readonly SharedCell[],
  levels: readonly LevelOnPlan[],
  window: readonly ReaderScan[],
  certainty: number,
): { locationId: number; rule: Rule } | null {
  // 13. All antennas that were heard have the same location.
  const heard = new Set(window.map(({ locationId }) => locationId));
  const [only] = heard;
  if (heard.size === 1 && only !== undefined) {
    return { locationId: only, rule: 'only_here' };
  }
  // 17. Shares by location.
  const shares = new Map<number, number>();
  for (const { locationId, share } of cells) {
    shares.set(locationId, (shares.get(locationId) ?? 0) + share);
  }
  const [first, second] = [...shares].sort(([, a], [, b]) => b - a);
  if (first === undefined) {
    return null;
  }
  const n = greatestOf(levels.map((level) => level.n));
  const isDecided = Math.log(first[1] / (second?.[1] ?? 0)) >= (certainty * 1.6) / Math.sqrt(n);
  return isDecided ? { locationId: first[0], rule: 'position' } : null;
}

/** 18. The mean of the cells' centres by share, and the root of the mean squared distance from it. */
function positionOf(plan: Plan, cells: readonly SharedCell[]): Omit<Position, 'at'> {
  const mean = (value: (cell: SharedCell) => number) => {
    let sum = 0;
    let shares = 0;
    for (const cell of cells) {
      sum += cell.share * value(cell);
      shares += cell.share;
    }
    return sum / shares;
  };
  const x = mean((cell) => cell.x);
  const y = mean((cell) => cell.y);
  const radius = Math.sqrt(mean((cell) => square(cell.x - x) + square(cell.y - y)));
  return { planLocationId: plan.locationId, x, y, radius };
}

interface Cell {
  x: number;
  y: number;
  locationId: number;
}

const CELLS = new WeakMap<Plan, Cell[]>();

/** 11. Rows from low to high y, in a row from low to high x, then the extra ones by location. */
function cellsOf(plan: Plan): Cell[] {
  const known = CELLS.get(plan);
  if (known !== undefined) {
    return known;
  }
  const corners = plan.outlines.flatMap((outline) => outline.corners);
  const [left, right] = ends(corners.map(([x]) => x));
  const [top, bottom] = ends(corners.map(([, y]) => y));
  // The smallest first; of equal ones that with the smaller id.
  const outlines = [...plan.outlines].sort((a, b) => areaOf(a) - areaOf(b) || a.locationId - b.locationId);
  const cells: Cell[] = [];
  for (let j = Math.floor(top); j <= bottom; j++) {
    for (let i = Math.floor(left); i <= right; i++) {
      const centre: Point = [i + 0.5, j + 0.5];
      const outline = outlines.find((each) => contains(each, centre));
      if (outline !== undefined) {
        cells.push({ x: centre[0], y: centre[1], locationId: outline.locationId });
      }
    }
  }
  const without = plan.outlines
    .filter(({ locationId }) => !cells.some((cell) => cell.locationId === locationId))
    .sort((a, b) => a.locationId - b.locationId);
  for (const { locationId, corners: own } of without) {
    const sums = own.reduce<Point>(([x, y], corner) => [x + corner[0], y + corner[1]], [0, 0]);
    cells.push({ x: sums[0] / own.length, y: sums[1] / own.length, locationId });
  }
  CELLS.set(plan, cells);
  return cells;
}

function ends(values: readonly number[]): [number, number] {
  return [leastOf(values), greatestOf(values)];
}

/** Shoelace formula. */
function areaOf({ corners }: Outline): number {
  let twice = 0;
  corners.forEach(([x, y], index) => {
    const [nextX, nextY] = corners[(index + 1) % corners.length] ?? [0, 0];
    twice += x * nextY - nextX * y;
  });
  return Math.abs(twice) / 2;
}

/** Even-odd rule: a ray to the right crosses the outline an odd number of times. */
export function contains({ corners }: Outline, [x, y]: Point): boolean {
  let isInside = false;
  corners.forEach(([fromX, fromY], index) => {
    const [toX, toY] = corners[(index + 1) % corners.length] ?? [0, 0];
    if (fromY > y !== toY > y && x < ((toX - fromX) * (y - fromY)) / (toY - fromY) + fromX) {
      isInside = !isInside;
    }
  });
  return isInside;
}

type Deciding = Setting & { by: 'strength' | 'position' };

/** Whether a scan there has to be proven. */
export function isProven(locationId: number, at: number, world: World): boolean {
  return settingOf(locationId, at, world) !== null;
}

/** Section 5: the location's own setting, else that of the nearest above, else the organization's. Null: every scan states. */
function settingOf(locationId: number, at: number, world: World): Deciding | null {
  const latest = (of: number | null) =>
    world.settings
      .filter((setting) => setting.locationId === of && setting.from <= at)
      .reduce<Setting | null>((last, each) => (last !== null && last.from > each.from ? last : each), null);
  for (const of of [...upward(locationId, world), null]) {
    const setting = latest(of);
    if (setting !== null && setting.by !== 'inherit') {
      return setting.by === 'every' ? null : { ...setting, by: setting.by };
    }
  }
  return null;
}

/** The plan of the nearest location, from this one upward, that has one with a scale. */
function planOf(locationId: number, world: World): Plan | null {
  for (const of of upward(locationId, world)) {
    const plan = world.plans.find((each) => each.locationId === of);
    if (plan !== undefined) {
      return plan;
    }
  }
  return null;
}

function upward(locationId: number, world: World): number[] {
  const above = world.parents.get(locationId) ?? null;
  return [locationId, ...(above === null ? [] : upward(above, world))];
}

/**
 * Section 1: at one instant a person's statement goes before a reader's, from the organization's first setting that asks for
 * proof; then, as in tracking rule 1, the strongest, none being weakest, then the smallest location. What follows only names
 * the scan.
 */
function oneAnInstant(statements: readonly Statement[], world: World): Statement[] {
  const since = leastOf(
    world.settings.filter(({ by }) => by === 'strength' || by === 'position').map(({ from }) => from),
  );
  const order = (a: Statement, b: Statement) =>
    a.at - b.at ||
    (a.at < since ? 0 : Number(b.rule === 'person') - Number(a.rule === 'person')) ||
    stronger(rssiOf(a), rssiOf(b)) ||
    a.locationId - b.locationId ||
    bySource(a.scan, b.scan);
  return [...Map.groupBy([...statements].sort(order), ({ at }) => at).values()].flatMap(([first]) =>
    first === undefined ? [] : [first],
  );
}

/** Tracking, rule 1: the first statement of each maximal run at one location is a transition. */
function historyOf(statements: readonly Statement[]): HistoryRow[] {
  const rows: HistoryRow[] = [];
  for (const statement of statements) {
    const last = rows.at(-1);
    if (last?.locationId !== statement.locationId) {
      const durationSeconds = last === undefined ? null : Math.floor((statement.at - last.at) / 1_000_000);
      rows.push({ at: statement.at, locationId: statement.locationId, durationSeconds, statement });
    }
  }
  return rows;
}

function antennaOf(of: { readerId: number; antenna: number }, world: World): Antenna | undefined {
  return world.antennas.find((each) => antennaKey(each) === antennaKey(of));
}

/** An antenna whose location changes within a window counts as two. */
function mappedKey({ locationId, ...antenna }: ReaderScan): string {
  return `${antennaKey(antenna)} ${locationId}`;
}

function antennaKey({ readerId, antenna }: { readerId: number; antenna: number }): string {
  return `${readerId} ${antenna}`;
}

function rssiOf({ scan }: Statement): number | null {
  return scan.kind === 'read' ? scan.rssi : null;
}

function byTime(a: ReaderScan, b: ReaderScan): number {
  return a.at - b.at || bySource(a, b);
}

function bySource(a: OracleScan, b: OracleScan): number {
  const byTag = byText(a.tagType, b.tagType) || byText(a.tagValue, b.tagValue);
  if (a.kind === 'read' && b.kind === 'read') {
    return a.readerId - b.readerId || a.antenna - b.antenna || byTag;
  }
  if (a.kind === 'handheld' && b.kind === 'handheld') {
    return byTag || byText(a.submissionId, b.submissionId) || a.index - b.index;
  }
  return a.kind === 'handheld' ? -1 : 1;
}

/** The stronger first; none is weakest. */
function stronger(a: number | null, b: number | null): number {
  if (a === null || b === null) {
    return Number(a === null) - Number(b === null);
  }
  return b - a;
}

function byText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function square(x: number): number {
  return x * x;
}

function ascending(a: number, b: number): number {
  return a - b;
}
