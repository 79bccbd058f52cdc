import { expect } from 'chai';
import { useDatabase } from '../../support/database.ts';
import { useIngest } from '../../support/ingest.ts';
import { useMosquitto } from '../../support/mosquitto.ts';
import { Site } from '../../support/site.ts';
import { startIngestOn, until } from '../../support/subscribed-ingest.ts';

/**
 * The usual form drains within some seconds, under a short keepalive. With TEST_SLOW_MINUTES it drains for so many minutes,
 * under the keepalive that ingestion has.
 */
const MINUTES = Number(process.env['TEST_SLOW_MINUTES'] ?? 0);
const LONG = { keepalive: 15, commitSeconds: 1, messages: MINUTES * 60 * 222 };
const USUAL = { keepalive: 3, commitSeconds: 0.2, messages: 10_000 };
const { keepalive: KEEPALIVE, commitSeconds: COMMIT, messages: MESSAGES } = MINUTES > 0 ? LONG : USUAL;

/** Keepalives. Whoever were silent for one and a half would be cut off. */
const LONG_ENOUGH = MINUTES > 0 ? 5 : 2.5;

/** As a database that takes its time: every commit of messages waits for so many seconds. */
const slowDown = (seconds: number) => `
  create function take_your_time() returns trigger language plpgsql as
    $$ begin perform pg_sleep(${seconds}); return null; end $$;
  create trigger slow before insert on reader_counters for each statement execute function take_your_time()`;

describe('a backlog that is drained more slowly than it came', function () {
  this.timeout(90_000 + MINUTES * 400_000);
  const broker = useMosquitto(() => ['max_inflight_messages 4000']);
  const database = useDatabase();
  const embedded = useIngest(database);

  before(async () => {
    const site = await Site.create(database);
    const dock = await site.location('DOCK');
    await site.asset('PALLET', 'E2801160');
    await site.reader('portal', [dock], { topic: 'site/portal' });
    await site.reader('eager', [dock]);
    await database.rows(slowDown(COMMIT));
  });

  const payload = (index: number, filling = '') =>
    JSON.stringify({
      value: 'E2801160',
      observed_at: new Date(BEGAN + index * 1_000).toISOString(),
      filling,
    });

  it('costs no connection to the broker, and nothing is handed over twice', async () => {
    const away = await startIngestOn(database, broker.url);
    await until(() => away.subscriber.figures().subscribed > 0);
    await away.stop();
    const reader = await broker.connect();
    const messages = MESSAGES;
    // There are 65,535 packet identifiers for what is under way.
    for (let first = 0; first < messages; first += 10_000) {
      await Promise.all(
        Array.from({ length: Math.min(10_000, messages - first) }, (_, index) =>
          reader.publishAsync('site/portal', payload(first + index, 'x'.repeat(4_096)), { qos: 1 }),
        ),
      );
    }
    const { subscriber } = await startIngestOn(database, broker.url, {}, undefined, { keepalive: KEEPALIVE });
    const began = performance.now();
    await until(() => subscriber.figures().committed >= messages);
    expect(performance.now() - began).to.be.above(LONG_ENOUGH * KEEPALIVE * 1_000);
    const { received, connections, committed, sessions } = subscriber.figures();
    expect({ received, committed }).to.deep.equal({ received: messages, committed: messages });
    // One for each session.
    expect(connections).to.equal(1 + sessions);
  });

  it('costs no reader its connection to the embedded broker', async () => {
    const reader = await embedded.connect('eager', { keepalive: KEEPALIVE, reschedulePings: false });
    let ends = 0;
    reader.on('close', () => {
      ends += 1;
    });
    const began = performance.now();
    await Promise.all(
      Array.from({ length: MINUTES > 0 ? 1_500 : 900 }, (_, index) =>
        reader.publishAsync('eager', payload(index, 'x'.repeat(8_192)), { qos: 1 }),
      ),
    );
    expect(performance.now() - began).to.be.above(LONG_ENOUGH * KEEPALIVE * 1_000);
    expect(ends).to.equal(0);
  });
});

const BEGAN = Date.now() - 86_400_000;
