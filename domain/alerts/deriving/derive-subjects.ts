import { Turns } from '../../../base/each-in-turns.ts';
import { TooMuchWork } from '../../../base/errors.ts';
import { greatestOf, leastOf } from '../../../base/extremes.ts';
import { firstIndex } from '../../../base/first-index.ts';
import type { Micros } from '../../../base/instant.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { Interval } from '../../presence/intervals.ts';
import type { AssetEvidence, ReaderEvidence } from '../conditions/evidence.ts';
import { loadAssetEvidence } from '../conditions/load-asset-evidence.ts';
import { loadReaderEvidence } from '../conditions/load-reader-evidence.ts';
import { type HeardAt, joinHeard, nextLook } from '../conditions/next-look.ts';
import { stretchesOf } from '../conditions/rule-kinds.ts';
import type { Stretch } from '../conditions/stretch.ts';
import type { Surroundings } from '../conditions/surroundings.ts';
import type { DatedRule } from '../rules/rule.ts';
import type { AlertDifference, FoundStretch, StoredAlert } from '../stored/alert.ts';
import type { LoadedAlert } from '../stored/load-alerts.ts';
import {
  assetSubject,
  locationIn,
  readerSubject,
  type SubjectDifference,
  storeDifferences,
  toldBecause,
} from '../stored/store-alerts.ts';
import type { ExpectedRead } from './expected-reads.ts';
import type { KnownSubtrees } from './known-subtrees.ts';
import { type Reaching, reachingTo, sinceOf } from './load-reaching.ts';

/** Assets, or readers, of an organization, with the rules that may be about them. */
export interface Wanted {
  orgId: number;
  what: 'asset' | 'reader';
  rules: ReadonlyMap<string, readonly DatedRule[]>;
  /** For these rules, or for more. */
  subtrees: KnownSubtrees;
}

export interface Looked {
  id: number;
  /** When to look again without news; null for never. */
  next: Micros | null;
  /** Before it is overdue; null if it will not be for not being read. */
  expected: ExpectedRead | null;
  /** Changes of its locations that affect it. */
  heard: readonly HeardAt[];
  /** The instant from which it was looked at. */
  since: Micros;
  /** Whether the condition of a rule holds. */
  isAlerted: boolean;
  /** The last read of an overdue asset; null if it is not overdue. */
  overdueSince: Micros | null;
  /** An alert is another now. */
  isChanged: boolean;
  /** There is too much evidence for an answer. */
  isUnknown: boolean;
}

/**
 * Pieces of evidence, each times the rules, that are processed before others have their turn: 1 s, and 5 s for one
 * asset alone.
 */
const MOST_WORK = { together: 250_000, alone: 1_000_000 };

/**
 * Pieces of evidence of one asset or reader. One rule holds the event loop for 80 ms of processor time (69 to 120) with
 * this many, and the next look for 100 (80 to 157); with 50,000 for 221 and 291.
 */
const MOST_OF_ONE = 20_000;

/** Alerts to write that are kept in memory. */
const MOST_KEPT = 20_000;

const NOTHING = {
  ...{ next: null, expected: null, heard: [], overdueSince: null },
  ...{ isAlerted: false, isChanged: false, isUnknown: false },
};

/**
 * Brings stored alerts in line with the evidence before `until`. Evidence is loaded from the earliest instant that any
 * of them needs.
 *
 * @throws TooMuchWork
 */
