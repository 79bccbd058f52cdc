import { expect } from 'chai';
import { pino } from 'pino';
import { Lifecycle } from '../../../platform/runtime/lifecycle.ts';
import { startSubscribedIngest } from '../../../services/mqtt-ingest/ingest.ts';
import { useDatabase } from '../../support/database.ts';
import { useMosquitto } from '../../support/mosquitto.ts';
import { Site } from '../../support/site.ts';
import { subscribedConfig, until } from '../../support/subscribed-ingest.ts';

/** The first one's lease, which it renews, outlasts any stall of this machine. */
const LASTING = `create function lasting() returns trigger language plpgsql as $$
    begin new.held_until := new.held_until + interval '1 hour'; return new; end $$;
  create trigger lasting before insert or update on broker_sessions for each row
    when (new.client_id = 'first') execute function lasting()`;

const log = pino({ level: 'silent' });

describe('an ingest process that takes the messages of all readers, as MQTT_SHARED is off', () => {
  const broker = useMosquitto();
  const database = useDatabase();

  before(async () => {
    const site = await Site.create(database);
    await site.asset('PALLET', 'E280');
    await site.reader('portal', [await site.location('DOCK')], { topic: 'site/portal' });
  });

  async function start(name: string, shared: 'off' | 'auto') {
    const lifecycle = new Lifecycle(log);
    database.beforeDrop(() => lifecycle.stop());
    const settings = { MQTT_CLIENT_ID: name, MQTT_SHARED: shared };
    const config = subscribedConfig(database.url, broker.url, settings);
    const { subscriber } = await startSubscribedIngest(config, 0, log, lifecycle);
    await until(() => subscriber.figures().subscribed > 0 || shared === 'auto');
    return lifecycle;
  }
  const registered = async () =>
    (
      await database.rows<{ id: string }>(
        'select client_id as id from broker_sessions where not is_divided and held_until > now() order by 1',
      )
    ).map(({ id }) => id);

  it('keeps another from starting, waits for one that was killed, and ends if one divides the readers', async () => {
    await database.rows(LASTING);
    const first = await start('first', 'off');
    const refusal = await start('second', 'off').catch((error: unknown) => error);
    expect(refusal).to.have.property('code', 'misconfigured');
    expect(refusal)
      .to.have.property('message')
      .that.matches(/^MQTT_SHARED is off, .* and first does so beside second .*: set MQTT_SHARED to auto/);
    expect(await registered()).to.deep.equal(['first']);
    const reader = await broker.connect();
    await reader.publishAsync('site/portal', '{"value":"E280"}', { qos: 1 });
    await until(async () => (await database.rows('select from scan_events')).length > 0);
    expect(await database.rows('select messages from reader_counters')).to.deep.equal([{ messages: 1 }]);
    await database.rows('drop trigger lasting on broker_sessions');
    await first.stop();
    await database.rows(
      "update broker_sessions set holder = 'first', held_until = now() + interval '1 second' where client_id = 'first'",
    );
    const next = await start('next', 'off');
    const dividing = await start('dividing', 'auto');
    const failure = await next.failure;
    expect(failure).to.have.property('message').that.includes('dividing does so beside next');
    await next.stop();
    await dividing.stop();
  });
});
