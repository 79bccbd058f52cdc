import { expect } from 'chai';
import { inSnapshot } from '../../../../db/timescale/connections/transaction.ts';
import type { Setting } from '../../../../domain/tracking/location/site.ts';
import type { Rule } from '../../../../domain/tracking/location/stated-locations.ts';
import type { Scan } from '../../../../domain/tracking/scan.ts';
import { type Explanation, explain, NotSeenYet } from '../../../../domain/tracking/why/explain.ts';
import { type Lack, lackOf } from '../../../../domain/tracking/why/lack.ts';
import { createRandom } from '../../../../simulation/random.ts';
import { useDatabase } from '../../../support/database.ts';
import { drawRowOfRooms, ROOM, SIDE } from '../../../support/location/row-of-rooms.ts';
import { storeSettings } from '../../../support/location-settings.ts';
import { randomSets } from '../../../support/random-sets.ts';
import { aRead, record } from '../../../support/recording.ts';
import { Site } from '../../../support/site.ts';

const SECOND = 1_000_000;
const START = Date.UTC(2026, 4, 1, 9) * 1_000;
/** So many at least that each reason is among what is told. */
const MOVES = Math.max(120, randomSets(1_000));

/** The last has no antenna. */
const ROOMS = ['A', 'B', 'C', 'D'];

interface Made {
  at: number;
  room: number;
  rssi: number | null;
  isByPerson: boolean;
}

/** A tag that is driven to and fro, and lies for a while, as three antennas hear it. */
function walk(seed: number): Made[] {
  const random = createRandom(seed);
  // An antenna that tells no strength.
  const mute = random.chance(0.3) ? 1 : -1;
  // Antennas whose ranges do not overlap.
  const farthest = random.chance(0.3) ? ROOM / 2 : SIDE;
  const made: Made[] = [];
  let [x, target, rest] = [random.fraction() * SIDE, random.fraction() * SIDE, 0];
  const every = random.pick([0.5, 1, 3]);
  const step = 3 * every;
  for (let second = 0; second < 240; second += every) {
    rest -= every;
    if (rest <= 0 && Math.abs(target - x) < step) {
      [target, rest] = [random.fraction() * SIDE, random.fraction() * 8];
    }
    x += rest > 0 ? 0 : Math.sign(target - x) * Math.min(step, Math.abs(target - x));
    // Out of everybody's hearing now and then.
    if (Math.floor(second / 40) % 3 === 2) {
      continue;
    }
    for (let room = 0; room < 3; room++) {
      const distance = Math.hypot(x - (room + 0.5) * ROOM, 1);
      if (distance < farthest && random.chance(Math.min(0.9, 6 / distance))) {
        const rssi = Math.round(-55 - 20 * Math.log10(Math.max(1, distance)) + 8 * (random.fraction() - 0.5));
        const at = START + Math.round((second + (room + 1) / 100) * SECOND);
        made.push({ at, room, rssi: room === mute ? null : rssi, isByPerson: false });
      }
    }
    if (random.chance(0.03)) {
      const room = random.integer(0, 3);
      // At the instant of a read at A, if there is one.
      made.push({ at: START + Math.round((second + 0.01) * SECOND), room, rssi: null, isByPerson: true });
    }
  }
  return made;
}

