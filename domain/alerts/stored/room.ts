/**
 * Alerts of an organization that are raised within an hour while their conditions hold, and as many that are over by the time
 * they are found: more than anybody looks at, and few enough that others share the database with it. 200 rules that each find
 * 20,000 assets would raise four million.
 */
export const MOST_RAISED = 20_000;

/** Each rule may raise this many, whatever others raise. */
export const FIRST_OF_RULE = 100;

/** With the first ones of 200 rules. */
const MOST_AT_ALL = 3 * MOST_RAISED;

export interface Raised {
  /** They held when they were raised. */
  holding: number;
  over: number;
}

/**
 * How many more alerts an organization may raise, by rule. A rule may raise half of what the others leave, and its
 * first ones in any case. Alerts that are over count separately: a rule dated back finds many of them at once, and
 * ongoing alerts must not wait for them.
 */
export class Room {
  readonly #raised: Map<string, Raised>;

  /** @param raised within the last hour, by rule. */
  constructor(raised: ReadonlyMap<string, Raised>) {
    this.#raised = new Map([...raised].map(([ruleId, counts]) => [ruleId, { ...counts }]));
  }

  /** @returns how many of them may be raised; these are counted from now on. */
  take(ruleId: string, kind: keyof Raised, wanted: number): number {
    const own = this.#raised.get(ruleId) ?? { holding: 0, over: 0 };
    const all = this.#all();
    const left = MOST_RAISED - (all[kind] - own[kind]);
    // An alert raised as ongoing that turns out to have ended earlier still takes up an "ongoing" slot.
    const excess = kind === 'holding' ? Math.max(0, all.over - MOST_RAISED) : 0;
    const share = Math.floor((left - excess) / 2) - own[kind];
    const first = FIRST_OF_RULE - own.holding - own.over;
    const taken = Math.max(0, Math.min(wanted, Math.max(share, first), MOST_AT_ALL - all.holding - all.over));
    this.#raised.set(ruleId, { ...own, [kind]: own[kind] + taken });
    return taken;
  }

  #all(): Raised {
    const all = { holding: 0, over: 0 };
    for (const { holding, over } of this.#raised.values()) {
      all.holding += holding;
      all.over += over;
    }
    return all;
  }
}
