import type { AssetDocument } from '../truth/document.ts';
import type { PresenceDocument, SiteRules } from '../truth/presence-document.ts';
import { behindOf } from './behind-of.ts';
import { HEARTBEAT, PresenceOracle, SLACK } from './oracle.ts';

/** An alert as the installation has it; times are milliseconds since 1970. */
export interface AlertAnswer {
  rule: string;
  /** Key of the asset or name of the reader. */
  of: string;
  state: 'open' | 'acknowledged' | 'closed' | 'withdrawn';
  openedAt: number;
  recordedAt: number;
  closedAt: number | null;
  isMissing: boolean;
}

export interface AlertResult {
  /** Alerts about assets and about readers that were raised during the run, withdrawn ones aside. */
  assets: number;
  readers: number;
  withdrawn: number;
  /** Seconds from a theft to the recording of its alert. */
  thefts: { asset: string; alerted_after_seconds: number | null }[];
  differences: AlertDifference[];
}

interface AlertDifference {
  of: string;
  what: string;
  truth: string;
  answer: string;
}

/** Milliseconds from a theft, and the threshold, to its alert at most. */
const FOUND_WITHIN = 60_000;

interface Site {
  site: PresenceDocument;
  rules: SiteRules;
  until: number;
}

/**
 * Compares alerts with what really happened: none about what was there, one for every theft and for every reader that was
 * down for long enough, each in time and closed when it was over.
 */
export function compareAlerts(
  site: PresenceDocument,
  truths: readonly AssetDocument[],
  { rules, overlap, answers }: { rules: SiteRules; overlap: boolean; answers: readonly AlertAnswer[] },
): AlertResult {
  const until = Date.parse(site.until);
  const raised = answers.filter(({ openedAt }) => openedAt <= until);
  const lasting = raised.filter(({ state }) => state !== 'withdrawn');
  const ofAssets = lasting.filter(({ rule }) => rule === rules.overdue.id);
  const ofReaders = raised.filter(({ rule }) => rule === rules.reader.id);
  const oracle = new PresenceOracle(site, { overlap });
  const all: Site = { site, rules, until };
  const found = theftsIn(all, truths, oracle, ofAssets);
  return {
    assets: ofAssets.length,
    readers: ofReaders.length,
    withdrawn: raised.length - lasting.length,
    thefts: found.thefts,
    differences: [
      ...falseAlerts(site, truths, oracle, ofAssets),
      ...found.differences,
      ...site.readers.flatMap((reader) =>
        readerDifferences(
          all,
          reader,
          ofReaders.filter(({ of }) => of === reader.reader),
        ),
      ),
    ],
  };
}

function falseAlerts(
  site: PresenceDocument,
  truths: readonly AssetDocument[],
  oracle: PresenceOracle,
  alerts: readonly AlertAnswer[],
): AlertDifference[] {
  const truthOf = new Map(truths.map((truth) => [truth.asset, truth]));
  const there = new Map(site.assets.map((each) => [each.asset, each.there]));
  return alerts.flatMap((alert) => {
    const truth = truthOf.get(alert.of);
    const expected =
      truth === undefined ? null : oracle.expect(truth, there.get(alert.of) ?? [], alert.openedAt);
    return expected === null || expected.states.includes('overdue')
      ? []
      : [{ of: alert.of, what: 'alert', truth: expected.states.join(' or '), answer: textOf(alert) }];
  });
}

function theftsIn(
  { site, rules, until }: Site,
  truths: readonly AssetDocument[],
  oracle: PresenceOracle,
  alerts: readonly AlertAnswer[],
): Pick<AlertResult, 'thefts' | 'differences'> {
  const truthOf = new Map(truths.map((truth) => [truth.asset, truth]));
  const result: Pick<AlertResult, 'thefts' | 'differences'> = { thefts: [], differences: [] };
  const { after_seconds: after, then_seconds: then } = rules.overdue;
  for (const each of site.assets) {
    const { asset, taken_at: takenAt, there } = each;
    if (takenAt === null) {
      continue;
    }
    const taken = Date.parse(takenAt);
    const told = taken - behindOf(site, each);
    const own = alerts.filter((alert) => alert.of === asset && alert.openedAt >= told - SLACK);
    const [first] = own;
    const seconds = first === undefined ? null : (first.recordedAt - taken) / 1_000;
    result.thefts.push({ asset, alerted_after_seconds: seconds });
    const truth = truthOf.get(asset);
    const must = truth === undefined ? null : oracle.expect(truth, there, until);
    const isRight =
      own.length === 1 &&
      first !== undefined &&
      first.openedAt <= told + after * 1_000 + HEARTBEAT + SLACK &&
      first.recordedAt <= taken + after * 1_000 + FOUND_WITHIN &&
      (first.closedAt ?? until) >= until &&
      (first.isMissing || taken + then * 1_000 + HEARTBEAT + SLACK > until);
    if (must !== null && !must.states.includes('present') && !isRight) {
      const text = own.length === 0 ? 'none' : own.map(textOf).join(', ');
      result.differences.push({ of: asset, what: 'alert', truth: `taken at ${takenAt}`, answer: text });
    }
  }
  return result;
}

/** The latest time after which a silent reader raises an alert, and the time within which an alert must end. */
function readerDifferences(
  { site, rules, until }: Site,
  { reader, down }: PresenceDocument['readers'][number],
  alerts: readonly AlertAnswer[],
): AlertDifference[] {
  const expected = site.expected_seconds * 1_000;
  const atLatest = expected + rules.reader.after_seconds * 1_000 + HEARTBEAT + SLACK;
  const spans = down.map((each) => ({
    from: Date.parse(each.from),
    until: each.until === null ? Number.POSITIVE_INFINITY : Date.parse(each.until),
  }));
  const within = (alert: AlertAnswer, span: (typeof spans)[number]) =>
    alert.openedAt >= span.from - HEARTBEAT && alert.openedAt <= span.until + SLACK;
  const wrong = (truth: string, answer: readonly AlertAnswer[]): AlertDifference => ({
    ...{ of: reader, what: 'alert', truth },
    answer: answer.length === 0 ? 'none' : answer.map(textOf).join(', '),
  });
  return [
    ...alerts
      .filter((alert) => alert.state === 'withdrawn' || !spans.some((span) => within(alert, span)))
      .map((alert) => wrong(alert.state === 'withdrawn' ? 'nothing withdrawn' : 'up', [alert])),
    ...spans.flatMap((span) => {
      const own = alerts.filter((alert) => within(alert, span));
      const isSure = Math.min(span.until, until) - span.from > atLatest;
      const isEnded = span.until + expected < until;
      const isRight = own.every(
        ({ recordedAt, closedAt }) =>
          recordedAt <= span.from + 2 * expected + SLACK &&
          (isEnded
            ? (closedAt ?? until) <= span.until + HEARTBEAT + SLACK
            : (closedAt ?? until) >= span.until || (closedAt ?? until) >= until),
      );
      return own.length <= 1 && (own.length === 1 || !isSure) && isRight
        ? []
        : [wrong(`down from ${new Date(span.from).toISOString()}`, own)];
    }),
  ];
}

function textOf({ state, openedAt, recordedAt, closedAt }: AlertAnswer): string {
  const time = (at: number) => new Date(at).toISOString();
  const closed = closedAt === null ? '' : `, closed at ${time(closedAt)}`;
  return `${state}, opened at ${time(openedAt)}, recorded at ${time(recordedAt)}${closed}`;
}