describe('why an asset is where it is', () => {
  const database = useDatabase();
  const told = new Map<string, number>();
  let moves = 0;

  /** Records a walk, some of it late, and compares the explanation with what was stored, and with what was heard. */
  async function check(seed: number, setting: Setting): Promise<void> {
    const site = await Site.create(database, `Site ${seed}`);
    const { orgId } = site;
    const hall = await site.location('HALL');
    const rooms: number[] = [];
    for (const room of ROOMS) {
      rooms.push(await site.location(room, hall));
    }
    const readerId = await site.reader(`reader-${seed}`, rooms.slice(0, 3));
    const handheldId = await newHandheld(orgId);
    const assetId = await site.asset('CRATE', 'CRATE');
    await drawRowOfRooms(database, { orgId, hall, rooms, readerId });
    const every = createRandom(seed).chance(0.2);
    await storeSettings(database, orgId, [
      { locationId: null, validFrom: START - SECOND, setting },
      ...(every
        ? [{ locationId: rooms[1] ?? 0, validFrom: START - SECOND, setting: { procedure: 'every' } as const }]
        : []),
    ]);
    const made = walk(seed);
    const scans = made.map(({ at, room, rssi, isByPerson }, index): Scan => {
      const read = {
        orgId,
        readerId,
        value: 'CRATE',
        locationId: rooms[room] ?? 0,
        antenna: room + 1,
        at,
        rssi,
      };
      const scan = aRead(read);
      return isByPerson
        ? { ...scan, source: { kind: 'handheld', handheldId, submissionId: `S${seed}`, index } }
        : scan;
    });
    const random = createRandom(seed);
    const late = scans.filter(() => random.chance(0.1));
    const timely = scans.filter((scan) => !late.includes(scan));
    for (let start = 0; start < timely.length; start += 100) {
      await record(database, timely.slice(start, start + 100));
    }
    await record(database, late);
    const ask = async (at: number): Promise<Explanation | null> => {
      const found = await inSnapshot(database.pool, (client) => explain(client, { orgId, assetId }, at));
      return found instanceof NotSeenYet ? null : found;
    };
    // Where every scan counts there are many more, all alike.
    const stored = (await storedTransitions(assetId)).filter(
      ({ is_by_person, proof }, index) => is_by_person || proof !== null || index % 3 === 0,
    );
    for (const { at, location_id, is_by_person, proof, radius } of stored) {
      const found = await ask(at);
      const rule: Rule = is_by_person ? 'person' : ((proof as Rule | null) ?? 'every');
      expect(found?.rule, `rule at ${at}`).to.equal(rule);
      expect(found?.stay).to.deep.include({ from: at, locationId: location_id });
      expect(found).to.include({ isAsRecorded: true, isTooMuch: false });
      expect(found?.evidence === null).to.equal(proof === null);
      if (found?.evidence) {
        expect(found.evidence).to.include({ proof, locationId: location_id });
        expect(lackOf(found.evidence)).to.equal(null);
      }
      expect(found?.stay?.position?.radius ?? null).to.equal(radius);
      told.set(rule, (told.get(rule) ?? 0) + 1);
    }
    for (const { at } of made.filter(({ isByPerson }, index) => !isByPerson && index % 15 === 0)) {
      const latest = (await ask(at))?.latest ?? null;
      if (latest !== null && latest.evidence !== null && latest.locationId === null) {
        const lack = lackOf(latest.evidence);
        const isUnheard = lack === null && latest.evidence.proof !== null;
        if (lack !== null) {
          expectRight(lack, made, rooms, at, setting);
        }
        const kind = lack?.unit ?? (isUnheard ? 'unheard' : 'tie');
        told.set(kind, (told.get(kind) ?? 0) + 1);
      }
    }
    await database.rows('delete from scan_events where org_id = $1', [orgId]);
    for (const { at, location_id, is_by_person, proof, radius } of stored.filter(
      (_, index) => index % 4 === 0,
    )) {
      const found = await ask(at);
      const rule = is_by_person ? 'person' : (proof ?? 'every');
      expect(found).to.deep.include({ rule, evidence: null, latest: null, rivals: null, around: null });
      expect(found?.stay?.locationId).to.equal(location_id);
      expect(found?.stay?.position?.radius ?? null).to.equal(radius);
    }
    moves += stored.length;
  }

  /** What lacked, worked out from the reads by the definition. */
  function expectRight(
    lack: Lack,
    made: readonly Made[],
    rooms: readonly number[],
    at: number,
    { ...setting }: Setting,
  ) {
    const certainty = 'certainty' in setting ? setting.certainty : 1;
    expect(lack.needed).to.be.above(0);
    if (lack.reached !== null && lack.unit !== 'odds') {
      const bucket = Math.floor(at / 500_000);
      const ofRoom = (room: number, reach: number) =>
        made.filter(
          (read) =>
            !read.isByPerson &&
            read.room === room &&
            Math.abs(Math.floor(read.at / 500_000) - bucket) <= reach,
        );
      const reach = [9, 29].find((each) => [0, 1, 2].some((room) => ofRoom(room, each).length >= 5)) ?? 59;
      const [here, there] = [lack.here, lack.there].map((id) => ofRoom(rooms.indexOf(id), reach));
      const level = (reads: readonly Made[] = []) => {
        const strengths = reads.flatMap(({ rssi }) => rssi ?? []).sort((a, b) => b - a);
        const strongest = strengths.slice(0, Math.ceil(strengths.length / 5));
        return {
          n: strengths.length,
          level: strongest.reduce((sum, each) => sum + each, 0) / strongest.length,
        };
      };
      const [one, other] = [level(here), level(there)];
      const [n, m] = [here?.length ?? 0, there?.length ?? 0];
      const [reached, needed] =
        lack.unit === 'dB'
          ? [one.level - other.level, certainty * 3 * Math.sqrt(1 / one.n + 1 / other.n)]
          : [n - m, certainty * 2 * Math.sqrt(n + m)];
      expect(lack.reached).to.be.closeTo(reached, 1e-9);
      expect(lack.needed).to.be.closeTo(needed, 1e-9);
    }
    expect(lack.reached ?? 0).to.be.most(lack.needed);
  }

  async function newHandheld(orgId: number): Promise<number> {
    const [handheld] = await database.rows<{ id: number }>(
      `insert into handhelds (org_id, name, token_sha256) values ($1, 'gun', sha256('x')) returning id`,
      [orgId],
    );
    return handheld?.id ?? 0;
  }

  function storedTransitions(assetId: number) {
    return database.rows<{
      at: number;
      location_id: number;
      is_by_person: boolean;
      proof: string | null;
      radius: number | null;
    }>(
      `select micros_of_time(observed_at)::float8 as at, location_id, reader_id is null as is_by_person, proof,
         position_radius as radius
       from location_transitions where asset_id = $1 order by observed_at`,
      [assetId],
    );
  }

  it(`is told by the rule that was recorded, before and after raw scans are dropped (${MOVES} moves), and so is what lacked`, async () => {
    for (let seed = 1; moves < MOVES; seed += 4) {
      await check(seed, { procedure: 'strength', certainty: 1 });
      await check(seed + 1, { procedure: 'position', certainty: 1, tagDbm: -55 });
      await check(seed + 2, { procedure: 'strength', certainty: 0.3 });
      await check(seed + 3, { procedure: 'position', certainty: 0.3, tagDbm: -55 });
    }
    for (const kind of [
      'person',
      'every',
      'only_here',
      'strength',
      'counts',
      'position',
      'dB',
      'reads',
      'odds',
      'unheard',
    ]) {
      expect(told.get(kind) ?? 0, kind).to.be.above(MOVES / 200);
    }
  });
});
