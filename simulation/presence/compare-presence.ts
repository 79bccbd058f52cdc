import type { AssetDocument } from '../truth/document.ts';
import type { PresenceDocument, State } from '../truth/presence-document.ts';
import { behindOf } from './behind-of.ts';
import { PresenceOracle } from './oracle.ts';

/** As the report of presence describes an asset. */
export interface PresenceAnswer {
  asset: string;
  state: State;
  /** Milliseconds since 1970; null where that is not known. */
  since: number | null;
  /** Name of the reader that is the reason. */
  reader: string | null;
}

export interface PresenceResult {
  /** States that were compared. */
  compared: number;
  /** How often each state was right. */
  states: Record<string, number>;
  thefts: Theft[];
  differences: { asset: string; what: string; truth: string; answer: string }[];
}

export interface Theft {
  asset: string;
  taken_at: string;
  /** Seconds from the theft to the instant since which it is overdue; null if nobody could have found it. */
  found_after_seconds: number | null;
}

/** Instants at which states are compared, evenly over the run. */
export function comparedInstants({ from, until, reread_seconds: reread }: PresenceDocument): number[] {
  const [begin, end] = [Date.parse(from) + reread * 1_000 + SETTLING, Date.parse(until)];
  return begin >= end
    ? []
    : Array.from({ length: INSTANTS }, (_, index) =>
        Math.floor(begin + ((end - begin) * index) / (INSTANTS - 1)),
      );
}

/** @param answers at each instant, in any order. */
export function comparePresence(
  site: PresenceDocument,
  truths: readonly AssetDocument[],
  { overlap, answers }: { overlap: boolean; answers: ReadonlyMap<number, readonly PresenceAnswer[]> },
): PresenceResult {
  const oracle = new PresenceOracle(site, { overlap });
  const there = new Map(site.assets.map((each) => [each.asset, each.there]));
  const result: PresenceResult = { compared: 0, states: {}, thefts: [], differences: [] };
  for (const [at, said] of answers) {
    const byAsset = new Map(said.map((each) => [each.asset, each]));
    for (const truth of truths) {
      const { asset } = truth;
      const expected = oracle.expect(truth, there.get(asset) ?? [], at);
      const answer = byAsset.get(asset);
      if (expected === null) {
        continue;
      }
      const isRight =
        answer !== undefined &&
        expected.states.includes(answer.state) &&
        (expected.reader === null || answer.reader === expected.reader);
      if (isRight) {
        result.states[answer.state] = (result.states[answer.state] ?? 0) + 1;
      } else {
        const what = `presence at ${new Date(at).toISOString()}`;
        const truthText = expected.states.join(' or ');
        result.differences.push({
          ...{ asset, what },
          truth: expected.reader === null ? truthText : `${truthText} because of ${expected.reader}`,
          answer: answer === undefined ? 'nothing' : textOf(answer),
        });
      }
      result.compared += 1;
    }
  }
  result.thefts = theftsIn(
    site,
    [...answers].sort(([a], [b]) => a - b).map(([, said]) => said),
  );
  return result;
}

/** @param answers in order of time. */
function theftsIn(site: PresenceDocument, answers: readonly (readonly PresenceAnswer[])[]): Theft[] {
  const overdue = Map.groupBy(
    answers.flat().filter(({ state }) => state === 'overdue'),
    ({ asset }) => asset,
  );
  return site.assets.flatMap((each) => {
    const { asset, taken_at: takenAt } = each;
    const taken = takenAt === null ? 0 : Date.parse(takenAt) - behindOf(site, each);
    const since = overdue.get(asset)?.find((said) => (said.since ?? 0) >= taken)?.since ?? null;
    const seconds = since === null ? null : (since - taken) / 1_000;
    return takenAt === null ? [] : [{ asset, taken_at: takenAt, found_after_seconds: seconds }];
  });
}

function textOf({ state, reader }: PresenceAnswer): string {
  return reader === null ? state : `${state} because of ${reader}`;
}

const INSTANTS = 12;

/** Milliseconds. */
const SETTLING = 5_000;