export async function deriveSubjects(
  db: Connection,
  wanted: Wanted,
  subjects: readonly Reaching[],
  until: Micros,
): Promise<Looked[]> {
  const { evidence, around } = await loadSubjects(db, wanted, subjects, until);
  boundWork(evidence, wanted.rules.size);
  const ofSubjects = new Map(evidence.map((each) => [idOf(each), each]));
  const differences: SubjectDifference[] = [];
  let kept = 0;
  const looked: Looked[] = [];
  const turns = new Turns();
  for (const reaching of subjects) {
    const look: Looked = { id: reaching.id, since: reaching.overdueSince, ...NOTHING };
    const stored = Map.groupBy(reaching.alerts, ({ ruleId }) => ruleId);
    for (const [ruleId, versions] of wanted.rules) {
      const loaded = ofSubjects.get(reaching.id);
      const since = reaching.sinceByRule.get(ruleId) ?? reaching.since;
      const window = { since: Math.max(since, measuredSince(versions, loaded)), until };
      const alerts = reachingTo(window.since, stored.get(ruleId) ?? []);
      const subject = withKnown(loaded, ruleId, alerts, window);
      const found = subject === undefined ? [] : stretchesOf(versions, subject, around);
      await turns.next();
      const stretches = reachingInto(window, found);
      if (stretches.length > 0 || alerts.length > 0) {
        const difference = differenceOf(alerts, stretches.map(foundOf), window);
        differences.push({ ...subjectOf(wanted, reaching.id), versions, ...difference });
        const count = sizeOf(difference);
        look.isChanged ||= count > 0;
        kept += count;
        if (kept > MOST_KEPT) {
          await storeDifferences(db, differences.splice(0));
          kept = 0;
        }
        await turns.next();
      }
      look.isAlerted ||= stretches.at(-1)?.until === null;
      look.overdueSince = sooner(look.overdueSince, lastSeenIn(stretches));
      if (subject !== undefined) {
        const { at, unread, heard } = nextLook(versions, subject, around, found);
        look.next = sooner(look.next, at);
        look.expected = soonerRead(look.expected, unread, versions);
        look.heard = heard.length === 0 ? look.heard : joinHeard([...look.heard, ...heard]);
        await turns.next();
      }
    }
    looked.push(look);
  }
  await storeDifferences(db, differences);
  return looked;
}

function sizeOf({ opened, changed, withdrawn }: AlertDifference): number {
  return opened.length + changed.length + withdrawn.length;
}

/** @throws TooMuchWork */
function boundWork(evidence: Loaded['evidence'], rules: number): void {
  const pieces = evidence.map((each) =>
    'readerId' in each ? each.spans.length : each.stays.length + each.unread.length + measuredPieces(each),
  );
  const work = rules * pieces.reduce((sum, count) => sum + count, 0);
  if (work > MOST_WORK[evidence.length === 1 ? 'alone' : 'together'] || greatestOf(pieces) > MOST_OF_ONE) {
    throw new TooMuchWork(`${rules} rules would have to look at too much evidence together`);
  }
}

function measuredPieces({ measured }: AssetEvidence): number {
  const tags = [...(measured?.values() ?? [])].flatMap((each) => each.tags);
  return tags.reduce((sum, { pieces }) => sum + pieces.length, 0);
}

/** Alerts about readings stay as they were before the readings that are looked at. */
function measuredSince(
  versions: readonly DatedRule[],
  evidence: AssetEvidence | ReaderEvidence | undefined,
): Micros {
  if (evidence === undefined || 'readerId' in evidence) {
    return 0;
  }
  return greatestOf([
    0,
    ...versions.flatMap(({ bound: { reading } }) =>
      reading === null ? [] : (evidence.measured?.get(reading)?.since ?? []),
    ),
  ]);
}

function subjectOf({ orgId, what }: Wanted, id: number): Pick<SubjectDifference, 'orgId' | 'subject'> {
  return { orgId, subject: what === 'asset' ? assetSubject(id) : readerSubject(id) };
}

/** An asset may be looked at up to an earlier instant than others loaded with it. */
function reachingInto({ since }: Interval, stretches: readonly Stretch[]): Stretch[] {
  return stretches.filter(({ until }) => until === null || until > since);
}

/** An asset may be overdue for longer than evidence is read. */
function withKnown(
  evidence: AssetEvidence | ReaderEvidence | undefined,
  ruleId: string,
  alerts: readonly LoadedAlert[],
  { since: asOf }: Interval,
): AssetEvidence | ReaderEvidence | undefined {
  const older = alerts.filter(({ openedAt }) => openedAt < asOf);
  if (evidence === undefined || 'readerId' in evidence || older.length === 0) {
    return evidence;
  }
  const known = older.map(({ openedAt: since, closedAt: until, alarmSince }) => ({
    ...{ since, until, asOf },
    missingSince: alarmSince !== null && alarmSince < asOf ? alarmSince : null,
  }));
  return { ...evidence, known: new Map([[ruleId, known]]) };
}

