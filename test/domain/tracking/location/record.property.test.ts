import { expect } from 'chai';
import fc from 'fast-check';
import type { Transition } from '../../../../domain/tracking/history/history.ts';
import {
  sitesToTry,
  type TriedAsset,
  tryOnAssets,
} from '../../../../domain/tracking/location/try-on-assets.ts';
import type { Period, TriedMove } from '../../../../domain/tracking/location/try-setting.ts';
import { recomputeOrganization } from '../../../../domain/tracking/recompute/recompute-organization.ts';
import type { OracleScan, PersonScan, Setting, World } from '../../../../simulation/location/oracle.ts';
import { useDatabase } from '../../../support/database.ts';
import { aScene, aSetting, type Scene, START, TAGS } from '../../../support/location/scenes.ts';
import { type StoredAsset, StoredScene } from '../../../support/location/stored-scene.ts';
import { randomSets } from '../../../support/random-sets.ts';
import { aMemory, type Memory, memoriesOf, record, storedHistory } from '../../../support/recording.ts';
import { expectFeedToFold, recordAndLook } from '../../../support/unsealed-moves.ts';
import { aLongWalk, type RandomRead } from './passing.ts';

/** Where others share the processor, fewer sets are tried; and what fails says so, however long making it smaller takes. */
const LONGEST_MS = 60_000 * Math.max(1, Number(process.env['TEST_SHARE'] ?? 1));

const ARRIVALS = [
  'in order',
  'nearly in order',
  'shuffled',
  'doubled',
  'in late pieces',
  'all at once',
] as const;

/** Scans that come together, or one that is taken back. */
type Step = { scans: OracleScan[] } | { takenBack: PersonScan };

