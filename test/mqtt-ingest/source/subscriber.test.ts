import { expect } from 'chai';
import type { MqttClient } from 'mqtt';
import { BEATS_PER_SECOND, beatsUntil } from '../../support/beats.ts';
import { useDatabase } from '../../support/database.ts';
import { useMosquitto } from '../../support/mosquitto.ts';
import { Site } from '../../support/site.ts';
import { type RunningIngest, startIngestOn, until } from '../../support/subscribed-ingest.ts';

for (const { version, shared } of [
  { version: '5', shared: 'auto' },
  { version: '3.1.1', shared: 'off' },
] as const) {
  describe(`ingestion from a broker over MQTT ${version}, with MQTT_SHARED=${shared}`, () => {
    const settings = { MQTT_VERSION: version, MQTT_SHARED: shared };
    /** Which has all readers with a number that four divides. */
    const sessions = shared === 'off' ? ['ingest'] : [0, 1, 2, 3].map((index) => `tagtrail-readers-${index}`);
    const broker = useMosquitto();
    const database = useDatabase();
    let site: Site;
    let dock: number;
    let ingest: RunningIngest;
    let reader: MqttClient;

    before(async () => {
      site = await Site.create(database);
      dock = await site.location('DOCK');
      await site.asset('PALLET', 'E2801160');
      await site.reader('portal', [dock], { topic: 'site/portal' });
    });
    beforeEach(async () => {
      await database.empty('scan_events, location_transitions, positions, rejected_messages');
      await database.empty('received_messages, reader_counters');
      ingest = await startIngestOn(database, broker.url, settings);
      await until(() => ingest.subscriber.figures().subscribed > 0);
      reader = await broker.connect({ reconnectPeriod: 20 });
    });
    afterEach(async () => {
      await reader.endAsync(true);
      await ingest.stop();
      // Whatever became of the test, the next one begins with the portal only.
      await database.rows(
        `update readers set deleted_at = now() where name <> 'portal' and deleted_at is null`,
      );
    });

    /** Each read has an RSSI by which it is known, and no time of its own. */
    const publish = (rssi: number, options: { topic?: string; qos?: 0 | 1 | 2; retain?: boolean } = {}) => {
      const { topic = 'site/portal', qos = 1, retain = false } = options;
      return reader.publishAsync(topic, JSON.stringify({ value: 'E2801160', rssi }), { qos, retain });
    };
    const recorded = async () =>
      (await database.rows<{ rssi: number }>('select rssi from scan_events order by rssi desc')).map(
        ({ rssi }) => rssi,
      );
    const records = (rssis: number[]) =>
      until(async () => (await recorded()).length >= rssis.length).then(async () =>
        expect(await recorded()).to.deep.equal(rssis),
      );
    const figures = () => ingest.subscriber.figures();

    it('records what is published on a registered topic, at any QoS', async () => {
      for (const qos of [0, 1, 2] as const) {
        await publish(-1 - qos, { qos });
      }
      await records([-1, -2, -3]);
      await until(() => figures().heldMessages === 0);
      expect(figures()).to.include({ received: 3, committed: 3, heldBytes: 0 });
    });

    it('follows the registry within a second', async () => {
      const subscribed = async (count: number, change: () => Promise<unknown>) => {
        await change();
        const roundTrips = () =>
          Promise.all([database.rows('select 1'), reader.publishAsync('beat', '', { qos: 1 })]);
        const beats = await beatsUntil(() => figures().subscribed === count, roundTrips);
        expect(beats).to.be.below(BEATS_PER_SECOND);
      };
      await subscribed(2, () => site.reader('gate', [dock], { topic: 'gates/+' }));
      await publish(-1, { topic: 'gates/7' });
      await records([-1]);
      await subscribed(1, () => database.rows(`update readers set deleted_at = now() where name = 'gate'`));
      await publish(-2, { topic: 'gates/7' });
      await publish(-3);
      await records([-1, -3]);
      expect(figures().received).to.equal(2);
    });

    it('has the broker keep what is not committed, and records it once', async () => {
      const blocker = await database.pool.connect();
      await blocker.query('begin; lock table scan_events in access exclusive mode');
      const rssis = Array.from({ length: 15 }, (_, index) => -1 - index);
      for (const rssi of rssis) {
        await publish(rssi);
      }
      await until(() => figures().heldMessages === 15);
      await broker.stop();
      await broker.start();
      await until(() => figures().heldMessages === 30);
      await until(() => figures().connections === (shared === 'off' ? 2 : 10));
      expect(figures().committed).to.equal(0);
      await blocker.query('commit');
      blocker.release();
      await records(rssis);
      await until(() => figures().heldMessages === 0);
      await ingest.stop();
      expect(await leftover()).to.deep.equal([]);
    });

    it('leaves to the broker what an outage keeps it from committing before it stops', async () => {
      const blocker = await database.pool.connect();
      await blocker.query('begin; lock table scan_events in access exclusive mode');
      await publish(-1);
      await until(() => figures().heldMessages === 1);
      const stopped = ingest.stop();
      // The blocked statement is cut off, and so is every further attempt, until patience ends.
      const cut = setInterval(() => database.rows(CUT_OFF), 50);
      await stopped;
      clearInterval(cut);
      await blocker.query('rollback');
      blocker.release();
      expect(await recorded()).to.deep.equal([]);
      ingest = await startIngestOn(database, broker.url, settings);
      await records([-1]);
    });

    it('receives what was published while it was away', async () => {
      await ingest.stop();
      await publish(-1);
      ingest = await startIngestOn(database, broker.url, settings);
      await records([-1]);
    });

    it('is there again after the broker was killed', async () => {
      await broker.kill();
      await until(() => !figures().isConnected);
      const [reason] = await Promise.allSettled([ingest.subscriber.requireConnected()]);
      expect(reason).to.have.property('status', 'rejected');
      await broker.start();
      await until(() => figures().subscribed === 1);
      await publish(-99);
      // A broker that was killed may bring what it had not noted as acknowledged once more.
      await until(async () => (await recorded()).includes(-99));
    });

    it('ignores what was retained, and takes a live message with the retain flag for live', async () => {
      await publish(-1, { topic: 'late/portal', retain: true });
      await site.reader('late', [dock], { topic: 'late/portal' });
      await until(() => figures().subscribed === 2);
      await publish(-2, { topic: 'late/portal', retain: true });
      await records([-2]);
      await database.rows(`update readers set deleted_at = now() where name = 'late'`);
      await until(() => figures().subscribed === 1);
    });

    it('lets go of what a session of earlier days is subscribed to', async () => {
      await site.reader('gone', [dock], { topic: 'gone/+' });
      await until(() => figures().subscribed === 2);
      await ingest.stop();
      const earlier = await broker.connect({ clientId: 'ingest', clean: false });
      // The other kind of the same topic would bring every message twice.
      await earlier.subscribeAsync(['$share/tagtrail/site/portal', 'site/portal', 'stray'], { qos: 1 });
      await earlier.endAsync();
      await database.rows(`update readers set deleted_at = now() where name = 'gone'`);
      ingest = await startIngestOn(database, broker.url, settings);
      await until(async () => {
        const before = figures().received;
        await publish(-1, { topic: 'gone/1' });
        await publish(-2, { topic: 'stray' });
        await publish(-3);
        await until(() => figures().received > before && figures().heldMessages === 0);
        return figures().received === before + 1;
      });
      expect(new Set(await recorded())).to.deep.equal(new Set([-3]));
      const reasons = await database.rows<{ topic: string }>('select distinct topic from rejected_messages');
      expect(reasons.map(({ topic }) => topic)).to.include('stray');
    });

    /** What the broker still has for the client id of the ingest process. */
    async function leftover(): Promise<string[]> {
      const topics: string[] = [];
      for (const clientId of sessions) {
        topics.push(...(await leftoverOf(clientId)));
      }
      return topics;
    }
    async function leftoverOf(clientId: string): Promise<string[]> {
      const topics: string[] = [];
      const successor = await broker.connect({ clientId, clean: false });
      successor.on('message', (topic) => topics.push(topic));
      await successor.subscribeAsync('barrier', { qos: 1 });
      await successor.publishAsync('barrier', '', { qos: 1 });
      await until(() => topics.includes('barrier'));
      await successor.unsubscribeAsync('barrier');
      await successor.endAsync();
      return topics.filter((topic) => topic !== 'barrier');
    }
  });
}

const CUT_OFF = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and application_name = 'tagtrail ingest'`;
