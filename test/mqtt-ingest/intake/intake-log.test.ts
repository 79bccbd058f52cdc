import { expect } from 'chai';
import { Lifecycle } from '../../../platform/runtime/lifecycle.ts';
import { startEmbeddedIngest } from '../../../services/mqtt-ingest/ingest.ts';
import { useDatabase } from '../../support/database.ts';
import { connected, connectReader, ingestConfig } from '../../support/ingest.ts';
import { type LogLine, recordedLog } from '../../support/recorded-log.ts';
import { Site } from '../../support/site.ts';
import { until } from '../../support/subscribed-ingest.ts';

describe('what ingestion logs', () => {
  const database = useDatabase();
  const { log, lines } = recordedLog();
  const lifecycle = new Lifecycle(log);
  const said = (msg: string): LogLine[] => lines.filter((line) => line.msg === msg);
  let whose: { orgId: number; readerId: number; reader: string };
  let site: Site;
  let port: number;

  before(async () => {
    site = await Site.create(database);
    await site.asset('PALLET', 'E2801160');
    const readerId = await site.reader('portal', [await site.location('DOCK')], { topic: 'site/portal' });
    whose = { orgId: site.orgId, readerId, reader: 'portal' };
    ({ port } = await startEmbeddedIngest(ingestConfig(database.url), log, lifecycle));
  });
  database.beforeDrop(() => lifecycle.stop());

  it('names a reader that connects, and one that is refused once a minute', async () => {
    const portal = connectReader(port, 'portal');
    await connected(portal);
    await portal.endAsync();
    await until(() => said('Reader disconnected').length === 1);
    for (let attempt = 0; attempt < 3; attempt++) {
      const refused = connectReader(port, 'portal', { password: 'wrong' });
      await new Promise((resolve) => refused.once('error', resolve));
      await refused.endAsync();
    }
    expect(said('Reader connected')).to.have.lengthOf(1);
    expect(said('Reader connected')[0]).to.include({ level: 30, ...whose, remoteAddress: '127.0.0.1' });
    expect(said('Reader disconnected')[0]).to.include(whose);
    expect(said('Reader refused')).to.have.lengthOf(1);
    expect(said('Reader refused')[0]).to.include({ level: 40, ...whose, username: 'portal', times: 1 });
  });

  it('names a reader whose messages are rejected, and why, once a minute', async () => {
    const portal = connectReader(port, 'portal');
    await connected(portal);
    for (let message = 0; message < 5; message++) {
      await portal.publishAsync('site/portal', `{"no":${message}`, { qos: 1 });
    }
    await portal.endAsync();
    const rejected = said('Message rejected, in whole or in part');
    expect(rejected).to.have.lengthOf(1);
    expect(rejected[0]).to.include({ level: 40, ...whose, topic: 'site/portal', times: 1 });
    expect(rejected[0]?.['reason']).to.be.a('string').and.include('JSON');
  });

  it('names a reader whose messages cannot be recorded, once a minute, with the fault', async () => {
    await database.rows(
      `create function poison() returns trigger language plpgsql as $$
       begin if new.tag_value like 'E28F%' then raise exception 'poison'; end if; return new; end $$;
       create trigger poison before insert on scan_events for each row execute function poison()`,
    );
    await site.asset('POISON', 'E28F0001');
    const portal = connectReader(port, 'portal');
    await connected(portal);
    for (let message = 0; message < 3; message++) {
      await portal.publishAsync('site/portal', '{"value":"E28F0001"}', { qos: 1 });
    }
    await portal.endAsync();
    const lines = said('Message could not be recorded; it is rejected');
    expect(lines).to.have.lengthOf(1);
    expect(lines[0]).to.include({ level: 50, ...whose, topic: 'site/portal', times: 1 });
    expect(lines[0]?.['err']).to.include({ message: 'poison', code: 'P0001' });
  });

  it('tells of an outage once when it begins and once when it is over', async () => {
    const portal = connectReader(port, 'portal');
    await connected(portal);
    const message = 'Database unavailable; messages are held unacknowledged';
    await database.rows('alter table scan_events rename to scan_events_away');
    const published = portal.publishAsync('site/portal', '{"value":"E2801160"}', { qos: 1 });
    await until(() => said(message).length >= 3);
    await database.rows('alter table scan_events_away rename to scan_events');
    await published;
    await portal.endAsync();
    expect(said(message).filter(({ level }) => level > 20)).to.have.lengthOf(1);
    expect(said('Database available again; held messages are being recorded')).to.have.lengthOf(1);
    expect(said('Database available again; held messages are being recorded')[0]?.['seconds']).to.be.a(
      'number',
    );
  });
});
