import { expect } from 'chai';
import { mergeHeardStretches } from '../../../db/timescale/schema/merge-heard-stretches.ts';
import { useDatabase } from '../../support/database.ts';
import { Site } from '../../support/site.ts';

/** In hours. */
const DAY = 24;

describe('stretches in which readers were heard', () => {
  const database = useDatabase();
  let orgId: number;
  let readers: number[];
  before(async () => {
    const site = await Site.create(database);
    const dock = await site.location('DOCK');
    orgId = site.orgId;
    readers = [await site.reader('minutely', [dock]), await site.reader('gone', [dock])];
  });
  beforeEach(async () => {
    await database.empty('reader_spans, reader_counters, reader_expectations, reader_proofs');
    await database.rows('insert into reader_counters (org_id, reader_id) select org_id, id from readers');
  });

  /** A message a minute, but for an outage of twenty minutes every two days. */
  const heardMinutely = (readerId: number | undefined, fromHoursAgo: number, toHoursAgo: number) =>
    database.rows(
      `insert into reader_spans (org_id, reader_id, state, started_at, ended_at, messages)
       select $1, $2, 'up', at, at, 1
       from generate_series(now() - make_interval(hours => $3), now() - make_interval(hours => $4),
         interval '1 minute') with ordinality as minute (at, number)
       where number % 2880 >= 20`,
      [orgId, readerId, fromHoursAgo, toHoursAgo],
    );
  /** From so many days ago on. */
  const expectOf = (
    readerId: number | undefined,
    origin: 'set' | 'learned',
    daysAgo: number,
    seconds: number,
  ) =>
    database.rows(
      `insert into reader_expectations (org_id, reader_id, origin, valid_from, seconds)
       values ($1, $2, $3, now() - make_interval(days => $4), $5)`,
      [orgId, readerId, origin, daysAgo, seconds],
    );
  const stretches = (readerId: number | undefined) =>
    database.rows<{ stretches: number; recent: number; messages: number; longest: number }>(
      `select count(*)::integer as stretches,
         count(*) filter (where started_at >= now() - interval '8 days')::integer as recent,
         sum(messages)::integer as messages,
         round(extract(epoch from max(gap)))::integer as longest
       from (
         select *, started_at - lag(ended_at) over (order by started_at) as gap
         from reader_spans where reader_id = $1 and state = 'up') span`,
      [readerId],
    );

  it('are merged after eight days across gaps that were expected of the reader, and stay apart at others', async () => {
    const [minutely] = readers;
    await heardMinutely(minutely, 14 * DAY, 0);
    await expectOf(minutely, 'learned', 20, 120);
    const [before] = await stretches(minutely);
    await mergeHeardStretches(database.pool);
    const [after] = await stretches(minutely);
    expect(after).to.deep.include({
      messages: before?.messages,
      recent: before?.recent,
      longest: before?.longest,
    });
    // Six days with an outage every two days.
    expect((after?.stretches ?? 0) - (after?.recent ?? 0)).to.be.within(3, 5);
    await mergeHeardStretches(database.pool);
    expect(await stretches(minutely)).to.deep.equal([after]);
  });

  it('stay apart at a silence, and where less was expected then', async () => {
    const [minutely] = readers;
    await heardMinutely(minutely, 14 * DAY, 13 * DAY);
    await expectOf(minutely, 'learned', 20, 120);
    await expectOf(minutely, 'set', 13, 15);
    await heardMinutely(minutely, 12 * DAY, 12 * DAY - 1);
    const [before] = await stretches(minutely);
    await database.rows(
      `insert into reader_spans (org_id, reader_id, state, started_at, ended_at)
       select org_id, reader_id, 'silent', ended_at + interval '1 second', ended_at + interval '10 seconds'
       from reader_spans where reader_id = $1 and started_at < now() - interval '13 days 12 hours'
       order by started_at desc limit 1`,
      [minutely],
    );
    await mergeHeardStretches(database.pool);
    // A day, divided by the silence, and an hour in which a minute was more than was expected.
    expect((await stretches(minutely))[0]).to.deep.include({ stretches: 2 + 42, messages: before?.messages });
  });

  it('stay apart where the reader was disconnected between them, or reads of then came late', async () => {
    const [minutely] = readers;
    await heardMinutely(minutely, 14 * DAY, 13 * DAY);
    await expectOf(minutely, 'learned', 20, 120);
    const wasAt = (minutes: number, seconds: number) =>
      `now() - interval '14 days' + interval '${minutes} minutes ${seconds} seconds'`;
    await database.rows(
      `insert into reader_spans (org_id, reader_id, state, started_at, ended_at)
       values ($1, $2, 'disconnected', ${wasAt(100, 20)}, ${wasAt(100, 30)})`,
      [orgId, minutely],
    );
    await database.rows(
      `insert into reader_proofs (org_id, reader_id, started_at, ended_at, learned_at)
       values ($1, $2, ${wasAt(200, 20)}, ${wasAt(200, 30)}, now())`,
      [orgId, minutely],
    );
    await mergeHeardStretches(database.pool);
    expect((await stretches(minutely))[0]).to.deep.include({ stretches: 3 });
  });

  it('stay as they are of a reader of which nothing is known', async () => {
    const [, gone] = readers;
    await heardMinutely(gone, 14 * DAY, 9 * DAY);
    const before = await stretches(gone);
    await mergeHeardStretches(database.pool);
    expect(await stretches(gone)).to.deep.equal(before);
  });
});
