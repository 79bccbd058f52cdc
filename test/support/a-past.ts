import fc from 'fast-check';

export const LAST = 30;
export const PLACES = 4;
export const ASSETS = 3;
const BATCHES = 4;
const READS = 10;

const anInstant = fc.nat({ max: LAST });

/** So that stays of several scans are frequent. */
function oftenFirst(count: number): fc.Arbitrary<number> {
  return fc.nat({ max: 2 * count - 1 }).map((number) => (number < count ? number : 0));
}

/** What happened, in the order in which it was recorded; by numbers of assets, places and instants. */
export const aPast = fc.record({
  batches: fc.array(
    fc.record({
      reads: fc.array(
        fc.record({
          asset: oftenFirst(ASSETS),
          place: oftenFirst(PLACES),
          at: anInstant,
          isByHandheld: fc.boolean(),
        }),
        { minLength: 1, maxLength: READS },
      ),
      /** Afterwards, see {@link takenBackAfter}. */
      takenBack: fc.array(
        fc.record({ batch: fc.nat({ max: BATCHES - 1 }), read: fc.nat({ max: READS - 1 }) }),
        { maxLength: 6 },
      ),
      isSealed: fc.boolean(),
    }),
    { minLength: 1, maxLength: BATCHES },
  ),
  /** After which batch an asset was made that nobody saw. */
  madeAfter: fc.nat({ max: BATCHES - 1 }),
  /** When a place was put below one with a smaller number, or nothing. */
  moved: fc.array(
    fc.record({ place: fc.nat({ max: PLACES - 1 }), below: fc.nat({ max: PLACES - 1 }), at: anInstant }),
    { maxLength: 6 },
  ),
  /** Of each asset when it was deleted: never, at an instant, or after everything was recorded. */
  deleted: fc.array(fc.oneof(fc.constant(null), anInstant, fc.constant('late' as const)), {
    minLength: ASSETS,
    maxLength: ASSETS,
  }),
});
export type APast = typeof aPast extends fc.Arbitrary<infer Value> ? Value : never;

/** The scans by handhelds that are taken back after a batch, of any batch, also of one that is still to come. */
export function takenBackAfter({ batches }: APast, batch: number): { batch: number; read: number }[] {
  return (batches[batch]?.takenBack ?? []).flatMap((each) => {
    const of = each.batch % batches.length;
    const reads = batches[of]?.reads ?? [];
    const read = each.read % reads.length;
    return reads[read]?.isByHandheld === true ? [{ batch: of, read }] : [];
  });
}

/** What narrows a report; how much of the past was recorded by when it is asked (null: all, and `known_at` is not given). */
export const aQuestion = fc.record({
  assets: fc.option(fc.uniqueArray(fc.nat({ max: ASSETS - 1 }), { minLength: 1, maxLength: 2 })),
  places: fc.option(fc.uniqueArray(fc.nat({ max: PLACES - 1 }), { minLength: 1, maxLength: 2 })),
  byKey: fc.boolean(),
  include_descendants: fc.boolean(),
  include_deleted: fc.boolean(),
  knownBatches: fc.option(fc.nat({ max: BATCHES - 1 })),
  limit: fc.integer({ min: 1, max: 4 }),
});
export type AQuestion = typeof aQuestion extends fc.Arbitrary<infer Value> ? Value : never;
