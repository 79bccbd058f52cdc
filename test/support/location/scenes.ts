import fc from 'fast-check';
import type { Micros } from '../../../base/instant.ts';
import type { OracleScan, Outline, Plan, Setting, World } from '../../../simulation/location/oracle.ts';

/** An asset's scans at a site, for the oracle and for what is compared with it. */
export interface Scene {
  scans: OracleScan[];
  world: World;
}

/** The beginning of a bucket. */
export const START: Micros = Date.UTC(2026, 4, 1, 10) * 1_000;

const BUCKET: Micros = 500_000;

/** Locations are 1 to 6, each in one with a smaller number or in none. */
export const LOCATIONS = 6;

/** Antennas are 1 to 8, three to a reader. */
export const READERS = 3;

export const TAGS = [
  { tagType: 'ble', tagValue: 'C30000000001' },
  { tagType: 'ble', tagValue: 'C30000000002' },
  { tagType: 'rfid', tagValue: '1' },
] as const;

/** Metres that a plan is wide and high. */
export const PLAN_SIDE = 16;

const aLocation = fc.integer({ min: 1, max: LOCATIONS });

const someParents = fc
  .array(fc.option(fc.nat()), { minLength: LOCATIONS, maxLength: LOCATIONS })
  .map(
    (above) =>
      new Map(
        above.map((each, index) => [index + 1, each === null || index === 0 ? null : 1 + (each % index)]),
      ),
  );

/** Buckets: a silence is as long as a window reaches, or a bucket more or less. */
const aPause = fc.oneof(
  fc.nat({ max: 4 }),
  fc.constantFrom(8, 9, 10, 11, 18, 19, 28, 29, 30, 31, 38, 39, 58, 59, 60, 61, 117, 118, 119),
);

/** Within a bucket: at its borders, at a millisecond's, or anywhere. */
const anOffset = fc.oneof(
  fc.constantFrom(0, 1, 999, 1_000, 250_000, BUCKET - 1),
  fc.integer({ min: 0, max: BUCKET - 1 }),
);

const anInstant = fc
  .tuple(fc.integer({ min: 0, max: 60 }), anOffset)
  .map(([bucket, offset]) => START + bucket * BUCKET + offset);

export const aSetting: fc.Arbitrary<Setting> = fc
  .record({
    locationId: fc.option(aLocation, { freq: 3 }),
    from: fc.oneof({ arbitrary: fc.constant(START), weight: 3 }, { arbitrary: anInstant, weight: 2 }),
    by: fc.constantFrom('every', 'strength', 'strength', 'position', 'position', 'inherit'),
    certainty: fc.constantFrom(1, 1, 0.5, 2, 0.1),
    tagDbm: fc.constantFrom(null, -59, -70.5),
    tagKinds: fc.constantFrom<NonNullable<Setting['tagKinds']>>(
      [],
      [['C30000000002', -62]],
      [
        ['C30000000001', -50.5],
        ['C3', -70],
        ['1', -45],
      ],
    ),
  })
  .map(({ by, tagDbm, tagKinds, ...rest }) => ({
    ...rest,
    by: by === 'inherit' && rest.locationId === null ? 'every' : by,
    tagDbm: by === 'position' ? tagDbm : null,
    tagKinds: by === 'position' ? tagKinds : [],
  }));

/** At most one for a location and instant; nearly always one for all. */
const someSettings = fc
  .tuple(
    fc.constantFrom<Setting['by']>('strength', 'strength', 'position', 'position', 'every'),
    fc.constantFrom(1, 1, 0.5, 2),
    fc.array(aSetting, { maxLength: 4 }),
  )
  .map(([by, certainty, others]): Setting[] => {
    const all = [{ locationId: null, from: START - BUCKET, by, certainty, tagDbm: null }, ...others];
    return [...new Map(all.map((each) => [`${each.locationId} ${each.from}`, each])).values()];
  });

/** Often whole or half metres, so that centres of cells lie on borders. */
const aCoordinate = fc.oneof(
  fc.nat({ max: PLAN_SIDE * 2 }).map((halves) => halves / 2),
  fc.nat({ max: PLAN_SIDE * 16 }).map((parts) => parts / 16),
);

const aCorner = fc.tuple(aCoordinate, aCoordinate);

/** Rectangles, any three to six corners, one point. */
const anOutline: fc.Arbitrary<Outline> = fc.record({
  locationId: aLocation,
  corners: fc.oneof(
    fc.tuple(aCorner, aCorner).map(([[x1, y1], [x2, y2]]): Outline['corners'] => [
      [x1, y1],
      [x2, y1],
      [x2, y2],
      [x1, y2],
    ]),
    fc.array(aCorner, { minLength: 3, maxLength: 6 }),
    fc.array(aCorner, { minLength: 1, maxLength: 1 }),
  ),
});

const someOutlines = fc
  .uniqueArray(fc.tuple(anOutline, fc.nat({ max: 4 })), {
    ...{ minLength: 1, maxLength: 5 },
    selector: ([{ locationId }]) => locationId,
  })
  .map((drawn) =>
    drawn.map(([outline, dice], index): Outline => {
      const before = drawn[index - 1]?.[0];
      return dice === 0 && before !== undefined ? { ...outline, corners: before.corners } : outline;
    }),
  );

