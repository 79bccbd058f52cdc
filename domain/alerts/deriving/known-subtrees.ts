import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { Interval } from '../../presence/intervals.ts';
import { loadSubtrees, rootsOf, type Subtrees } from '../conditions/load-subtrees.ts';
import type { DatedRule } from '../rules/rule.ts';

/** The locations in the subtrees that rules are about. Each is asked for once, because a turn asks several times. */
export class KnownSubtrees {
  readonly #rootIds: readonly number[];
  readonly #locationIds = new Set<number>();
  readonly #subtrees = new Map<number, Map<number, readonly Interval[]>>();

  constructor(rules: readonly DatedRule[]) {
    this.#rootIds = rootsOf(rules);
  }

  /** To be called when the tree has changed. */
  forget(): void {
    this.#locationIds.clear();
    this.#subtrees.clear();
  }

  async load(db: Connection, orgId: number, locationIds: readonly number[]): Promise<Subtrees> {
    const unknown = locationIds.filter((id) => !this.#locationIds.has(id));
    for (const [rootId, below] of await loadSubtrees(db, orgId, this.#rootIds, unknown)) {
      const known = this.#subtrees.get(rootId) ?? new Map();
      this.#subtrees.set(rootId, known);
      for (const [id, during] of below) {
        known.set(id, during);
      }
    }
    for (const id of unknown) {
      this.#locationIds.add(id);
    }
    return this.#subtrees;
  }
}
