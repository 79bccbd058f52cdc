import type { AssetRecord, HistoryRow } from './truth/asset-record.ts';

export interface Difference {
  asset: string;
  what: string;
  truth: string;
  answer: string;
}

/** All differences between truth and answers; empty if they agree. */
export function compare(truth: readonly AssetRecord[], answer: readonly AssetRecord[]): Difference[] {
  const answered = new Map(answer.map((record) => [record.asset, record]));
  const known = new Set(truth.map(({ asset }) => asset));
  return [
    ...truth.flatMap((record) => compareAsset(record, answered.get(record.asset))),
    ...answer
      .filter(({ asset }) => !known.has(asset))
      .map(({ asset }) => ({ asset, what: 'asset', truth: NOTHING, answer: 'there' })),
  ];
}

/** A true row beside the answered row of the same moment; null where one is missing. */
export interface RowPair {
  truth: HistoryRow | null;
  answer: HistoryRow | null;
  agrees: boolean;
}

/** Two histories side by side in order of time. */
export function pairRows(truth: readonly HistoryRow[], answer: readonly HistoryRow[]): RowPair[] {
  const pairs: RowPair[] = [];
  const left = [...truth];
  const right = [...answer];
  for (;;) {
    const [a = null] = left;
    const [b = null] = right;
    if (a === null && b === null) {
      return pairs;
    }
    const isTrueNow = a !== null && (b === null || a.at <= b.at);
    const isAnsweredNow = b !== null && (a === null || b.at <= a.at);
    pairs.push({
      truth: isTrueNow ? a : null,
      answer: isAnsweredNow ? b : null,
      agrees:
        isTrueNow && isAnsweredNow && a.location === b.location && a.durationSeconds === b.durationSeconds,
    });
    if (isTrueNow) {
      left.shift();
    }
    if (isAnsweredNow) {
      right.shift();
    }
  }
}

function compareAsset(truth: AssetRecord, answer: AssetRecord | undefined): Difference[] {
  const { asset } = truth;
  if (answer === undefined) {
    return [{ asset, what: 'asset', truth: 'there', answer: NOTHING }];
  }
  const facts: [what: string, truth: string, answer: string][] = [
    ['current location', currentText(truth), currentText(answer)],
    ['last seen', truth.current?.lastSeen ?? NOTHING, answer.current?.lastSeen ?? NOTHING],
  ];
  return [
    ...facts
      .filter(([, is, said]) => is !== said)
      .map(([what, is, said]) => ({ asset, what, truth: is, answer: said })),
    ...historyDifferences(truth.history, answer.history).map((difference) => ({
      asset,
      what: 'history row',
      ...difference,
    })),
  ];
}

/** Rows that are not the same in both. */
export function historyDifferences(
  truth: readonly HistoryRow[],
  answer: readonly HistoryRow[],
): Pick<Difference, 'truth' | 'answer'>[] {
  return pairRows(truth, answer)
    .filter(({ agrees }) => !agrees)
    .map((pair) => ({ truth: rowText(pair.truth), answer: rowText(pair.answer) }));
}

/** An asset at an unnamed location is not the same as an asset that is not reported. */
function currentText({ current }: AssetRecord): string {
  return current === null ? NOTHING : (current.location ?? 'no location');
}

function rowText(row: HistoryRow | null): string {
  if (row === null) {
    return NOTHING;
  }
  const duration = row.durationSeconds === null ? 'first' : `after ${row.durationSeconds} s`;
  return `${row.at} ${row.location} ${duration}`;
}

const NOTHING = 'nothing';
