import { expect } from 'chai';
import { loadBuiltinFormats } from '../../../domain/formats/mapping/builtin.ts';
import type { Format } from '../../../domain/formats/mapping/format.ts';
import { mapMessage } from '../../../domain/formats/mapping/run.ts';
import { MAX_PAYLOAD_BYTES } from '../../../domain/formats/mapping/values/limits.ts';
import { LARGE } from '../../../services/mqtt-ingest/intake/large-messages.ts';
import { useDatabase } from '../../support/database.ts';
import { loadTargets } from '../../support/fuzz-targets.ts';
import { longestHold, timeDuring, timeOf, Yardstick } from '../../support/held-loop.ts';
import { openIntake, type TestIntake } from '../../support/intake.ts';
import { largePayloads } from '../../support/large-payloads.ts';
import { Site } from '../../support/site.ts';
import { storeAnyFormat } from '../../support/stored-format.ts';

const keys = (count: number) =>
  `{${Array.from({ length: count }, (_, at) => `"${at.toString(36)}":1`).join(',')}}`;

/** Parsing it takes 40 ms on a machine on which nobody may be held up for more than 100. */
const YARDSTICK = new Yardstick(keys(110_000));

describe('the event loop of ingestion', () => {
  const database = useDatabase();
  let intake: TestIntake;

  before(async () => {
    const site = await Site.create(database);
    const dock = await site.location('DOCK');
    for (const format of loadBuiltinFormats().keys()) {
      await site.reader(format, [dock], { format });
    }
    intake = await openIntake(database);
  });

  for (const { format, seeds } of loadTargets().filter(({ format }) =>
    loadBuiltinFormats().has(format.name),
  )) {
    it(`is held by a message of ${format.name} for less time than parsing takes, whatever it holds`, async () => {
      const long: number[] = [];
      for (const [kind, payload] of largePayloads(
        seeds[0]?.payload ?? Buffer.of(),
        MAX_PAYLOAD_BYTES - 64,
      ).entries()) {
        const send = () => intake.receive(format.name, payload);
        if (await YARDSTICK.isExceededBy((attempts) => longestHold(send, attempts))) {
          long.push(kind);
        }
      }
      expect(long).to.deep.equal([]);
    });
  }

  it('is held by ten thousand EPCs that were never read before for less time than parsing takes', async () => {
    const payloads = Array.from({ length: 6 }, (_, turn) => {
      const epcs = Array.from({ length: 10_000 }, (_, at) =>
        (turn * 10_000 + at).toString(16).padStart(9, '0'),
      );
      return JSON.stringify(epcs.map((serial) => ({ value: `3074257bf7194e4${serial}` })));
    });
    const send = () => intake.receive('tagtrail', payloads.pop() ?? '');
    expect(await YARDSTICK.isExceededBy((attempts) => longestHold(send, attempts))).to.equal(false);
    expect(payloads.length).to.be.lessThan(6);
  });

  it("is held for a moment only by an organization's own format that makes very much work of small messages", async () => {
    const costly = { root: '/text', transform: Array(10).fill('upper') };
    const value = Array.from({ length: 8 }, () => ({
      join: [...Array(9).fill(costly), { root: '/nothing' }],
    }));
    await storeAnyFormat(database, 'costly', {
      ...{ name: 'costly', decode: 'json' },
      rules: [{ each: '/items/*', fields: { tag_type: [{ const: 'rfid' }], value } }],
    });
    const costs = await Site.create(database, 'Costly');
    await costs.reader('costly', [null], { format: 'costly' });
    await intake.registry.refresh();
    const payload = Buffer.from(JSON.stringify({ text: 'n'.repeat(4_096), items: Array(6_000).fill([]) }));
    expect(payload.length).to.be.lessThan(LARGE);
    const send = () => Promise.all(Array.from({ length: 10 }, () => intake.receive('costly', payload)));
    expect(await longestHold(send, 3)).to.be.lessThan(250);
    const [kept] = await database.rows(`select reason from rejected_messages where topic = 'costly' limit 1`);
    expect(kept?.['reason']).to.include('too much work');
  });

  it('is held by many messages at once for less time than reading half of them takes', async () => {
    const payload = Buffer.from(keys(3_500));
    expect(payload.length).to.be.lessThan(LARGE);
    const format = loadBuiltinFormats().get('tagtrail') as Format;
    const half = () => Array.from({ length: 40 }, () => mapMessage(format, { topic: 'tagtrail', payload }));
    const send = () =>
      Promise.all(
        Array.from({ length: 80 }, (_, at) => intake.receive(at % 2 === 0 ? 'tagtrail' : 'ingics', payload)),
      );
    await send();
    expect(await longestHold(send, 5)).to.be.lessThan(timeOf(half));
  });

  it('is held by a message that moves 10,000 assets where strength decides for less than a twelfth of the time that it takes', async function () {
    this.timeout(240_000);
    const site = await Site.create(database, 'By strength');
    await site.reader('by-strength', [await site.location('HERE'), await site.location('THERE')]);
    await database.rows(
      `with made as (
         insert into assets (org_id, external_key, name) select $1, 'A-' || n, 'a' from generate_series(1, 10000) n
         returning id, external_key
       )
       insert into tags (org_id, tag_type, value, tag_key, asset_id)
       select $1, 'barcode', external_key, external_key, id from made`,
      [site.orgId],
    );
    await database.rows(
      `insert into location_settings (org_id, procedure, certainty, valid_from)
       select $1, 'strength', 0.1, now() - n * interval '1 minute' from generate_series(1, 1000) n`,
      [site.orgId],
    );
    await intake.registry.refresh();
    let sent = 0;
    // Each stronger than the one before, so that assets move: two more are within 30 s of each, the latter of the same antenna.
    const start = Date.now() - 180_000;
    const send = () => {
      const observed_at = start + 12_000 * sent;
      const [antenna, rssi] = [1 + (sent % 2), 7 * sent++ - 140];
      const reads = Array.from({ length: 10_000 }, (_, at) => {
        return { tag_type: 'barcode', value: `A-${at + 1}`, antenna, rssi, observed_at };
      });
      return intake.receive('by-strength', JSON.stringify(reads));
    };
    await timeDuring(send, 3);
    const held = await longestHold(send, 5);
    expect(held).to.be.lessThan((await timeDuring(send, 3)) / 12);
    const [moved] = await database.rows(
      'select count(*)::integer as count from location_transitions where org_id = $1',
      [site.orgId],
    );
    expect(moved?.['count']).to.be.above(10_000);
  });
});