interface Loaded {
  evidence: readonly (AssetEvidence | ReaderEvidence)[];
  around: Surroundings;
}

async function loadSubjects(
  db: Connection,
  { orgId, what, rules, subtrees }: Wanted,
  subjects: readonly Reaching[],
  until: Micros,
): Promise<Loaded> {
  const since = subjects.reduce((first, each) => Math.min(first, sinceOf(each)), until);
  const window = { since, until };
  const ids = subjects.map(({ id }) => id);
  if (what === 'reader') {
    const { readers, around } = await loadReaderEvidence(db, orgId, ids, window);
    return { evidence: readers, around };
  }
  const readsSince = new Map(subjects.map(({ id, overdueSince }) => [id, overdueSince]));
  const readings = new Map(
    subjects.map((each) => [each.id, { since: each.since, alerted: alertedBefore(each) }]),
  );
  const all = [...rules.values()].flat();
  const { assets, around } = await loadAssetEvidence(
    ...([db, orgId, all, ids, window, readsSince, readings] as const),
    (locationIds) => subtrees.load(db, orgId, locationIds),
  );
  return { evidence: assets, around };
}

/** Rules with an alert that began before the window and had not ended by its beginning. */
function alertedBefore({ since, alerts }: Reaching): ReadonlySet<string> {
  return new Set(
    alerts.flatMap(({ ruleId, openedAt, closedAt }) =>
      openedAt < since && (closedAt ?? since + 1) > since ? [ruleId] : [],
    ),
  );
}

function idOf(evidence: AssetEvidence | ReaderEvidence): number {
  return 'readerId' in evidence ? evidence.readerId : evidence.assetId;
}

function foundOf({ because, ...stretch }: Stretch): FoundStretch {
  return { ...stretch, locationId: locationIn(because), because: toldBecause(because) };
}

function lastSeenIn(stretches: readonly Stretch[]): Micros | null {
  const last = stretches.at(-1);
  return last?.until === null && last.because.kind === 'overdue' ? last.because.lastSeen : null;
}

function soonerRead(
  expected: ExpectedRead | null,
  unread: Micros | null,
  versions: readonly DatedRule[],
): ExpectedRead | null {
  if (unread === null) {
    return expected;
  }
  const { by, within } = expected ?? { by: unread, within: Number.POSITIVE_INFINITY };
  const thresholds = versions.flatMap(({ after, thenAfter }) => after ?? thenAfter ?? []);
  return { by: Math.min(by, unread), within: leastOf([within, ...thresholds]) };
}

function sooner(one: Micros | null, other: Micros | null): Micros | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}

/**
 * The changes that make stored alerts match the evidence. An alert belongs to the stretch in which it was opened, so
 * a condition that begins again is news, also to people who acknowledged the alert before. If it was opened in none,
 * it belongs to the one that it overlaps most, of equal ones to the earliest; what is not over counts up to the end
 * of the window. Never to one that began after somebody took notice of the alert: that is another incident. A
 * stretch has one alert.
 *
 *     stored    |--- a ---|          |--- b ---|       |- c -|
 *     derived   |--|   |-----|         |-| |------|             |-|
 *               a ends sooner; b begins later; of the others three are new, and c is withdrawn
 *
 * @param stored all that reach into the window, in any order.
 * @param derived all that reach into the window, sorted and disjoint. What began before it may have begun even
 * earlier.
 */
