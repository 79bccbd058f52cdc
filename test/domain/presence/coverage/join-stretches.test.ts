import { expect } from 'chai';
import { mergeHeardStretches } from '../../../../db/timescale/schema/merge-heard-stretches.ts';
import { loadListening } from '../../../../domain/presence/coverage/load-places.ts';
import { SilenceTurns } from '../../../../domain/presence/silence/take-turn.ts';
import { useDatabase } from '../../../support/database.ts';
import { Site } from '../../../support/site.ts';

describe('joining what a reader was heard', () => {
  const database = useDatabase();
  let orgId: number;
  let readerId: number;
  let turns: SilenceTurns;
  const WINDOW = { since: 0, until: Date.now() * 1_000 };
  before(async () => {
    turns = new SilenceTurns(database.pool);
    const site = await Site.create(database);
    orgId = site.orgId;
    readerId = await site.reader('minutely', [await site.location('DOCK')]);
    await database.rows(
      `insert into reader_expectations (org_id, reader_id, origin, valid_from, seconds)
       values ($1, $2, 'set', now() - interval '20 days', 120)`,
      [orgId, readerId],
    );
    await database.rows(
      `insert into reader_spans (org_id, reader_id, state, started_at, ended_at, messages)
       select $1, $2, 'up', at, at, 1
       from generate_series(now() - interval '9 days', now() - interval '1 minute', interval '1 minute') at`,
      [orgId, readerId],
    );
    await database.rows(
      `insert into reader_counters (org_id, reader_id, last_message_at, heard_since, heard_until, heard_messages)
       values ($1, $2, now(), now(), now(), 1)`,
      [orgId, readerId],
    );
  });

  const joined = () =>
    database.rows<{ days: number; is_latest: boolean }>(
      `select extract(epoch from ended_at - started_at)::float8 / 86400 as days,
         ended_at > now() - interval '2 hours' as is_latest
       from reader_joined_spans where reader_id = $1 order by started_at`,
      [readerId],
    );
  const heard = async () =>
    (await loadListening(database.pool, orgId, [readerId], WINDOW)).get(readerId)?.heard;

  it('is done a day in a turn, up to a while ago, of the last eight days', async () => {
    const before = await heard();
    for (let turn = 0; turn < 8; turn++) {
      await turns.take();
    }
    const rows = await joined();
    expect(rows).to.have.length(8);
    expect(Math.max(...rows.map(({ days }) => days))).to.be.at.most(1);
    expect(rows.at(-1)?.is_latest).to.equal(true);
    expect(await heard()).to.deep.equal(before);
  });

  it('begins anew where something came late, once that is taken notice of', async () => {
    await database.rows(`select revise_silences($1, $2, now() - interval '36 hours')`, [orgId, readerId]);
    const before = await heard();
    expect(await joined()).to.have.length(8);
    await turns.take();
    expect(await joined()).to.have.length(6);
    expect(await heard()).to.deep.equal(before);
  });

  it('is given up where stretches are merged in place', async () => {
    for (const table of ['reader_spans', 'reader_joined_spans']) {
      await database.rows(
        `update ${table} set started_at = started_at - interval '36 hours', ended_at = ended_at - interval '36 hours'`,
      );
    }
    const [rows, before] = [await joined(), await heard()];
    await mergeHeardStretches(database.pool);
    expect(await joined()).to.deep.equal(rows.slice(2));
    expect(await heard()).to.deep.equal(before);
  });

  it('takes turns by organization', async () => {
    const [many, other] = [await Site.create(database), await Site.create(database)];
    const ids = [];
    for (let number = 0; number < 6; number++) {
      ids.push(await many.reader(`many-${number}`, []));
    }
    const otherId = await other.reader('other', []);
    await database.rows(
      `insert into reader_spans (org_id, reader_id, state, started_at, ended_at, messages)
       select org_id, id, 'up', at, at, 1
       from readers, generate_series(now() - interval '1 day', now() - interval '1 minute', interval '1 minute') at
       where id = any ($1)`,
      [[...ids, otherId]],
    );
    await database.rows(
      `insert into reader_counters (org_id, reader_id, last_message_at, heard_since, heard_until, heard_messages)
       select org_id, id, now(), now(), now(), 1 from readers where id = any ($1)`,
      [[...ids, otherId]],
    );
    await database.rows(`update silence_derivation set derived_at = '-infinity'`);
    await new SilenceTurns(database.pool).take();
    const rows = await database.rows('select from reader_joined_spans where reader_id = $1', [otherId]);
    expect(rows).to.have.length.above(0);
  });
});
