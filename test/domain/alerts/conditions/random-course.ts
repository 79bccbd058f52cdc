import type { Kind } from '../../../../domain/alerts/rules/rule.ts';
import type { DatedWatch } from '../../../../domain/presence/coverage/watches.ts';
import type { Random } from '../../../support/random.ts';

/** Steps: minutes, at which everything happens. */
export const END = 120;
/** How long a reader may say nothing. */
export const EXPECTED = 12;
const PLACES = [0, 1, 2, 3, 4];
export const READERS = [0, 1, 2];

export interface Span {
  since: number;
  until: number;
}

/** One version of a rule. Places by index, times in steps. */
export interface Version {
  from: number;
  until: number | null;
  after: number;
  thenAfter: number | null;
  place: number;
  /** Working hours. */
  open: Span[] | null;
  isNamed: boolean;
  within: number | null;
  color: string | null;
}

/** What happens to one asset at a site, and a rule about it. */
export interface Course {
  kind: Exclude<Kind, 'reader'>;
  versions: Version[];
  /** Of each place, what it was below; a lower number always. */
  parents: { from: number; parent: number | null }[][];
  watches: DatedWatch[][];
  readerPlaces: number[];
  /** Of each reader, when it said something. */
  heard: number[][];
  reads: { at: number; place: number }[];
  sweeps: (Span & { id: string; place: number; misses: boolean })[];
  colors: { from: number; color: string }[];
  deletedAt: number | null;
}

export function randomCourse(random: Random): Course {
  const instant = () => random.below(END);
  const instants = (most: number) =>
    [...new Set(Array.from({ length: random.below(most + 1) }, instant))].sort((a, b) => a - b);
  const span = (most: number): Span => {
    const since = instant();
    return { since, until: since + 1 + random.below(most) };
  };
  const kind = random.pick(['overdue', 'overdue', 'dwell', 'dwell', 'not_allowed', 'must_be'] as const);
  const takesThen = kind === 'overdue' || kind === 'dwell';
  const starts = [random.once(2) ? -1_000 : instant(), ...instants(2)].sort((a, b) => a - b);
  return {
    kind,
    versions: [...new Set(starts)].map((from, index, all) => {
      const after = kind === 'not_allowed' ? 0 : (takesThen ? 1 : 0) + random.below(15);
      const next = all[index + 1] ?? null;
      return {
        ...{ from, after, place: random.pick(PLACES) },
        until: random.once(4) ? from + 1 + random.below(Math.max(1, (next ?? END) - from)) : next,
        thenAfter: takesThen && random.once(2) ? after + 1 + random.below(25) : null,
        open: kind === 'must_be' && random.once(2) ? [span(40), span(40)] : null,
        isNamed: !random.once(8),
        within: random.once(4) ? random.pick(PLACES) : null,
        color: random.once(4) ? 'red' : null,
      };
    }),
    parents: PLACES.map((place) =>
      [-1_000, ...instants(1)].map((from) => ({
        from,
        parent: place === 0 || random.once(3) ? null : random.below(place),
      })),
    ),
    watches: PLACES.map(() =>
      [random.once(4) ? instant() : -1_000, ...instants(1)]
        .sort((a, b) => a - b)
        .filter((from, index, all) => from !== all[index - 1])
        .map(
          (from): DatedWatch =>
            random.once(5)
              ? { from, mode: 'portal', maxGap: null, coverage: 'all' }
              : { from, mode: 'continuous', maxGap: null, coverage: random.pick(['all', 'any']) },
        ),
    ),
    readerPlaces: READERS.map(() => random.below(3)),
    heard: READERS.map(() => instants(random.pick([10, 40, 40]))),
    reads: instants(random.pick([3, 12])).map((at) => ({ at, place: random.below(random.pick([2, 3, 5])) })),
    sweeps: Array.from({ length: random.below(3) }, (_, index) => ({
      ...span(10),
      ...{ id: `S${index}`, place: random.pick([0, 1, 2]), misses: !random.once(4) },
    })),
    colors: [{ from: -1_000, color: random.pick(['red', 'blue']) }].concat(
      instants(2).map((from) => ({ from, color: random.pick(['red', 'blue']) })),
    ),
    deletedAt: random.once(6) ? instant() : null,
  };
}
