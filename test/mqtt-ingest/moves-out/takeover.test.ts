import { expect } from 'chai';
import { useDatabase } from '../../support/database.ts';
import { useMosquitto } from '../../support/mosquitto.ts';
import { type Heard, hear, place } from '../../support/placed.ts';
import { type Program, run } from '../../support/process.ts';
import { itByNight } from '../../support/random-sets.ts';
import { Site } from '../../support/site.ts';
import { until } from '../../support/subscribed-ingest.ts';

describe('the publisher of moves', () => {
  const broker = useMosquitto();
  const database = useDatabase();
  const programs: Program[] = [];
  const killAll = async () => {
    for (const { child, ended } of programs.splice(0)) {
      child.kill('SIGKILL');
      await ended;
    }
  };
  database.beforeDrop(killAll);
  afterEach(killAll);

  const start = async (name: string, settings: Record<string, string> = {}) => {
    const program = run('services/mqtt-ingest/main.ts', [], {
      DATABASE_URL: database.url,
      MQTT_URL: broker.url,
      MQTT_CLIENT_ID: name,
      MQTT_MOVES_PREFIX: 'site',
      INGEST_PORT: '0',
      ...settings,
    });
    programs.push(program);
    await program.printed('Ingestion running');
    const [, address = ''] = /"address":"([^"]+)"/.exec(program.stdout()) ?? [];
    return { program, address };
  };
  const isPublisher = async (address: string) => {
    const figures = await (await fetch(`${address}/metrics`)).text();
    return /^tagtrail_moves_out_publishing 1$/m.test(figures);
  };

  it('is one of several processes; another goes on when it is killed, and every move is published in order', async () => {
    const site = await Site.create(database);
    const [dock, gate] = [await site.location('DOCK'), await site.location('GATE')];
    const assets = [await site.asset('A'), await site.asset('B')];
    const heard: Heard = await hear(await broker.connect(), 'site/#');
    const processes = [await start('one'), await start('two')];
    let moves = 0;
    const move = async () => {
      for (const assetId of assets) {
        const since = new Date(Date.UTC(2026, 4, 1, 0, moves)).toISOString();
        await place(database, site.orgId, { assetId, locationId: moves % 2 === 0 ? dock : gate, since });
      }
      moves += 1;
    };
    const publishers = async () => {
      const states = await Promise.all(processes.map(({ address }) => isPublisher(address)));
      return processes.filter((_, index) => states[index]);
    };
    const told = (key: string) =>
      heard.all.flatMap(({ topic, payload }) => (topic.includes(`/${key}/`) ? [String(payload?.since)] : []));
    const last = () => new Date(Date.UTC(2026, 4, 1, 0, moves - 1)).toISOString();

    const followed = 'select from mqtt_feeds where snapshot_after is null';
    await until(async () => (await database.rows(followed)).length === 1);
    for (let kills = 0; kills < 3; kills++) {
      for (let round = 0; round < 20; round++) {
        await move();
      }
      const [publisher] = await publishers();
      publisher?.program.child.kill('SIGKILL');
      await publisher?.program.ended;
      for (let round = 0; round < 20; round++) {
        await move();
      }
      processes.splice(processes.indexOf(publisher as (typeof processes)[0]), 1, await start(`new-${kills}`));
      await until(async () => (await publishers()).length === 1);
      await until(() => told('A').at(-1) === last() && told('B').at(-1) === last());
    }
    for (const key of ['A', 'B']) {
      // What came again after a kill is left out.
      const once = [...new Set(told(key))];
      expect(once).to.deep.equal([...once].sort());
      expect(once).to.have.lengthOf(moves);
    }
  });

  itByNight(
    'publishes where assets are by then if it is to wait, in order and up to the last, however often it is killed',
    async () => {
      const site = await Site.create(database);
      const [dock, gate] = [await site.location('DOCK'), await site.location('GATE')];
      const [roaming, wavering] = [await site.asset('ROAMING'), await site.asset('WAVERING')];
      const heard: Heard = await hear(await broker.connect(), `site/${site.orgId}/#`);
      const told = (key: string) =>
        heard.all.flatMap(({ topic, payload }) =>
          topic.includes(`/${key}/`) ? [String(payload?.since)] : [],
        );
      const waits = { MQTT_MOVES_SETTLE_SECONDS: '1' };
      let { program } = await start('calm-0', waits);
      await until(async () => {
        const feeds = await database.rows(
          'select from mqtt_feeds where org_id = $1 and snapshot_after is null',
          [site.orgId],
        );
        return feeds.length === 1;
      });
      const at = (minute: number) => new Date(Date.UTC(2026, 4, 1, 0, minute)).toISOString();
      await place(database, site.orgId, { assetId: wavering, locationId: dock, since: at(0) });
      await until(() => told('WAVERING').length > 0);
      let moves = 0;
      for (let kills = 1; kills <= 3; kills++) {
        const before = told('ROAMING').length;
        while (told('ROAMING').length < before + 2) {
          moves += 1;
          await place(database, site.orgId, {
            ...{ assetId: roaming, locationId: moves % 2 === 0 ? dock : gate, since: at(moves) },
          });
          // To the gate for a moment, and it was not so.
          await place(database, site.orgId, { assetId: wavering, locationId: gate, since: at(1) });
          await place(database, site.orgId, { assetId: wavering, locationId: dock, since: at(0) });
        }
        program.child.kill('SIGKILL');
        await program.ended;
        ({ program } = await start(`calm-${kills}`, waits));
      }
      await until(() => told('ROAMING').at(-1) === at(moves) && told('WAVERING').at(-1) === at(0));
      const once = [...new Set(told('ROAMING'))];
      expect(once).to.deep.equal([...once].sort());
      expect(once.length).to.be.below(moves / 2);
      expect(told('WAVERING').length).to.be.below(moves / 2);
    },
  );
});
