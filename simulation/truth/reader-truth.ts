import { type Expected, NO_OUTCOMES } from './expected.ts';

export interface ReaderCounts {
  messages: number;
  messages_rejected: number;
  reads: number;
  recorded: number;
  duplicates: number;
  unknown: number;
  unplaced: number;
  rejected: number;
  ignored: number;
}

export const NO_COUNTS: ReaderCounts = {
  messages: 0,
  messages_rejected: 0,
  reads: 0,
  ...NO_OUTCOMES,
  ignored: 0,
};

/** Counts an acknowledged message. @param isRepeat it was acknowledged before: everything in it is a duplicate. */
export function countMessage(counts: ReaderCounts, message: Expected, isRepeat: boolean): void {
  const { outcomes, kind, publication } = message;
  const { unknown, unplaced, rejected } = outcomes;
  counts.messages += 1;
  counts.messages_rejected += kind === 'broken' ? 1 : 0;
  counts.ignored += publication.ignored;
  counts.recorded += isRepeat ? 0 : outcomes.recorded;
  counts.duplicates += outcomes.duplicates + (isRepeat ? outcomes.recorded : 0);
  counts.unknown += unknown;
  counts.unplaced += unplaced;
  counts.rejected += rejected;
  counts.reads += outcomes.recorded + outcomes.duplicates + unknown + unplaced + rejected;
}
