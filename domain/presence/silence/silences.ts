import { firstIndex } from '../../../base/first-index.ts';
import type { Micros } from '../../../base/instant.ts';
import type { DatedExpectation } from '../expectations.ts';
import type { Heard, Interval } from '../intervals.ts';
import { watchedSince } from './watched-time.ts';

export interface Silence {
  since: Micros;
  /** Null if it is not over. */
  until: Micros | null;
}

export interface Evidence {
  /** Sorted and disjoint. */
  heard: readonly Heard[];
  /** Sorted, each until the next. */
  expectations: readonly DatedExpectation[];
  /** When ingestion could hear; sorted and disjoint. */
  watched: readonly Interval[];
  /** When the reader was deleted; nothing is expected of it any more. */
  deletedAt: Micros | null;
}

/**
 * When a reader was silent: at every instant at which at least as much watched time has passed since its last message as
 * is expected of it then. So silence begins when it should have been heard, not at its last message, and ends with the
 * next one, or when more patience is set.
 *
 *     heard     ####  #                        ##
 *     watched   ------------    ---------------------
 *     expected        |---- 5 --  --|
 *     silent                        |---------|
 *
 * The last one is not over while nothing says so.
 */
export function silencesOf({ heard, expectations, watched, deletedAt }: Evidence): Silence[] {
  const silences: Silence[] = [];
  for (const [at, { until: since }] of heard.entries()) {
    const next = earlier(heard[at + 1]?.since ?? null, deletedAt);
    const first = firstIndex(
      0,
      expectations.length,
      (which) => (expectations[which + 1]?.from ?? since + 1) > since,
    );
    for (let which = first; which < expectations.length; which++) {
      const { from, expected } = expectations[which] as DatedExpectation;
      if (next !== null && from >= next) {
        break;
      }
      const due = expected === null ? null : watchedSince(watched, since, expected);
      if (due === null) {
        continue;
      }
      const begin = Math.max(due, from);
      const end = earlier(expectations[which + 1]?.from ?? null, next);
      const last = silences.at(-1);
      if (end !== null && end <= begin) {
        continue;
      }
      if (last?.until === begin && begin > since) {
        last.until = end;
      } else {
        silences.push({ since: begin, until: end });
      }
    }
  }
  return silences;
}

function earlier(one: Micros | null, other: Micros | null): Micros | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}