interface Hanging {
  locationId: number;
  /** The location that it is mapped to later. */
  later: { from: Micros; locationId: number } | null;
  offsetDb: number;
  heightM: number;
  /** By plan. */
  pins: (readonly [x: number, y: number] | null)[];
}

const someAntennas = fc.array(
  fc.record<Hanging>({
    locationId: aLocation,
    later: fc.oneof(
      { arbitrary: fc.constant(null), weight: 9 },
      { arbitrary: fc.record({ from: anInstant, locationId: aLocation }), weight: 1 },
    ),
    offsetDb: fc.constantFrom(0, 0, 0, 3, -3, 1.25, -0.1),
    heightM: fc.constantFrom(1, 1, 0, 2.4, 7),
    pins: fc.array(fc.option(aCorner, { freq: 4 }), { minLength: 2, maxLength: 2 }),
  }),
  { minLength: 1, maxLength: 8 },
);

const somePlans = fc.uniqueArray(
  fc.record({
    locationId: fc.oneof(fc.constant(1), aLocation),
    outlines: someOutlines,
  }),
  { maxLength: 2, selector: ({ locationId }) => locationId },
);

/** Reads of one antenna, one after another. */
const aRun = fc.record({
  antenna: fc.nat({ max: 7 }),
  pause: aPause,
  offset: anOffset,
  pace: fc.oneof(
    {
      arbitrary: fc.record({
        /** Microseconds; 0: tags at one instant. */
        every: fc.constantFrom(0, 300, 100_000, 166_667, 250_000, 500_000, 500_001, 1_000_000, 3_000_000),
        count: fc.integer({ min: 1, max: 12 }),
      }),
      weight: 7,
    },
    // More in a bucket than take part.
    {
      arbitrary: fc.record({
        every: fc.constantFrom(100, 250, 7_001),
        count: fc.integer({ min: 51, max: 64 }),
      }),
      weight: 1,
    },
  ),
  base: fc.oneof(fc.integer({ min: -63, max: -58 }), fc.integer({ min: -95, max: -40 })),
  pattern: fc.array(
    fc.oneof(
      { arbitrary: fc.constantFrom(0, 0, 1, -3, -6, 0.1, -2.5), weight: 7 },
      { arbitrary: fc.constant(null), weight: 1 },
    ),
    { minLength: 1, maxLength: 5 },
  ),
  hasNoRssi: fc.nat({ max: 7 }).map((dice) => dice === 0),
  tags: fc.subarray([0, 1, 2], { minLength: 1 }),
});

const aPersonsScan = fc.record({
  at: anInstant,
  /** At the instant of a read instead. */
  withRead: fc.option(fc.nat({ max: 99 }), { freq: 2 }),
  locationId: aLocation,
  isRetracted: fc.nat({ max: 2 }).map((dice) => dice === 0),
});

/** One to eight antennas, with and without RSSI and offsets, several tags; settings that change; a person in between. */
export const aScene: fc.Arbitrary<Scene> = fc
  .record({
    parents: someParents,
    settings: someSettings,
    hanging: someAntennas,
    drawn: somePlans,
    runs: fc.array(aRun, { minLength: 1, maxLength: 10 }),
    byPerson: fc.array(aPersonsScan, { maxLength: 3 }),
  })
  .map(({ parents, settings, hanging, drawn, runs, byPerson }) => {
    const antennas = hanging.map((each, index) => ({
      ...each,
      readerId: 1 + Math.floor(index / 3),
      antenna: 1 + (index % 3),
    }));
    const plans = drawn.map(
      (plan, index): Plan => ({
        ...plan,
        pins: antennas.flatMap(({ readerId, antenna, pins }) => {
          const [x, y] = pins[index] ?? [];
          return x === undefined || y === undefined ? [] : [{ readerId, antenna, x, y }];
        }),
      }),
    );
    const world: World = {
      parents,
      settings,
      antennas: antennas.map(({ readerId, antenna, offsetDb, heightM }) => ({
        readerId,
        antenna,
        offsetDb,
        heightM,
      })),
      plans,
    };
    const scans: OracleScan[] = [];
    let bucket = 0;
    for (const run of runs) {
      bucket += run.pause;
      const heardBy = antennas[run.antenna % antennas.length];
      for (let index = 0; index < run.pace.count && heardBy !== undefined; index++) {
        const at = START + bucket * BUCKET + run.offset + index * run.pace.every;
        const { readerId, antenna, later } = heardBy;
        const more = run.pattern[index % run.pattern.length] ?? null;
        scans.push({
          ...{ kind: 'read', at, readerId, antenna },
          ...(TAGS[run.tags[index % run.tags.length] ?? 0] ?? TAGS[0]),
          rssi: run.hasNoRssi || more === null ? null : run.base + more,
          locationId: later !== null && at >= later.from ? later.locationId : heardBy.locationId,
        });
      }
    }
    for (const [index, { at, withRead, ...scan }] of byPerson.entries()) {
      const read = withRead === null ? undefined : scans[withRead % scans.length];
      const tag = TAGS[index % 2] ?? TAGS[0];
      const submission = { handheldId: 1, submissionId: `S${index % 2}`, index } as const;
      scans.push({ kind: 'handheld', ...scan, ...tag, ...submission, at: read?.at ?? at });
    }
    return { scans, world };
  });
