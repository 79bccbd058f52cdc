import { expect } from 'chai';
import type { Micros } from '../../../../base/instant.ts';
import { inSnapshot } from '../../../../db/timescale/connections/transaction.ts';
import type { Scan } from '../../../../domain/tracking/scan.ts';
import type { Seen } from '../../../../domain/tracking/smoothing/counting.ts';
import type { DatedSmoothing } from '../../../../domain/tracking/smoothing/settings.ts';
import { explain, NotSeenYet } from '../../../../domain/tracking/why/explain.ts';
import { createRandom } from '../../../../simulation/random.ts';
import { useDatabase } from '../../../support/database.ts';
import { aRead, decidingScan, record } from '../../../support/recording.ts';
import { type SimulatedRead, simulatedReads } from '../../../support/simulated-scans.ts';
import { Site } from '../../../support/site.ts';
import { decidedSmoothedHistory, reasonsByDefinition } from '../../../support/smoothing-by-definition.ts';
import { storeSettings } from '../../../support/stored-smoothing.ts';

const SECOND = 1_000_000;
const START = Date.UTC(2026, 4, 1, 9) * 1_000;
const MOVES = 1_000;

describe('why an asset is where it is', () => {
  const database = useDatabase();
  const told = new Map<string, number>();
  let moves = 0;

  /** Records a simulated site, some of it late, and compares the explanation of every move. */
  async function check(seed: number, smoothing: DatedSmoothing['smoothing']) {
    const site = await Site.create(database, `Site ${seed}`);
    const settings: DatedSmoothing[] = [{ locationId: null, validFrom: START - SECOND, smoothing }];
    await storeSettings(database, site.orgId, settings);
    const locations = new Map<string, number>();
    const assets = new Map<string, number>();
    const scans = new Map<string, Map<string, Scan>>();
    const readerId = await site.reader(`reader-${seed}`, [null]);
    const [handheld] = await database.rows<{ id: number }>(
      `insert into handhelds (org_id, name, token_sha256) values ($1, 'gun', sha256('x')) returning id`,
      [site.orgId],
    );
    let index = 0;
    const scanOf = async (read: SimulatedRead): Promise<Scan> => {
      const { asset, location, at, rssi, isByPerson } = read;
      if (!assets.has(asset)) {
        assets.set(asset, await site.asset(asset, asset));
      }
      if (!locations.has(location)) {
        locations.set(location, await site.location(location));
      }
      const locationId = locations.get(location) ?? 0;
      const antenna = (locationId % 30) + 1;
      const made = aRead({ orgId: site.orgId, readerId, value: asset, locationId, antenna, at, rssi });
      const scan: Scan = isByPerson
        ? {
            ...made,
            source: {
              kind: 'handheld',
              handheldId: handheld?.id ?? 0,
              submissionId: `S${seed}`,
              index: index++,
            },
          }
        : made;
      const own = scans.get(asset) ?? new Map<string, Scan>();
      // One read of a tag by an antenna at an instant; the stronger stays (rule 3).
      const identity = isByPerson ? `index ${index}` : `${antenna} ${at}`;
      const known = own.get(identity);
      if (known === undefined || (scan.rssi ?? -999) > (known.rssi ?? -999)) {
        own.set(identity, scan);
      }
      scans.set(asset, own);
      return scan;
    };
    const random = createRandom(seed);
    let late: Scan[] = [];
    for (const minute of simulatedReads({ from: START, minutes: 30, seed })) {
      const now: Scan[] = [];
      const later: Scan[] = [];
      for (const read of minute) {
        (random.chance(0.1) ? later : now).push(await scanOf(read));
      }
      await record(database, [...late, ...now]);
      late = later;
    }
    await record(database, late);
    const expected = [...scans].flatMap(([asset, own]) => {
      const seen = [...own.values()].map(
        (scan): Seen => ({
          observedAt: scan.deviceTime as Micros,
          locationId: scan.locationId ?? 0,
          rssi: scan.rssi,
          isByPerson: scan.source.kind === 'handheld',
          scan: decidingScan(scan),
        }),
      );
      const reasons = new Map(
        reasonsByDefinition(seen, settings).map(({ scan, reason }) => [scan.observedAt, reason]),
      );
      const history = decidedSmoothedHistory(seen, settings);
      return history.map(({ observedAt, locationId, decidedBy }, row) => ({
        assetId: assets.get(asset) ?? 0,
        stay: { locationId, from: observedAt, to: history[row + 1]?.observedAt ?? null },
        decidedBy,
        reason: reasons.get(observedAt) ?? 'none',
      }));
    });
    const explained = async () => {
      const all = [];
      for (const { assetId, stay } of expected) {
        const found = await inSnapshot(database.pool, (client) =>
          explain(client, { orgId: site.orgId, assetId }, stay.from),
        );
        if (found instanceof NotSeenYet) {
          throw new Error('not seen');
        }
        all.push({ assetId, stay: found.stay, decidedBy: found.decidedBy, reason: found.reason });
      }
      return all;
    };
    expect(await explained()).to.deep.equal(expected);
    await database.rows('delete from scan_events where org_id = $1', [site.orgId]);
    expect(await explained()).to.deep.equal(expected);
    moves += expected.length;
    for (const { reason } of expected) {
      told.set(reason, (told.get(reason) ?? 0) + 1);
    }
  }

  it(`is told by the same scan, for the same reason, as by definition, before and after raw scans are dropped (${MOVES} moves)`, async () => {
    const both = { window: 60 * SECOND, minimum: 15 * SECOND, margin: 6 };
    for (let seed = 1; moves < MOVES; seed += 4) {
      await check(seed, 'off');
      await check(seed + 1, both);
      await check(seed + 2, { ...both, margin: null });
      await check(seed + 3, { ...both, minimum: null });
    }
    for (const reason of ['person', 'smoothing_off', 'no_rival', 'long_enough', 'stronger']) {
      expect(told.get(reason) ?? 0, reason).to.be.above(10);
    }
  });
});
