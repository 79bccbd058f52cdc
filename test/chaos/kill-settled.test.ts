import { expect } from 'chai';
import type { MoveEvent } from '../../domain/moves/event.ts';
import { useDatabase } from '../support/database.ts';
import { appendMoves } from '../support/feed-rows.ts';
import { itByNight } from '../support/random-sets.ts';
import { Site } from '../support/site.ts';
import { until } from '../support/subscribed-ingest.ts';
import { type FoldedRows, foldEvent, WaveringAsset } from '../support/wavering-asset.ts';
import { newWebhook } from '../support/webhooks.ts';
import { useDelivering } from './delivering.ts';
import { randomFrom } from './random-from.ts';

const KILLS = 4;

const PATHS = ['/calm', '/other', '/raw'];

describe('webhooks that wait, while processes that deliver and receivers are killed', () => {
  const database = useDatabase();
  const delivering = useDelivering(database);

  itByNight(
    'lose nothing, send nothing again otherwise than before, and never go back for an asset',
    async () => {
      const site = await Site.create(database);
      const { orgId } = site;
      const places = [await site.location('A'), await site.location('B')] as const;
      const random = randomFrom(36);
      const assets: WaveringAsset[] = [];
      for (let index = 0; index < 24; index++) {
        assets.push(new WaveringAsset(await site.asset(`ASSET-${index}`), places, random));
      }
      for (const path of PATHS) {
        const url = `http://127.0.0.1:${delivering.receiver.port}${path}`;
        await newWebhook(database, { orgId, url, settleSeconds: path === '/raw' ? 0 : 1 });
      }
      const processes = [await delivering.start(), await delivering.start()];
      const arrivedAt = (wanted: string) =>
        delivering.receiver.arrived().filter(({ path }) => path === wanted).length;
      let isWriting = true;
      let head = 0;
      const write = async () => {
        while (isWriting) {
          head = await appendMoves(
            database,
            orgId,
            assets.map((asset) => asset.next()),
          );
          // As fast as they are delivered at once, so that there is always something that waits, and never much.
          await until(() => arrivedAt('/raw') > head - 240 || !isWriting);
        }
      };
      const writing = write();
      for (let count = 0; count < KILLS; count++) {
        const before = arrivedAt('/calm');
        await until(() => arrivedAt('/calm') > before + 30);
        const which = count % processes.length;
        processes[which]?.child.kill('SIGKILL');
        await processes[which]?.ended;
        processes[which] = await delivering.start();
        if (count % 2 === 1) {
          await delivering.receiver.kill();
        }
      }
      isWriting = false;
      await writing;
      await until(async () => {
        const [row] = await database.rows<{ position: number }>(
          'select min(position)::int4 as position from webhook_lanes',
        );
        return row?.position === head;
      });

      const raw = foldAt('/raw');
      for (const path of ['/calm', '/other']) {
        const calm = foldAt(path);
        expect(calm.faults).to.deep.equal({ wentBack: 0, otherwise: 0, empty: 0 });
        expect(calm.folded).to.deep.equal(raw.folded);
        // A second of a hundred changes makes few of them.
        expect(calm.told).to.be.below(raw.told / 2);
      }

      function foldAt(wanted: string) {
        const faults = { wentBack: 0, otherwise: 0, empty: 0 };
        const rows = new Map<number, FoldedRows>();
        const last = new Map<number, number>();
        const bodies = new Map<number, string>();
        for (const { path, asset, position, body } of delivering.receiver.arrived()) {
          if (path !== wanted) {
            continue;
          }
          const before = last.get(asset) ?? 0;
          faults.wentBack += position < before ? 1 : 0;
          faults.otherwise += (bodies.get(position) ?? body) === body ? 0 : 1;
          bodies.set(position, body);
          if (position > before) {
            last.set(asset, position);
            const { data }: MoveEvent = JSON.parse(body);
            faults.empty += data.added.length + data.removed.length + data.changed.length === 0 ? 1 : 0;
            const own = rows.get(asset) ?? new Map<string, string>();
            foldEvent(own, { data });
            rows.set(asset, own);
          }
        }
        const folded = [...rows]
          .map(([asset, own]) => [asset, [...own].sort()] as const)
          .filter(([, own]) => own.length > 0)
          .sort(([one], [other]) => one - other);
        return { faults, folded, told: bodies.size };
      }
    },
  );
});