describe('recording random scenes', function () {
  this.timeout(5 * LONGEST_MS);

  const database = useDatabase();

  it("ends in the oracle's rows, position and metres, however scans arrive (up to 300 scenes, two writers)", async () => {
    const property = fc.asyncProperty(aScene, fc.infiniteStream(fc.nat()), async (scene, random) => {
      const next = () => random.next().value ?? 0;
      const stored = await StoredScene.create(database, scene.world);
      await stored.set(scene.world.settings);
      const arrival = ARRIVALS[next() % ARRIVALS.length] ?? 'in order';
      const [memory, ...memories] = memoriesOf(next);

      const alone = await stored.asset();
      const looks = [];
      for (const step of arriving(scene, arrival, next)) {
        if ('takenBack' in step) {
          await stored.takeBack(alone, step.takenBack);
        } else {
          const batch = step.scans.map((scan) => stored.scanOf(alone, scan));
          looks.push(await recordAndLook(database, batch, alone.id, memory));
        }
      }
      await stored.expectOutcome(alone, scene.scans);
      await expectFeedToFold(database, alone.id, looks);

      const contested = await stored.asset();
      const dealt = Object.groupBy(arriving(scene, arrival, next), () =>
        next() % 2 === 0 ? 'one' : 'other',
      );
      await Promise.all([
        recordAll(stored, contested, scansIn(dealt.one), memories[0]),
        recordAll(stored, contested, scansIn(dealt.other), memories[1]),
      ]);
      for (const scan of retracted(scene)) {
        await stored.takeBack(contested, scan);
      }
      await stored.expectOutcome(contested, scene.scans);
    });
    await fc.assert(property, { numRuns: randomSets(300), interruptAfterTimeLimit: LONGEST_MS });
  });

  it("ends in the oracle's rows when recorded scans are computed again under new settings (up to 100 scenes)", async () => {
    const property = fc.asyncProperty(aScene, fc.infiniteStream(fc.nat()), async (scene, random) => {
      const stored = await StoredScene.create(database, scene.world);
      const asset = await stored.asset();
      await recordAll(stored, asset, scansIn(arriving(scene, 'shuffled', () => random.next().value ?? 0)));
      for (const scan of retracted(scene)) {
        await stored.takeBack(asset, scan);
      }
      await stored.set(scene.world.settings);
      await recomputeOrganization(database.pool, stored.orgId);
      await stored.expectOutcome(asset, scene.scans);
    });
    await fc.assert(property, { numRuns: randomSets(100), interruptAfterTimeLimit: LONGEST_MS });
  });

  it("ends in the oracle's rows where an asset is read often, and an antenna is cut off (up to 30 walks)", async () => {
    const property = fc.asyncProperty(
      aLongWalk,
      fc.constantFrom('strength', 'position'),
      async (batches, by) => {
        const stored = await StoredScene.create(database, ROW_OF_ROOMS);
        const settings = [{ locationId: null, from: START, by, certainty: 1, tagDbm: null } as const];
        await stored.set(settings);
        const asset = await stored.asset();
        const scans = batches.map((batch) => batch.map(walked));
        await recordAll(stored, asset, scans, aMemory());
        await stored.expectOutcome(asset, scans.flat(), settings);
      },
    );
    await fc.assert(property, { numRuns: randomSets(30), interruptAfterTimeLimit: LONGEST_MS });
  });

  it('holds to settings that are made meanwhile, by their dates (up to 100 scenes, two writers)', async () => {
    const met = { past: 0, ahead: 0 };
    const property = fc.asyncProperty(aScene, fc.infiniteStream(fc.nat()), async (scene, random) => {
      const next = () => random.next().value ?? 0;
      const stored = await StoredScene.create(database, scene.world);
      const asset = await stored.asset();
      const [, ...memories] = memoriesOf(next);
      const dealt = Object.groupBy(arriving(scene, 'nearly in order', next), () =>
        next() % 2 === 0 ? 'one' : 'other',
      );
      const made: Setting[] = [];
      const setAll = async () => {
        const possible = scene.world.settings.filter(
          (each) => each.by !== 'position' || hasPlan(scene, each),
        );
        for (const setting of possible) {
          const { settingId, validFrom, isPast } = await stored.setMeanwhile(setting);
          if (settingId !== null) {
            made.push({ ...setting, from: validFrom });
            met[isPast ? 'past' : 'ahead'] += 1;
          }
        }
      };
      await Promise.all([
        recordAll(stored, asset, scansIn(dealt.one), memories[0]),
        setAll(),
        recordAll(stored, asset, scansIn(dealt.other), memories[1]),
      ]);
      for (const scan of retracted(scene)) {
        await stored.takeBack(asset, scan);
      }
      await recomputeWhereAsked(stored);
      await stored.expectOutcome(asset, scene.scans, made);
    });
    await fc.assert(property, { numRuns: randomSets(100), interruptAfterTimeLimit: LONGEST_MS });
    expect(Math.min(met.past, met.ahead)).to.be.at.least(1);
  });

  it('gives, once a setting is made, the moves that trying it gave (up to 100 scenes)', async () => {
    const met = { kept: 0, disappearing: 0, appearing: 0 };
    const property = fc.asyncProperty(
      aScene,
      aSetting,
      fc.infiniteStream(fc.nat()),
      async (scene, wanted, random) => {
        const next = () => random.next().value ?? 0;
        fc.pre(wanted.by !== 'position' || hasPlan(scene, wanted));
        const stored = await StoredScene.create(database, scene.world);
        // A trial takes the place of later ones of the location; they would end the setting.
        const isLater = ({ locationId, from }: Setting) =>
          locationId === wanted.locationId && from > wanted.from;
        await stored.set(scene.world.settings.filter((each) => !isLater(each)));
        const asset = await stored.asset();
        await recordAll(stored, asset, scansIn(arriving(scene, 'shuffled', next)));
        for (const scan of retracted(scene)) {
          await stored.takeBack(asset, scan);
        }
        const { at: last } = scene.scans[next() % scene.scans.length] ?? { at: 0 };
        const period = {
          from: wanted.from,
          to: next() % 2 === 0 ? Number.MAX_SAFE_INTEGER : Math.max(last, wanted.from),
        };
        const trial = { ...stored.tried(wanted), period, assetId: null };
        const tried: TriedAsset[] = [];
        for await (const part of tryOnAssets(database.pool, trial, await sitesToTry(database.pool, trial))) {
          tried.push(part);
        }
        const of = (...kinds: (keyof typeof met)[]) =>
          tried
            .flatMap((part) => kinds.flatMap((kind) => part[kind]))
            .sort((a, b) => a.observedAt - b.observedAt);
        const before = movesIn(await storedHistory(database, asset.id), period);
        await stored.setMeanwhile(wanted);
        await recomputeWhereAsked(stored);
        const after = movesIn(await storedHistory(database, asset.id), period);
        const isTried = tried.length > 0;
        expect(isTried ? of('kept', 'disappearing') : after).to.deep.equal(before);
        expect(isTried ? of('kept', 'appearing') : before).to.deep.equal(after);
        for (const kind of ['kept', 'disappearing', 'appearing'] as const) {
          met[kind] += of(kind).length;
        }
      },
    );
    await fc.assert(property, { numRuns: randomSets(100), interruptAfterTimeLimit: LONGEST_MS });
    expect(met.kept + met.disappearing + met.appearing).to.be.at.least(1);
  });

  /** As the worker does. */
  async function recomputeWhereAsked({ orgId }: StoredScene): Promise<void> {
    const asked = await database.rows<{ settingId: number }>(
      'select setting_id as "settingId" from history_recomputations where org_id = $1 and finished_at is null',
      [orgId],
    );
    for (const { settingId } of asked) {
      await recomputeOrganization(database.pool, orgId, { settingId });
    }
  }

  async function recordAll(
    stored: StoredScene,
    asset: StoredAsset,
    batches: readonly OracleScan[][],
    memory?: Memory,
  ): Promise<void> {
    for (const batch of batches) {
      const scans = batch.map((scan) => stored.scanOf(asset, scan));
      await record(database, scans, undefined, memory);
    }
  }
});

