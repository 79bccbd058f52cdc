/** Repeatable randomness: one seed gives the same numbers in the same order, on any machine. */
export interface Random {
  /** In [0, 1). */
  fraction(): number;
  /** Both bounds included. */
  integer(min: number, max: number): number;
  /** True with this probability. */
  chance(share: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
}

/** @param seed 0 to 4294967295. */
export function createRandom(seed: number): Random {
  // Mulberry32: 32 bits of state, good enough for moving pallets about.
  let state = seed >>> 0;
  const fraction = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (min: number, max: number) => min + Math.floor(fraction() * (max - min + 1));
  return {
    fraction,
    integer,
    chance: (share) => fraction() < share,
    pick: (items) => {
      const picked = items[integer(0, items.length - 1)];
      if (picked === undefined) {
        throw new RangeError('nothing to pick from');
      }
      return picked;
    },
  };
}

/** Standard normal, after Box and Muller. */
export function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random.fraction())) * Math.cos(2 * Math.PI * random.fraction());
}
