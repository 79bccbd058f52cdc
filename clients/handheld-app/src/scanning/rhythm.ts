/** Bounds of the learned pause limit (`scanner-pace.ts`). */
export const SHORTEST_LIMIT_MS = 75;
export const LONGEST_LIMIT_MS = 250;

/** Longest time a machine needs per character. Quick typists need 80 ms and more, but may hit two keys at once. */
const QUICK_MS = 75;
const FEWEST_CHARACTERS = 3;
/** Nobody types this many as quickly. Fewer, in a text field, may be a person's. */
const SURELY_A_MACHINE = 6;
/** Bluetooth pauses between packets; most gaps in a scan are quick all the same. */
const MOST_SLOW = 0.3;

/**
 * Classification of typing by rhythm. `slow` is what no person types: many characters outside of a field. `from` is the
 * machine's first character; those before it are a person's.
 */
export type Rhythm =
  | { kind: 'typing' }
  | { kind: 'slow' }
  | { kind: 'whole' }
  | { kind: 'pieces'; from: number };

const TYPING: Rhythm = { kind: 'typing' };

/**
 * Tells a whole scan from one in pieces and from typing.
 *
 * 1. Nothing in it, its end included, took longer than the limit: it is whole if it was typed steadily.
 * 2. Otherwise what came after the pause may be the tail of a value, and so the tag of another asset: it is in pieces
 * if a machine typed any piece, or most of it.
 *
 * @param gaps milliseconds before each character but the first.
 * @param endGap before the end.
 */
export function rhythmOf(
  gaps: readonly number[],
  endGap: number,
  { limit, isInField }: { limit: number; isInField: boolean },
): Rhythm {
  const count = gaps.length + 1;
  const fewest = isInField ? SURELY_A_MACHINE : FEWEST_CHARACTERS;
  if (count < FEWEST_CHARACTERS) {
    return TYPING;
  }
  if (gaps.every((gap) => gap <= limit) && isSteady(gaps)) {
    if (endGap <= limit) {
      return { kind: 'whole' };
    }
    return count < fewest ? TYPING : { kind: 'pieces', from: 0 };
  }
  const pieces = piecesOf(gaps, limit);
  const isMachines =
    pieces.some((piece) => piece.length + 1 >= fewest && isSteady(piece)) ||
    (count >= SURELY_A_MACHINE && shareOfSlow(gaps) <= MOST_SLOW) ||
    (!isInField && shareOfSlow(gaps) <= 0.5);
  if (isMachines && !isLedByPerson(gaps)) {
    return { kind: 'pieces', from: 0 };
  }
  const tail = gaps.length - 1 - gaps.findLastIndex((gap) => gap > QUICK_MS);
  const isTailMachines = tail + 1 >= FEWEST_CHARACTERS && endGap <= (isInField ? QUICK_MS : limit);
  if (isMachines || isTailMachines) {
    return { kind: 'pieces', from: gaps.length - tail };
  }
  return isInField || count < SURELY_A_MACHINE ? TYPING : { kind: 'slow' };
}

/** Whether a machine began the unfinished scan. */
export function isBegunByMachine(gaps: readonly number[], limit: number): boolean {
  return piecesOf(gaps, limit).some((piece) => piece.length + 1 >= FEWEST_CHARACTERS && isSteady(piece));
}

/** Mostly quick, without two pauses around a single character, as when a person types. */
export function isSteady(gaps: readonly number[]): boolean {
  const isLonely = gaps.some((gap, index) => gap > QUICK_MS && (gaps[index - 1] ?? 0) > QUICK_MS);
  return !isLonely && shareOfSlow(gaps) <= MOST_SLOW;
}

/** Whether single characters came first, typed into the field before the trigger was pulled. */
function isLedByPerson([first = 0, second = 0]: readonly number[]): boolean {
  return first > QUICK_MS && second > QUICK_MS;
}

function shareOfSlow(gaps: readonly number[]): number {
  return gaps.length === 0 ? 1 : gaps.filter((gap) => gap > QUICK_MS).length / gaps.length;
}

/** Gaps within each piece between pauses beyond the limit. */
function piecesOf(gaps: readonly number[], limit: number): number[][] {
  const pieces: number[][] = [[]];
  for (const gap of gaps) {
    if (gap > limit) {
      pieces.push([]);
    } else {
      pieces.at(-1)?.push(gap);
    }
  }
  return pieces;
}