export function differenceOf(
  stored: readonly StoredAlert[],
  derived: readonly FoundStretch[],
  window: Interval,
): AlertDifference {
  const ofAlert = new Map<StoredAlert, FoundStretch>();
  const taken = new Set<FoundStretch>();
  for (const { alert, stretch } of pairs(stored, derived, window)) {
    if (!ofAlert.has(alert) && !taken.has(stretch)) {
      ofAlert.set(alert, stretch);
      taken.add(stretch);
    }
  }
  const difference: AlertDifference = {
    opened: derived.filter((stretch) => !taken.has(stretch)),
    changed: [],
    withdrawn: [],
  };
  for (const alert of stored) {
    const own = ofAlert.get(alert);
    const stretch = own === undefined ? null : withKnownBeginning(own, alert, window);
    if (stretch !== null) {
      if (!isSame(alert, stretch)) {
        difference.changed.push({ id: alert.id, state: stateAfter(alert, stretch), stretch });
      }
    } else if (alert.openedAt >= window.since) {
      difference.withdrawn.push(alert.id);
    } else if (alert.closedAt === null) {
      difference.changed.push({ id: alert.id, state: 'closed', stretch: endedBefore(alert, window) });
    }
  }
  return difference;
}

/** Pairs only overlapping ones: an asset that comes and goes has thousands of each. */
function pairs(stored: readonly StoredAlert[], derived: readonly FoundStretch[], { since, until }: Interval) {
  return stored
    .flatMap((alert) => {
      const first = firstIndex(0, derived.length, (at) => (derived[at]?.until ?? until) > alert.openedAt);
      const behind = firstIndex(
        first,
        derived.length,
        (at) => (derived[at]?.since ?? until) >= (alert.closedAt ?? until),
      );
      return derived.slice(first, behind).map((stretch) => ({
        ...{ alert, stretch },
        isOpening: isWithin(stretch, Math.max(alert.openedAt, since)) ? 1 : 0,
        overlap: overlapOf(alert, stretch, until),
      }));
    })
    .filter(({ alert, stretch, overlap }) => overlap > 0 && isNoticed(alert, stretch))
    .sort(
      (a, b) =>
        b.isOpening - a.isOpening ||
        b.overlap - a.overlap ||
        a.stretch.since - b.stretch.since ||
        a.alert.openedAt - b.alert.openedAt ||
        (a.alert.id < b.alert.id ? -1 : 1),
    );
}

function isWithin({ since, until }: FoundStretch, at: Micros): boolean {
  return since <= at && at < (until ?? Number.POSITIVE_INFINITY);
}

/** People who acknowledged an alert may have meant the stretch. */
function isNoticed({ openedAt, acknowledgedAt }: StoredAlert, { since }: FoundStretch): boolean {
  return acknowledgedAt === null || since <= Math.max(openedAt, acknowledgedAt);
}

function overlapOf({ openedAt, closedAt }: StoredAlert, { since, until }: FoundStretch, end: Micros): Micros {
  return Math.min(closedAt ?? end, until ?? end) - Math.max(openedAt, since);
}

/** Evidence before the window is incomplete. */
function withKnownBeginning(
  stretch: FoundStretch,
  { openedAt, alarmSince, locationId, because }: StoredAlert,
  { since }: Interval,
): FoundStretch {
  if (stretch.since >= since || openedAt >= since) {
    return stretch;
  }
  const isSameLevel = (alarmSince === null) === (stretch.alarmSince === null);
  return isSameLevel && (stretch.alarmSince ?? openedAt) < since
    ? { ...stretch, since: openedAt, alarmSince, locationId, because }
    : { ...stretch, since: openedAt };
}

/** A stretch that ended before the window is settled. */
function endedBefore({ openedAt: since, ...alert }: StoredAlert, window: Interval): FoundStretch {
  const { level, alarmSince, locationId, because } = alert;
  return { since, until: window.since, level, alarmSince, locationId, because };
}

function isSame(alert: StoredAlert, stretch: FoundStretch): boolean {
  return (
    alert.openedAt === stretch.since &&
    alert.closedAt === stretch.until &&
    alert.level === stretch.level &&
    alert.alarmSince === stretch.alarmSince &&
    alert.because === stretch.because
  );
}

/**
 * People who acknowledged an alert hear of it again only when it is over; everybody hears of a new alert that is
 * already over.
 */
function stateAfter({ state }: StoredAlert, { until }: FoundStretch): StoredAlert['state'] {
  if (until !== null) {
    return 'closed';
  }
  return state === 'closed' ? 'open' : state;
}
