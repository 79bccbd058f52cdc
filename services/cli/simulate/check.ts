import { compare } from '../../../simulation/compare.ts';
import type { AssetRecord } from '../../../simulation/truth/asset-record.ts';
import type { ReaderDocument, TruthDocument } from '../../../simulation/truth/document.ts';
import { NO_COUNTS, type ReaderCounts } from '../../../simulation/truth/reader-truth.ts';
import { settled } from '../../../simulation/truth/settled.ts';

/** An installation's answers. */
export interface Answer {
  assets: readonly AssetRecord[];
  /** By name; null if they cannot be asked for. */
  readers: ReadonlyMap<string, ReaderCounts> | null;
}

/** A difference between an installation and the truth. */
export interface Difference {
  /** External key of an asset or name of a reader. */
  of: string;
  what: string;
  truth: string;
  answer: string;
}

export interface CheckResult {
  /** Number compared. */
  assets: number;
  rows: number;
  readers: number;
  /** Assets and readers whose truth is undecided. */
  undecided: string[];
  differences: Difference[];
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
    undecided: [
      ...truth.assets.filter(({ undecided }) => undecided !== null).map(({ asset }) => asset),
      ...inexact.map(({ reader }) => reader),
    ],
    differences: [
      ...compare(truths, answered).map(({ asset, ...difference }) => ({ of: asset, ...difference })),
      ...readers.flatMap((reader) => compareCounts(reader, answer.readers?.get(reader.reader))),
    ],
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