/** A hall, and three rooms in it with an antenna in the middle of each. */
const ROW_OF_ROOMS: World = {
  parents: new Map([1, 2, 3, 4].map((id) => [id, id === 1 ? null : 1])),
  settings: [],
  antennas: [],
  plans: [
    {
      locationId: 1,
      outlines: [0, 5, 10].map((x, room) => ({
        locationId: room + 2,
        corners: [
          [x, 0],
          [x + 5, 0],
          [x + 5, 5],
          [x, 5],
        ],
      })),
      pins: [2.5, 7.5, 12.5].map((x, room) => ({ readerId: 1, antenna: room + 1, x, y: 2.5 })),
    },
  ],
};

function walked({ location, at, rssi, isByPerson }: RandomRead): OracleScan {
  const scan = { at, locationId: location + 1, ...TAGS[0] };
  const submission = { submissionId: `${location} ${at}`, index: 0, isRetracted: false };
  return isByPerson
    ? { ...scan, ...submission, kind: 'handheld', handheldId: 1 }
    : { ...scan, kind: 'read', readerId: 1, antenna: location, rssi };
}

function movesIn(history: readonly Transition[], { from, to }: Period): TriedMove[] {
  return history.flatMap(({ observedAt, locationId }, index) => {
    const before = history[index - 1];
    return before === undefined || observedAt < from || observedAt > to
      ? []
      : [{ observedAt, fromLocationId: before.locationId, toLocationId: locationId }];
  });
}

/** A scan that is taken back is so at any time after it came. */
function arriving(scene: Scene, arrival: (typeof ARRIVALS)[number], next: () => number): Step[] {
  const steps: Step[] = batchesOf(inOrderOf(scene, arrival, next), arrival, next).map((scans) => ({ scans }));
  for (const takenBack of retracted(scene)) {
    const last = steps.findLastIndex((step) => 'scans' in step && step.scans.includes(takenBack));
    steps.splice(last + 1 + (next() % (steps.length - last)), 0, { takenBack });
  }
  return steps;
}

function inOrderOf({ scans }: Scene, arrival: (typeof ARRIVALS)[number], next: () => number): OracleScan[] {
  const byTime = scans.toSorted((a, b) => a.at - b.at);
  switch (arrival) {
    case 'nearly in order':
      return byTime
        .map((scan) => ({ scan, order: scan.at + (next() % 8) * 1_000_000 }))
        .sort((a, b) => a.order - b.order)
        .map(({ scan }) => scan);
    case 'shuffled':
      return shuffled(byTime, next);
    case 'doubled':
      // Before or after it, at times as a weaker read.
      return shuffled([...byTime, ...byTime.map((scan) => (next() % 2 === 0 ? scan : weaker(scan)))], next);
    case 'in late pieces':
      return shuffled([...Map.groupBy(byTime, ({ at }) => Math.floor(at / 7_300_000)).values()], next).flat();
    default:
      return byTime;
  }
}

function batchesOf(
  ordered: readonly OracleScan[],
  arrival: (typeof ARRIVALS)[number],
  next: () => number,
): OracleScan[][] {
  const most = arrival === 'all at once' ? ordered.length : [1, 5, 40][next() % 3];
  const batches: OracleScan[][] = [];
  for (let start = 0; start < ordered.length; ) {
    const size = arrival === 'all at once' ? ordered.length : 4 + (next() % (most ?? 1));
    batches.push(ordered.slice(start, start + size));
    start += size;
  }
  return batches;
}

function weaker(scan: OracleScan): OracleScan {
  return scan.kind === 'handheld' ? scan : { ...scan, rssi: scan.rssi === null ? null : scan.rssi - 7 };
}

function shuffled<Item>(items: readonly Item[], next: () => number): Item[] {
  return items
    .map((item) => ({ item, order: next() }))
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item);
}

function scansIn(steps: readonly Step[] = []): OracleScan[][] {
  return steps.flatMap((step) => ('scans' in step ? [step.scans] : []));
}

/** `position` is refused where no plan has a scale. */
function hasPlan({ world }: Scene, { locationId }: Setting): boolean {
  for (let id = locationId; id !== null; id = world.parents.get(id) ?? null) {
    if (world.plans.some((plan) => plan.locationId === id)) {
      return true;
    }
  }
  return locationId === null && world.plans.length > 0;
}

function retracted({ scans }: Scene): PersonScan[] {
  return scans.filter((scan) => scan.kind === 'handheld').filter((scan) => scan.isRetracted);
}
