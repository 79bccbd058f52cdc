import { expect } from 'chai';
import { Registry } from 'prom-client';
import { createClock } from '../../base/clock.ts';
import type { Check } from '../../platform/runtime/health.ts';
import { Lifecycle } from '../../platform/runtime/lifecycle.ts';
import { startEmbeddedIngest } from '../../services/mqtt-ingest/ingest.ts';
import { useDatabase } from '../support/database.ts';
import { connected, connectReader, ingestConfig } from '../support/ingest.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { Site } from '../support/site.ts';
import { until } from '../support/subscribed-ingest.ts';

const HOUR = 3_600_000;

describe("what ingestion says while its clock is not the database's", () => {
  const database = useDatabase();
  const { log, lines } = recordedLog();
  const metrics = new Registry();
  let port: number;
  let checks: Readonly<Record<string, Check>>;
  /** Milliseconds that ingestion's machine is ahead. */
  let ahead = 0;

  before(async () => {
    const site = await Site.create(database);
    await site.asset('PALLET', 'E280');
    await site.reader('portal', [await site.location('DOCK')]);
    const lifecycle = new Lifecycle(log);
    const clock = createClock(() => Date.now() + ahead);
    ({ port, checks } = await startEmbeddedIngest(ingestConfig(database.url), log, lifecycle, {
      clock,
      metrics,
    }));
    database.beforeDrop(() => lifecycle.stop());
  });

  /** `ok`, or what is wrong. */
  const readiness = () =>
    Object(checks['clock'])().then(
      () => 'ok',
      (error: Error) => error.message,
    );
  const measured = async () =>
    Number(/^tagtrail_ingest_clock_ahead_seconds (\S+)$/m.exec(await metrics.metrics())?.[1]);
  const said = (about: RegExp) => lines.filter(({ level, msg }) => level > 20 && about.test(msg));

  for (const wrong of [HOUR, -HOUR]) {
    it(`says so in the log, once, as a metric and to the load balancer (${wrong / HOUR} h)`, async () => {
      lines.length = 0;
      ahead = wrong;
      const reader = connectReader(port, 'portal');
      await connected(reader);
      const published = reader.publishAsync('portal', '{"value":"E280"}', { qos: 1 });
      await until(() => lines.filter(({ msg }) => msg.startsWith('Clock apart')).length >= 3);
      expect((await measured()) * Math.sign(wrong)).to.be.within(3_590, 3_610);
      const reason = /^this machine's clock is 3\d{3}\.\d s (ahead of|behind) the database's/;
      expect(await readiness()).to.match(reason);
      const [line, ...others] = said(/unacknowledged/);
      expect(others).to.deep.equal([]);
      expect(line).to.include({
        level: 40,
        msg: 'Clock apart from that of the database; messages are held unacknowledged',
      });
      expect(Object(line?.['err']).message).to.match(reason);
      ahead = 0;
      await published;
      expect(said(/again/)).to.have.lengthOf(1);
      expect(said(/again/)[0]?.msg).to.equal('Clock correct again; held messages are being recorded');
      expect(await readiness()).to.equal('ok');
      expect(Math.abs(await measured())).to.be.below(5);
      await reader.endAsync();
    });
  }
});
