import { eachInTurns } from '../../../base/each-in-turns.ts';
import { leastOf } from '../../../base/extremes.ts';
import type { Micros } from '../../../base/instant.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { Interval } from '../../presence/intervals.ts';
import type { AssetEvidence, ReaderEvidence } from '../conditions/evidence.ts';
import { loadAssetEvidence } from '../conditions/load-asset-evidence.ts';
import { loadReaderEvidence } from '../conditions/load-reader-evidence.ts';
import { type HeardAt, joinHeard, nextLook } from '../conditions/next-look.ts';
import type { Stretch } from '../conditions/stretch.ts';
import { stretchesOf } from '../conditions/stretches-of.ts';
import type { Surroundings } from '../conditions/surroundings.ts';
import type { DatedRule } from '../rules/rule.ts';
import type { FoundStretch } from '../stored/alert.ts';
import type { LoadedAlert } from '../stored/load-alerts.ts';
import { type SubjectDifference, storeDifferences } from '../stored/store-alerts.ts';
import { assetSubject, readerSubject } from '../stored/subject.ts';
import { locationIn, toldBecause } from '../stored/told-because.ts';
import { differenceOf } from './diff.ts';
import type { ExpectedRead } from './expected-reads.ts';
import type { KnownSubtrees } from './known-subtrees.ts';
import { type Reaching, reachingTo, sinceOf } from './load-reaching.ts';

/** Assets, or readers, of an organization, with the rules that may be about them. */
export interface Wanted {
  orgId: number;
  what: 'asset' | 'reader';
  rules: ReadonlyMap<string, readonly DatedRule[]>;
  /** Of these rules, or of more. */
  subtrees: KnownSubtrees;
}

export interface Looked {
  id: number;
  /** When to look again if nothing new is known; null for never. */
  next: Micros | null;
  /** Before it is overdue; null if it will not be for not being read. */
  expected: ExpectedRead | null;
  /** What of its locations changes that. */
  heard: readonly HeardAt[];
  /** From when on it was looked at. */
  since: Micros;
  /** Whether the condition of a rule holds. */
  isAlerted: boolean;
  /** When it was read last, if it is overdue; null if it is not. */
  overdueSince: Micros | null;
  /** An alert is another now. */
  isChanged: boolean;
  /** There is too much evidence to say anything. */
  isUnknown: boolean;
}

const NOTHING = {
  ...{ next: null, expected: null, heard: [], overdueSince: null },
  ...{ isAlerted: false, isChanged: false, isUnknown: false },
};

/**
 * Brings stored alerts in line with the evidence of before `until`. Evidence is loaded from the earliest instant on from
 * which one of them is looked at.
 */
export async function deriveSubjects(
  db: Connection,
  wanted: Wanted,
  subjects: readonly Reaching[],
  until: Micros,
): Promise<Looked[]> {
  const { evidence, around } = await loadSubjects(db, wanted, subjects, until);
  const ofSubjects = new Map(evidence.map((each) => [idOf(each), each]));
  const differences: SubjectDifference[] = [];
  const looked = await eachInTurns(subjects, (reaching) => {
    const look: Looked = { id: reaching.id, since: reaching.overdueSince, ...NOTHING };
    const stored = Map.groupBy(reaching.alerts, ({ ruleId }) => ruleId);
    for (const [ruleId, versions] of wanted.rules) {
      const window = { since: reaching.sinceByRule.get(ruleId) ?? reaching.since, until };
      const alerts = reachingTo(window.since, stored.get(ruleId) ?? []);
      const subject = withKnown(ofSubjects.get(reaching.id), ruleId, alerts, window);
      const found = subject === undefined ? [] : stretchesOf(versions, subject, around);
      const stretches = reachingInto(window, found);
      if (stretches.length > 0 || alerts.length > 0) {
        const difference = differenceOf(alerts, stretches.map(foundOf), window);
        differences.push({ ...subjectOf(wanted, reaching.id), versions, ...difference });
        look.isChanged ||= Object.values(difference).some(({ length }) => length > 0);
      }
      look.isAlerted ||= stretches.at(-1)?.until === null;
      look.overdueSince = sooner(look.overdueSince, lastSeenIn(stretches));
      if (subject !== undefined) {
        const { at, unread, heard } = nextLook(versions, subject, around, found);
        look.next = sooner(look.next, at);
        look.expected = soonerRead(look.expected, unread, versions);
        look.heard = heard.length === 0 ? look.heard : joinHeard([...look.heard, ...heard]);
      }
    }
    return look;
  });
  await storeDifferences(db, differences);
  return looked;
}

function subjectOf({ orgId, what }: Wanted, id: number): Pick<SubjectDifference, 'orgId' | 'subject'> {
  return { orgId, subject: what === 'asset' ? assetSubject(id) : readerSubject(id) };
}

/** Of one asset less may be looked at than of those that are loaded with it. */
function reachingInto({ since }: Interval, stretches: readonly Stretch[]): Stretch[] {
  return stretches.filter(({ until }) => until === null || until > since);
}

/** An asset may be overdue for longer than evidence is looked at. */
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
  const known = older.map(({ openedAt: since, alarmSince }) => ({
    ...{ since, asOf },
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
  const all = [...rules.values()].flat();
  const { assets, around } = await loadAssetEvidence(db, orgId, all, ids, window, readsSince, (locationIds) =>
    subtrees.load(db, orgId, locationIds),
  );
  return { evidence: assets, around };
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
