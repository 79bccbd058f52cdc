import type { Data } from './types.ts';
/** Outcomes of the reads of replayed messages. */
export type ReplayedReads = Pick<
  Data<'POST /rejected/replay'>,
  'recorded' | 'duplicates' | 'unknown' | 'unplaced'
>;

export const NO_READS: ReplayedReads = { recorded: 0, duplicates: 0, unknown: 0, unplaced: 0 };

export function sumOfReads(one: ReplayedReads, other: ReplayedReads): ReplayedReads {
  return {
    recorded: one.recorded + other.recorded,
    duplicates: one.duplicates + other.duplicates,
    unknown: one.unknown + other.unknown,
    unplaced: one.unplaced + other.unplaced,
  };
}
