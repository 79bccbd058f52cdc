import { expect } from 'chai';
import type { Packet } from 'mqtt-packet';
import { pino } from 'pino';
import { useDatabase } from '../../support/database.ts';
import { Site } from '../../support/site.ts';
import { type RunningIngest, startIngestOn, until } from '../../support/subscribed-ingest.ts';
import { type Script, ScriptedBroker } from './scripted-broker.ts';

describe('ingestion from a broker that refuses something', () => {
  const database = useDatabase();
  let broker: ScriptedBroker;
  let ingest: RunningIngest;
  let logged: string[];

  before(async () => {
    const site = await Site.create(database);
    const dock = await site.location('DOCK');
    await site.reader('portal', [dock], { topic: 'site/portal' });
    await site.reader('secret', [dock], { topic: 'site/secret' });
  });
  afterEach(async () => {
    await ingest.stop();
    await broker.stop();
  });

  const start = async (script: Script, shared: 'auto' | 'off' = 'off') => {
    logged = [];
    broker = await ScriptedBroker.start(script);
    const log = pino({ level: 'info' }, { write: (line: string) => void logged.push(line) });
    ingest = await startIngestOn(database, `mqtt://127.0.0.1:${broker.port}`, { MQTT_SHARED: shared }, log);
  };
  const WELCOME: Packet = { cmd: 'connack', returnCode: 0, reasonCode: 0, sessionPresent: false };
  const versions = () =>
    broker.connections.map(({ received: [first] }) =>
      first?.cmd === 'connect' ? first.protocolVersion : null,
    );
  const filters = () =>
    (broker.connections.at(-1)?.received ?? [])
      .flatMap((packet) => (packet.cmd === 'subscribe' ? packet.subscriptions : []))
      .map(({ topic }) => topic);

  it('speaks MQTT 3.1.1 where 5 is refused', async () => {
    await start({
      connack: (attempt) =>
        attempt === 1 ? { cmd: 'connack', returnCode: 1, reasonCode: 132, sessionPresent: false } : WELCOME,
    });
    await until(() => ingest.subscriber.figures().subscribed === 2);
    expect(versions()).to.deep.equal([5, 4]);
    expect(filters()).to.deep.equal(['site/portal', 'site/secret']);
  });

  it('speaks MQTT 3.1.1 where 5 is never answered', async () => {
    await start({ connack: (attempt) => (attempt <= 3 ? null : WELCOME) });
    await until(() => ingest.subscriber.figures().subscribed === 2);
    expect(versions()).to.deep.equal([5, 5, 5, 4]);
  });

  it('stays with MQTT 5 once that has worked, however often the broker goes away', async () => {
    await start({ connack: (attempt) => (attempt > 1 && attempt < 6 ? null : WELCOME) });
    await until(() => ingest.subscriber.figures().isConnected);
    broker.connections[0]?.end();
    await until(() => ingest.subscriber.figures().connections === 2);
    expect(new Set(versions())).to.deep.equal(new Set([5]));
  });

  it('has the other topics where one is refused, says so, and asks for it again', async () => {
    let isRefused = true;
    await start({ grant: (filter) => (isRefused && filter.endsWith('secret') ? 135 : 1) });
    await until(() => ingest.subscriber.figures().refused === 1);
    expect(ingest.subscriber.figures().subscribed).to.equal(1);
    expect(logged.some((line) => line.includes('site/secret') && line.includes('135'))).to.equal(true);
    isRefused = false;
    await until(() => ingest.subscriber.figures().subscribed === 2);
    expect(ingest.subscriber.figures().refused).to.equal(0);
    expect(filters().filter((filter) => filter === 'site/portal')).to.have.lengthOf(1);
  });

  it('says which setting is at fault when another process takes its client id', async () => {
    await start({});
    await until(() => ingest.subscriber.figures().subscribed === 2);
    broker.connections[0]?.send({ cmd: 'disconnect', reasonCode: 142 });
    broker.connections[0]?.socket.end();
    await until(() => ingest.subscriber.figures().connections === 2);
    expect(logged.join()).to.include('give each process an MQTT_CLIENT_ID of its own');
  });

  it('says that another client takes a session that no other process holds, and not when a process holds it', async () => {
    await start({}, 'auto');
    const takenOver = async (session: string) => {
      const connections = () =>
        broker.connections.filter(
          ({ received: [first] }) => first?.cmd === 'connect' && first.clientId === session,
        );
      await until(() => connections().length === 1);
      connections()[0]?.send({ cmd: 'disconnect', reasonCode: 142 });
      connections()[0]?.socket.end();
    };
    const told = (session: string) =>
      logged.some((line) => line.includes('Foreign client took over this session') && line.includes(session));
    await until(() => ingest.subscriber.figures().subscribed === 2);
    await database.rows(
      `update broker_sessions set holder = 'another', held_until = now() + interval '1 hour' where client_id = $1`,
      ['tagtrail-readers-1'],
    );
    await takenOver('tagtrail-readers-1');
    await until(() => ingest.subscriber.figures().sessions === 3);
    await takenOver('tagtrail-readers-0');
    await until(() => told('tagtrail-readers-0'));
    expect(told('tagtrail-readers-1')).to.equal(false);
  });
});
