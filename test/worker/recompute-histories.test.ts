import { expect } from 'chai';
import { pino } from 'pino';
import { databaseOn } from '../../db/timescale/connections/database.ts';
import { setLocating } from '../../domain/administration/locating/set-locating.ts';
import {
  type Recomputing,
  recomputeOrganization,
} from '../../domain/tracking/recompute/recompute-organization.ts';
import { recomputeHistories } from '../../services/worker/jobs/recompute-histories.ts';
import { TEST_ACTOR } from '../support/actor.ts';
import { useDatabase } from '../support/database.ts';
import { aRead, record, storedHistory } from '../support/recording.ts';
import { Site } from '../support/site.ts';
import { until } from '../support/subscribed-ingest.ts';
import { useWorker } from '../support/worker.ts';

const SECOND = 1_000_000;

describe('histories that a setting in the past changes', () => {
  const database = useDatabase();
  const unfinished = (orgId: number) =>
    database.rows('select asset_id from history_recomputations where org_id = $1 and finished_at is null', [
      orgId,
    ]);

  /** Assets that lie at A, and that B hears, too. */
  async function heardTwice(
    name: string,
    assets: number,
  ): Promise<{ site: Site; begun: number; ids: number[] }> {
    const site = await Site.create(database, name);
    const hall = await site.location('HALL');
    const [a, b] = [await site.location('A', hall), await site.location('B', hall)];
    const readerId = await site.reader(name, [a, b]);
    const begun = (Date.now() - 600_000) * 1_000;
    const ids: number[] = [];
    for (let index = 0; index < assets; index++) {
      const value = `${name}-${index}`;
      ids.push(await site.asset(value, value));
      await record(
        database,
        Array.from({ length: 40 }, (_, turn) =>
          aRead({
            ...{ orgId: site.orgId, readerId, value, at: begun + turn * SECOND },
            ...(turn % 2 === 0
              ? { antenna: 1, locationId: a, rssi: -55 }
              : { antenna: 2, locationId: b, rssi: -75 }),
          }),
        ),
      );
    }
    return { site, begun, ids };
  }

  /** From the past on, of all locations or of one. */
  const decideByStrength = async (orgId: number, from: number, locationExternalKey: string | null = null) => {
    const { isPast, settingId } = await setLocating(
      databaseOn(database.pool),
      TEST_ACTOR,
      {
        ...{ orgId, locationExternalKey, from },
        ...{ procedure: 'strength', certainty: 1, tagDbm: null },
      },
      { retention: 3_600 * SECOND },
    );
    expect(isPast).to.equal(true);
    return settingId ?? 0;
  };
  const recompute = (orgId: number, settingId: number, more: Recomputing = {}) =>
    recomputeOrganization(database.pool, orgId, { settingId, ...more });

  it('are those of assets that were read at its locations, and each setting has its own', async () => {
    const { site, begun, ids } = await heardTwice('hall', 2);
    const { orgId } = site;
    const yard = await site.location('YARD');
    const gate = await site.location('GATE', yard);
    const readerId = await site.reader('gate', [gate]);
    await site.asset('ELSEWHERE', 'ELSEWHERE');
    const elsewhere = { orgId, readerId, value: 'ELSEWHERE', locationId: gate, at: begun + SECOND };
    await record(database, [aRead(elsewhere)]);
    const [ofHall, ofYard] = [
      await decideByStrength(orgId, begun, 'HALL'),
      await decideByStrength(orgId, begun, 'YARD'),
    ];
    expect(await recompute(orgId, ofYard)).to.include({ looked: 3, of: 3, assets: 1, changed: 0 });
    expect((await storedHistory(database, ids[0] ?? 0)).length).to.equal(40);
    expect(await recompute(orgId, ofHall)).to.include({ looked: 3, of: 3, assets: 2, changed: 2 });
    expect((await storedHistory(database, ids[0] ?? 0)).length).to.be.below(40);
    expect(await unfinished(orgId)).to.deep.equal([]);
  });

  it('are counted together, whoever recomputes them', async () => {
    const { site, begun } = await heardTwice('together', 5);
    const { orgId } = site;
    const settingId = await decideByStrength(orgId, begun);
    const controller = new AbortController();
    const first = await recompute(orgId, settingId, {
      signal: controller.signal,
      onProgress: ({ assets }) => {
        if (assets === 2) {
          controller.abort();
        }
      },
    });
    expect(first).to.include({ assets: 2, changed: 2, of: 5, isFinished: false });
    const both = await Promise.all([recompute(orgId, settingId), recompute(orgId, settingId)]);
    for (const result of [...both, await recompute(orgId, settingId)]) {
      expect(result).to.include({ assets: 5, changed: 5, looked: 5, of: 5, isFinished: true });
    }
  });

  it('are recomputed a piece at a time, so that nobody waits for all scans of an asset', async () => {
    const [busy, other] = [await heardTwice('busy', 1), await heardTwice('quick', 1)];
    await database.rows(
      `insert into scan_events (org_id, asset_id, location_id, observed_at, received_at, time_is_received, tag_type,
         tag_value, reader_id, antenna, rssi)
       select org_id, asset_id, location_id, observed_at - place * interval '1 minute', received_at, time_is_received, tag_type,
         tag_value, reader_id, antenna, rssi
       from scan_events cross join generate_series(1, 500) place where org_id = $1`,
      [busy.site.orgId],
    );
    for (const { site, begun } of [busy, other]) {
      await decideByStrength(site.orgId, begun);
    }
    const turns = recomputeHistories({ log: pino({ level: 'silent' }) }, 0).begin(database.pool);
    while ((await unfinished(other.site.orgId)).length > 0) {
      await turns.turn();
    }
    expect(await unfinished(busy.site.orgId)).to.have.length(1);
    while ((await unfinished(busy.site.orgId)).length > 0) {
      await turns.turn();
    }
    expect(await storedHistory(database, busy.ids[0] ?? 0)).to.have.length(20_001);
  });

  describe('while a worker runs', () => {
    useWorker(database);

    it('become so although those of another organization cannot be recomputed', async () => {
      const [failing, other] = [await heardTwice('failing', 1), await heardTwice('other', 1)];
      await database.rows(
        `create function refuse() returns trigger language plpgsql as $$ begin raise 'no'; end $$;
         create trigger refuse before update on history_recomputations
           for each row when (new.org_id = ${failing.site.orgId}) execute function refuse()`,
      );
      for (const { site, begun } of [failing, other]) {
        await decideByStrength(site.orgId, begun);
      }
      await until(async () => (await unfinished(other.site.orgId)).length === 0);
      expect(await unfinished(failing.site.orgId)).to.have.length(1);
      await database.rows('drop function refuse cascade');
      await until(async () => (await unfinished(failing.site.orgId)).length === 0);
    });

    it('become what the setting says, of each organization in turn', async () => {
      const places = [await heardTwice('first', 2), await heardTwice('second', 2)];
      for (const { ids } of places) {
        expect(await storedHistory(database, ids[0] ?? 0)).to.have.length(40);
      }
      for (const { site, begun } of places) {
        await decideByStrength(site.orgId, begun);
      }
      for (const { site, ids } of places) {
        await until(async () => (await unfinished(site.orgId)).length === 0);
        for (const id of ids) {
          expect(
            (await storedHistory(database, id)).map(({ durationSeconds }) => durationSeconds),
          ).to.deep.equal([null]);
        }
      }
    });
  });
});
