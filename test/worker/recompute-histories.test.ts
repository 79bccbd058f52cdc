import { expect } from 'chai';
import { databaseOn } from '../../db/timescale/connections/database.ts';
import { setLocating } from '../../domain/administration/locating/set-locating.ts';
import { askToRecompute } from '../../domain/tracking/recompute/asked.ts';
import { recomputeOrganization } from '../../domain/tracking/recompute/recompute-organization.ts';
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
    const [a, b] = [await site.location('A'), await site.location('B')];
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

  it('are recomputed from the first asset on, if they are asked for again meanwhile', async () => {
    const { site, ids } = await heardTwice('again', 3);
    const { orgId } = site;
    await askToRecompute(database.pool, orgId);
    let seen = 0;
    const asked: Promise<void>[] = [];
    const { assets, isFinished } = await recomputeOrganization(database.pool, orgId, {
      onProgress: () => {
        seen += 1;
        if (seen === 2) {
          asked.push(askToRecompute(database.pool, orgId));
        }
      },
    });
    await Promise.all(asked);
    expect({ isFinished, left: await unfinished(orgId) }).to.deep.equal({ isFinished: true, left: [] });
    expect(assets).to.be.within(ids.length + 2, ids.length + 3);
  });

  describe('while a worker runs', () => {
    useWorker(database);

    it('become what the setting says, of each organization in turn', async () => {
      const places = [await heardTwice('first', 2), await heardTwice('second', 2)];
      for (const { ids } of places) {
        expect(await storedHistory(database, ids[0] ?? 0)).to.have.length(40);
      }
      for (const { site, begun } of places) {
        const { isPast } = await setLocating(
          databaseOn(database.pool),
          TEST_ACTOR,
          {
            ...{ orgId: site.orgId, locationExternalKey: null, from: begun },
            ...{ procedure: 'strength', certainty: 1, tagDbm: null },
          },
          { retention: 3_600 * SECOND },
        );
        expect(isPast).to.equal(true);
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
