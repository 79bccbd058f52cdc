import { expect } from 'chai';
import { Registry } from 'prom-client';
import { Client } from '../../../db/timescale/connections/client.ts';
import { connectionConfig } from '../../../db/timescale/connections/connection.ts';
import { listReaders } from '../../../domain/administration/readers/list-readers.ts';
import { examineReaders } from '../../../domain/health/readers.ts';
import { collectReaderCounters } from '../../../services/mqtt-ingest/metrics/collect-reader-counters.ts';
import { useDatabase } from '../../support/database.ts';
import { openIntake, type TestIntake } from '../../support/intake.ts';
import { Site } from '../../support/site.ts';

const SECOND = 1_000_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const NAMES = ['right', 'behind', 'ahead', 'erratic', 'replaying', 'silent', 'new'] as const;

describe("readers' clocks", () => {
  const database = useDatabase();
  let site: Site;
  let intake: TestIntake;
  let now = Date.now() * 1_000;

  before(async () => {
    site = await Site.create(database);
    const dock = await site.location('DOCK');
    await site.asset('PALLET', 'E2801160');
    for (const name of NAMES) {
      await site.reader(name, [dock]);
    }
    intake = await openIntake(database, database.pool, { clock: () => now });

    const send = (name: string, observed: number) =>
      intake.receive(
        name,
        JSON.stringify({ value: 'E2801160', observed_at: new Date(observed / 1_000).toISOString() }),
      );
    for (let minute = 0; minute < 40; minute++) {
      now += MINUTE;
      await send('right', now - SECOND);
      await send('behind', now - 3 * HOUR - SECOND);
      await send('ahead', now + 10 * MINUTE);
      // It sends some of its reads late.
      await send('erratic', now + (minute % 2 === 1 ? HOUR : 10 * MINUTE));
      // An hour's buffer, sent within five minutes, the newest reads among it.
      if (minute >= 20 && minute < 25) {
        for (let part = 0; part < 10; part++) {
          await send('replaying', now - HOUR + ((minute - 20) * 10 + part) * MINUTE);
        }
      } else {
        await send('replaying', now - 2 * SECOND);
      }
      await intake.receive('silent', '{"value":"E2801160"}');
    }
    await send('new', now - 240 * HOUR);
  });

  it('are compared with the time of receipt, and called wrong when they are ahead or steadily behind, not for a replay', async () => {
    const readers = await listReaders(database.pool, site.orgId);
    const clocks = Object.fromEntries(readers.map(({ name, clock }) => [name, clock]));
    const steady = { spread_seconds: 0, minutes: 31, doubtful: false };
    expect(clocks).to.deep.equal({
      right: { behind_seconds: 1, ...steady, wrong: false },
      behind: { behind_seconds: 10_801, ...steady, wrong: true },
      ahead: { behind_seconds: -600, ...steady, wrong: true },
      erratic: { behind_seconds: -3_600, ...steady, spread_seconds: 3_000, wrong: true },
      replaying: { behind_seconds: 2, ...steady, wrong: false },
      silent: null,
      new: { behind_seconds: 864_000, spread_seconds: 0, minutes: 1, wrong: false, doubtful: true },
    });
  });

  it('are kept as the best of each minute, however many messages come in it', async () => {
    const [kept] = await database.rows<{ offsets: number[] }>(
      `select clock_offsets_ms as offsets from reader_counters
       join readers on readers.id = reader_id where readers.name = 'replaying'`,
    );
    expect(kept?.offsets).to.have.lengthOf(31);
    // 39 to 9 of the forty minutes: the five of the replay begin with the twelfth.
    expect(kept?.offsets.map(Number).filter((offset) => offset > 2_000)).to.have.lengthOf(5);
  });

  it('are in the metrics and in what doctor says', async () => {
    const registry = new Registry();
    collectReaderCounters(database.pool, registry);
    const text = await registry.metrics();
    const ids = await database.rows<{ name: string; id: number }>('select name, id from readers');
    const labelsOf = (of: string) =>
      `org="${site.orgId}",reader="${ids.find(({ name }) => name === of)?.id}"`;
    expect(text).to.include(`tagtrail_reader_clock_behind_seconds{${labelsOf('behind')}} 10801\n`);
    expect(text).to.include(`tagtrail_reader_clock_wrong{${labelsOf('behind')}} 1\n`);
    expect(text).to.include(`tagtrail_reader_clock_wrong{${labelsOf('ahead')}} 1\n`);
    expect(text).to.include(`tagtrail_reader_clock_wrong{${labelsOf('replaying')}} 0\n`);
    expect(text).not.to.include(`tagtrail_reader_clock_wrong{${labelsOf('silent')}}`);

    const client = new Client(connectionConfig(database.url));
    await client.connect();
    const said = (await examineReaders(client)).map((finding) => JSON.stringify(finding)).join('\n');
    await client.end();
    expect(said).to.match(/behind \(reader \d+\) has a clock that is 10801 s behind/);
    expect(said).to.match(/new \(reader \d+\) may have a wrong clock: so far it is 864000 s behind/);
    expect(said).to.match(/ahead \(reader \d+\) has a clock that is 600 s ahead/);
    expect(said).to.match(/erratic \(reader \d+\) has a clock that is 3600 s ahead/);
    expect(said).to.not.match(/(right|replaying|silent|new) \(reader \d+\) has a clock/);
  });
});
