import type { AssetAnswer } from '../../../simulation/answers.ts';
import { compare } from '../../../simulation/compare.ts';
import type { FeedFold } from '../../../simulation/feed-fold.ts';
import {
  type AlertAnswer,
  type AlertResult,
  compareAlerts,
} from '../../../simulation/presence/compare-alerts.ts';
import {
  comparePresence,
  type PresenceAnswer,
  type PresenceResult,
} from '../../../simulation/presence/compare-presence.ts';
import type { ReaderDocument, TruthDocument } from '../../../simulation/truth/document.ts';
import type { PresenceDocument } from '../../../simulation/truth/presence-document.ts';
import { NO_COUNTS, type ReaderCounts } from '../../../simulation/truth/reader-truth.ts';
import { settled } from '../../../simulation/truth/settled.ts';

export interface Answer {
  assets: readonly AssetAnswer[];
  readers: ReadonlyMap<string, ReaderCounts> | null;
  /** Null if the feed is not kept from its beginning. */
  feed: FeedFold | null;
  /** The settings of locations; undefined if they cannot be asked for. */
  siteVersion: number | null | undefined;
  /** By instant; empty unless the site was watched continuously. */
  presence: ReadonlyMap<number, readonly PresenceAnswer[]>;
  /** Of the rules of the site; null if there are none. */
  alerts: readonly AlertAnswer[] | null;
}

export interface Difference {
  of: string;
  what: string;
  truth: string;
  answer: string;
}

export interface CheckResult {
  assets: number;
  rows: number;
  readers: number;
  /** Events of the move feed that were applied; null if it is not kept from its beginning. */
  events: number | null;
  /** Whether what locations are decided by was changed since the run; null if it cannot be asked. */
  site_changed: boolean | null;
  undecided: string[];
  differences: Difference[];
  /** Faults of the move feed, and histories in which it differs from the installation. */
  feed_differences: Difference[];
  /** Statements about present and absent assets; null unless the site was watched continuously. */
  presence: (Omit<PresenceResult, 'differences'> & { differences: Difference[] }) | null;
  /** Alerts of the rules that were set for the run; null unless the site was watched continuously. */
  alerts: AlertResult | null;
}

export function isAgreed(result: CheckResult): boolean {
  return allDifferences(result).length === 0;
}

export function allDifferences({
  differences,
  feed_differences: further,
  presence,
  alerts,
}: CheckResult): Difference[] {
  return [...differences, ...further, ...(presence?.differences ?? []), ...(alerts?.differences ?? [])];
}

export function check(truth: TruthDocument, answer: Answer): CheckResult {
  const decided = truth.assets.filter(({ undecided }) => undecided === null);
  const keys = new Set(decided.map(({ asset }) => asset));
  const answered = answer.assets.filter(({ asset }) => keys.has(asset));
  const said = new Map(answered.map((record) => [record.asset, record]));
  const truths = decided.map((document) => settled(document, said.get(document.asset)));
  const readers = answer.readers === null ? [] : truth.readers.filter(({ exact }) => exact);
  const inexact = answer.readers === null ? [] : truth.readers.filter(({ exact }) => !exact);
  return {
    assets: decided.length,
    rows: truths.reduce((sum, { history }) => sum + history.length, 0),
    readers: readers.length,
    events: answer.feed?.position ?? null,
    site_changed:
      answer.siteVersion === undefined ? null : answer.siteVersion !== (truth.run.site_version ?? null),
    undecided: [
      ...truth.assets.filter(({ undecided }) => undecided !== null).map(({ asset }) => asset),
      ...inexact.map(({ reader }) => reader),
    ],
    differences: [
      ...compare(truths, answered).map(({ asset, ...difference }) => ({ of: asset, ...difference })),
      ...readers.flatMap((reader) => compareCounts(reader, answer.readers?.get(reader.reader))),
    ],
    feed_differences: (answer.feed?.differences(answer.assets) ?? []).map(({ asset, ...difference }) => ({
      of: asset,
      ...difference,
    })),
    presence: truth.presence == null ? null : checkPresence(truth, truth.presence, answer),
    alerts:
      truth.presence == null || answer.alerts === null
        ? null
        : checkAlerts(truth, truth.presence, answer.alerts),
  };
}

function checkAlerts(
  { assets, run }: TruthDocument,
  site: PresenceDocument,
  answers: readonly AlertAnswer[],
): AlertResult {
  const overlap = run.faults.includes('flapping');
  return compareAlerts(site, assets, { rules: site.rules, overlap, answers });
}

function checkPresence(
  { assets, run }: TruthDocument,
  site: PresenceDocument,
  { presence: answers }: Answer,
): CheckResult['presence'] {
  const overlap = run.faults.includes('flapping');
  const { differences, ...result } = comparePresence(site, assets, { overlap, answers });
  return {
    ...result,
    differences: differences.map(({ asset, ...difference }) => ({ of: asset, ...difference })),
  };
}

function compareCounts(truth: ReaderDocument, answer: ReaderCounts | undefined): Difference[] {
  const of = truth.reader;
  if (answer === undefined) {
    return [{ of, what: 'reader', truth: 'there', answer: 'nothing' }];
  }
  return (Object.keys(NO_COUNTS) as (keyof ReaderCounts)[])
    .filter((what) => truth[what] !== answer[what])
    .map((what) => ({ of, what, truth: String(truth[what]), answer: String(answer[what]) }));
}
