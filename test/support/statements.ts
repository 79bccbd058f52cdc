import fc from 'fast-check';
import { type DecidedTransition, history, type Transition } from '../../domain/tracking/history/history.ts';
import type { ObservedPosition } from '../../domain/tracking/history/metric-position.ts';
import type { PlanParts } from '../../domain/tracking/location/position.ts';
import { type DatedSetting, type Setting, Site } from '../../domain/tracking/location/site.ts';
import { type Seen, statementsOf } from '../../domain/tracking/location/stated-locations.ts';
import { anInstant, START } from './sightings.ts';

const SECOND = 1_000_000;

const aSetting: fc.Arbitrary<Setting> = fc.oneof(
  {
    arbitrary: fc.record({ procedure: fc.constant('strength' as const), certainty: aCertainty() }),
    weight: 4,
  },
  {
    arbitrary: fc.record({
      procedure: fc.constant('position' as const),
      certainty: aCertainty(),
      tagDbm: fc.constantFrom(-55, -40),
    }),
    weight: 2,
  },
  { arbitrary: fc.constant({ procedure: 'every' as const }), weight: 1 },
);

function aCertainty(): fc.Arbitrary<number> {
  return fc.constantFrom(0.5, 1, 2);
}

/** Settings of an organization and of some of its locations, some from before the sightings and some amid them. */
export const someSettings: fc.Arbitrary<DatedSetting[]> = fc.array(
  fc
    .record({
      locationId: fc.option(fc.integer({ min: 1, max: 3 }), { freq: 2 }),
      validFrom: fc.oneof(fc.constant(START - SECOND), anInstant),
      setting: fc.oneof(
        { arbitrary: aSetting, weight: 5 },
        { arbitrary: fc.constant('inherit' as const), weight: 1 },
      ),
    })
    .map((dated) =>
      dated.locationId === null && dated.setting === 'inherit'
        ? { ...dated, setting: { procedure: 'every' as const } }
        : dated,
    ),
  { maxLength: 4 },
);

/** Settings by which reads have to be proven, and others that are made amid the reads. */
export const provingSettings: fc.Arbitrary<DatedSetting[]> = fc
  .tuple(
    aSetting.map((setting): DatedSetting => ({ locationId: null, validFrom: START - SECOND, setting })),
    fc.oneof(
      { arbitrary: fc.constant<DatedSetting[]>([]), weight: 2 },
      { arbitrary: someSettings, weight: 1 },
    ),
  )
  .map(([first, more]) => [first, ...more]);

/** Three rooms side by side and one without an antenna; the third has its antenna on no plan. */
const PLAN: PlanParts = {
  locationId: 9,
  places: [1, 2, 3, 4].map((locationId, index) => ({
    locationId,
    corners: [
      { x: 4 * index, y: 0 },
      { x: 4 * index + 4, y: 0 },
      { x: 4 * index + 4, y: 3 },
      { x: 4 * index, y: 3 },
    ],
  })),
  antennas: [
    { readerId: 1, antenna: 1, x: 2, y: 1 },
    { readerId: 2, antenna: 1, x: 6, y: 1 },
  ],
};

/** Of locations 1 to 3, which readers of the same number are at. */
export function siteWith(settings: readonly DatedSetting[]): Site {
  return new Site({
    settings,
    parents: new Map([1, 2, 3, 4].map((id) => [id, PLAN.locationId])),
    antennas: [{ readerId: 2, antenna: 1, offsetDb: 1.5, heightM: 2 }],
    plans: [PLAN],
  });
}

/** The history of all scans of an asset, where no plan has a scale and locations are not nested. */
export async function historyOfStatements(
  seen: readonly Seen[],
  settings: readonly DatedSetting[],
): Promise<Transition[]> {
  const { history: decided } = await decidedByAll(seen, new Site({ settings }));
  return decided.map(({ observedAt, locationId, durationSeconds }) => ({
    ...{ observedAt, locationId, durationSeconds },
  }));
}

/** What all scans of an asset together make of it: one history and one position, whatever the order in which they came. */
export async function decidedByAll(
  seen: readonly Seen[],
  site: Site,
): Promise<{ history: DecidedTransition[]; newest: ObservedPosition | null }> {
  const { statements, positions } = await statementsOf(seen, site);
  const proven = statements.map(({ rule, ...statement }) =>
    rule === 'person' || rule === 'every'
      ? statement
      : { ...statement, scan: { ...statement.scan, proof: rule } },
  );
  return { history: history(proven), newest: positions.at(-1) ?? null };
}
