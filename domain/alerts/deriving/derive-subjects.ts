import type { Micros } from '../../../base/instant.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { Interval } from '../../presence/intervals.ts';
import type { AssetEvidence, ReaderEvidence } from '../conditions/evidence.ts';
import { loadAssetEvidence } from '../conditions/load-asset-evidence.ts';
import { loadReaderEvidence } from '../conditions/load-reader-evidence.ts';
import { nextLook } from '../conditions/next-look.ts';
import type { Stretch } from '../conditions/stretch.ts';
import { stretchesOf } from '../conditions/stretches-of.ts';
import type { Surroundings } from '../conditions/surroundings.ts';
import type { DatedRule } from '../rules/rule.ts';
import type { FoundStretch } from '../stored/alert.ts';
import { type LoadedAlert, loadAlerts } from '../stored/load-alerts.ts';
import { storeDifferences } from '../stored/store-alerts.ts';
import { assetSubject, readerSubject } from '../stored/subject.ts';
import { locationIn, toldBecause } from '../stored/told-because.ts';
import { differenceOf } from './diff.ts';

/** Assets, or readers, of an organization, with the rules that may be about them. */
export interface Wanted {
  orgId: number;
  what: 'asset' | 'reader';
  rules: ReadonlyMap<string, readonly DatedRule[]>;
  ids: readonly number[];
}

export interface Looked {
  id: number;
  /** When to look again if nothing new is known; null for never. */
  next: Micros | null;
  /** Whether the condition of a rule holds. */
  isAlerted: boolean;
  /** When it was read last, if it is overdue; null if it is not. */
  overdueSince: Micros | null;
}

/**
 * Brings stored alerts in line with the evidence. The window begins as early as the first alert that reaches into it, so
 * that each is compared as a whole.
 *
 * @param earliest the window begins no earlier.
 */
export async function deriveSubjects(
  db: Connection,
  wanted: Wanted,
  { since: wantedSince, until }: Interval,
  earliest: Micros,
): Promise<Looked[]> {
  const { orgId, what, ids, rules } = wanted;
  const { alerts, since } = await loadReaching(db, wanted, wantedSince, earliest);
  const window = { since, until };
  const { subjects, around } = await loadSubjects(db, wanted, window);
  const stored = Map.groupBy(alerts, ({ subjectId, ruleId }) => `${subjectId} ${ruleId}`);
  const found = new Map(subjects.map((evidence) => [idOf(evidence), evidence]));
  const differences = [];
  const looked: Looked[] = [];
  for (const id of ids) {
    const evidence = found.get(id);
    const look: Looked = { id, next: null, isAlerted: false, overdueSince: null };
    for (const [ruleId, versions] of rules) {
      const stretches = evidence === undefined ? [] : stretchesOf(versions, evidence, around);
      const own = stored.get(`${id} ${ruleId}`) ?? [];
      if (stretches.length > 0 || own.length > 0) {
        const subject = what === 'asset' ? assetSubject(id) : readerSubject(id);
        const difference = differenceOf(own, stretches.map(foundOf), window);
        differences.push({ orgId, subject, versions, ...difference });
      }
      look.isAlerted ||= stretches.at(-1)?.until === null;
      look.overdueSince = sooner(look.overdueSince, lastSeenIn(stretches));
      look.next = sooner(look.next, evidence === undefined ? null : nextLook(versions, evidence, around));
    }
    looked.push(look);
  }
  await storeDifferences(db, differences);
  return looked;
}

async function loadReaching(
  db: Connection,
  { orgId, what, ids }: Wanted,
  wantedSince: Micros,
  earliest: Micros,
): Promise<{ alerts: LoadedAlert[]; since: Micros }> {
  for (let since = Math.max(wantedSince, earliest); ; ) {
    const alerts = await loadAlerts(db, orgId, what, ids, since);
    const first = Math.max(
      alerts.reduce((first, { openedAt }) => Math.min(first, openedAt), since),
      earliest,
    );
    if (first === since) {
      return { alerts, since };
    }
    since = first;
  }
}

interface Loaded {
  subjects: readonly (AssetEvidence | ReaderEvidence)[];
  around: Surroundings;
}

async function loadSubjects(
  db: Connection,
  { orgId, what, rules, ids }: Wanted,
  window: Interval,
): Promise<Loaded> {
  if (what === 'reader') {
    const { readers, around } = await loadReaderEvidence(db, orgId, ids, window);
    return { subjects: readers, around };
  }
  const { assets, around } = await loadAssetEvidence(db, orgId, [...rules.values()].flat(), ids, window);
  return { subjects: assets, around };
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

function sooner(one: Micros | null, other: Micros | null): Micros | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}
