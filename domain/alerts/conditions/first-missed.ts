import { firstIndex } from '../../../base/first-index.ts';
import type { Micros } from '../../../base/instant.ts';
import type { MissedSweep } from './evidence.ts';

/** Finds the sweep that was the first to miss an asset, also among very many. */
export class FirstMissed {
  /** By location, in order of their begins; with each, the first to end of it and those after it. */
  readonly #byLocation: ReadonlyMap<number, readonly { began: Micros; first: MissedSweep }[]>;

  /** @param missedBy in order of their ends. */
  constructor(missedBy: readonly MissedSweep[]) {
    this.#byLocation = new Map(
      [...Map.groupBy(missedBy, ({ locationId }) => locationId)].map(([id, own]) => [id, firstToEnd(own)]),
    );
  }

  /** The first to end of those that began after an instant. */
  since(instant: Micros, locationId: number): MissedSweep | undefined {
    const own = this.#byLocation.get(locationId) ?? [];
    return own[firstIndex(0, own.length, (at) => (own[at]?.began ?? 0) > instant)]?.first;
  }
}

function firstToEnd(sweeps: readonly MissedSweep[]): { began: Micros; first: MissedSweep }[] {
  let first: { sweep: MissedSweep; order: number } | undefined;
  return sweeps
    .map((sweep, order) => ({ sweep, order }))
    .toSorted((a, b) => b.sweep.since - a.sweep.since)
    .map((each) => {
      first = first === undefined || each.order < first.order ? each : first;
      return { began: each.sweep.since, first: first.sweep };
    })
    .toReversed();
}
