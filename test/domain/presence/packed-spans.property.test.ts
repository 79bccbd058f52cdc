import { expect } from 'chai';
import { MICROS_PER_DAY, MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { mergeHeardStretches } from '../../../db/timescale/schema/merge-heard-stretches.ts';
import { packReaderSpans } from '../../../db/timescale/schema/pack-reader-spans.ts';
import { loadReaderEvidence } from '../../../domain/alerts/conditions/load-reader-evidence.ts';
import { loadListening } from '../../../domain/presence/coverage/load-places.ts';
import { readSpans } from '../../../domain/presence/read-spans.ts';
import { learn } from '../../../domain/presence/silence/learn.ts';
import { loadEvidence } from '../../../domain/presence/silence/load-evidence.ts';
import { useDatabase } from '../../support/database.ts';
import { Random } from '../../support/random.ts';
import { Site } from '../../support/site.ts';

const READERS = 12;
const HOUR: Micros = 3_600 * MICROS_PER_SECOND;

interface Span {
  state: 'up' | 'silent' | 'disconnected';
  since: Micros;
  until: Micros;
}

/** A reader that mostly connects for each message, and now and then is away, or stays, for up to three hours. */
function history(random: Random, since: Micros, until: Micros): Span[] {
  const spans: Span[] = [];
  const seconds = (least: number, most: number) =>
    (least + random.below(most - least)) * MICROS_PER_SECOND + random.below(1_000_000);
  let at = since + seconds(0, 20_000);
  while (at < until) {
    const heardUntil = at + (random.once(60) ? seconds(100, 9_000) : random.below(3) * seconds(0, 14));
    spans.push({ state: 'up', since: at, until: heardUntil });
    const gone = heardUntil + random.below(2) * random.below(1_000_000);
    const next = gone + (random.once(60) ? seconds(100, 10_000) : seconds(16, 300));
    if (!random.once(20)) {
      spans.push({ state: 'disconnected', since: gone, until: next - random.below(2) * 1_000 });
    }
    if (random.once(30)) {
      spans.push({ state: 'silent', since: heardUntil + 15 * MICROS_PER_SECOND, until: next });
    }
    at = next;
  }
  return spans;
}

describe('spans that are packed', () => {
  const database = useDatabase();
  const midnight = Math.floor((Date.now() * 1_000) / MICROS_PER_DAY) * MICROS_PER_DAY;
  const [beginning, end] = [midnight - 12 * MICROS_PER_DAY, midnight - 10 * MICROS_PER_DAY];
  let orgId: number;
  const readers: number[] = [];

  before(async () => {
    const site = await Site.create(database);
    orgId = site.orgId;
    const dock = await site.location('DOCK');
    await database.rows(
      `insert into rules (org_id, id, version, valid_from, is_ended, kind, name, metadata, mail_to)
       values ($1, lpad('1', 26, '0'), 1, now() - interval '30 days', false, 'reader', 'R', '[]', '{}')`,
      [orgId],
    );
    for (let index = 0; index < READERS; index++) {
      const random = new Random(index, 41);
      const readerId = await site.reader(`portal-${index}`, [dock]);
      readers.push(readerId);
      const spans = history(random, beginning, end);
      await database.rows(
        `insert into reader_spans (org_id, reader_id, state, started_at, ended_at, messages)
         select $1, $2, state, time_of_micros(since), time_of_micros(until), case when state = 'up' then 1 + since % 7 end
         from unnest($3::text[], $4::int8[], $5::int8[]) as given (state, since, until)`,
        [
          ...[orgId, readerId, spans.map(({ state }) => state)],
          ...[spans.map(({ since }) => since), spans.map(({ until }) => until)],
        ],
      );
      await database.rows(
        `insert into reader_expectations (org_id, reader_id, origin, valid_from, seconds)
         values ($1, $2, 'set', time_of_micros($3), $4)`,
        [orgId, readerId, beginning + random.below(40) * HOUR, 15 + random.below(300)],
      );
    }
    await database.rows(
      `insert into reader_counters (org_id, reader_id, heard_since, heard_until, heard_messages)
       select org_id, id, time_of_micros($1), time_of_micros($1), 1 from readers`,
      [end + 6 * HOUR],
    );
    await mergeHeardStretches(database.pool);
    await database.empty('alert_revisions');
  });

  const stored = async () => {
    const [counts] = await database.rows<{ rows: number; packed: number }>(
      `select (select count(*)::integer from reader_spans) as rows,
         (select count(*)::integer from reader_packed_spans) as packed`,
    );
    return counts ?? { rows: 0, packed: 0 };
  };

  /** All that is said of the readers, of random times; as texts, which are compared sooner. */
  async function answers() {
    const random = new Random(5, 5);
    const said: string[] = [];
    const say = (what: unknown) => said.push(JSON.stringify(what));
    for (let round = 0; round < 8; round++) {
      const since = beginning - HOUR + random.below(50 * 3_600) * MICROS_PER_SECOND;
      const window = { since, until: since + random.below(30 * 3_600) * MICROS_PER_SECOND };
      say([...(await loadListening(database.pool, orgId, readers, window))]);
      say((await loadReaderEvidence(database.pool, orgId, readers, window)).readers);
    }
    for (const readerId of readers) {
      say((await readSpans(database.pool, { orgId, readerId }, 31)).spans);
    }
    for (let round = 0; round < 4; round++) {
      const since = beginning + random.below(50 * 3_600) * MICROS_PER_SECOND;
      const evidence = await loadEvidence(
        database.pool,
        readers.map((readerId) => ({ orgId, readerId, since })),
      );
      say(evidence.toSorted((a, b) => a.readerId - b.readerId));
    }
    await learn(
      database.pool,
      readers.map((readerId) => ({ orgId, readerId })),
      [{ since: 0, until: end + MICROS_PER_DAY }],
    );
    say(
      await database.rows(
        `with learned as (delete from reader_expectations where origin = 'learned' returning reader_id, seconds)
         select * from learned order by reader_id`,
      ),
    );
    return said;
  }

  it('say the same as before, in a few rows, and nothing is derived anew', async () => {
    const [before, rowsBefore] = [await answers(), (await stored()).rows];
    await database.rows(
      `insert into cell_moves (org_id, state, other_cell, applied) values ($1, 'arriving', 'other', '0/1')`,
      [orgId],
    );
    expect(await packReaderSpans(database.pool), 'while they arrive from another cell').to.equal(0);
    expect(await mergeHeardStretches(database.pool), 'while they arrive from another cell').to.equal(0);
    await database.empty('cell_moves');
    const days = await packReaderSpans(database.pool);
    const { rows, packed } = await stored();
    expect(packed)
      .to.equal(days)
      .and.be.within(READERS, 2 * READERS);
    expect(rows).to.be.below(rowsBefore / 4);
    // As autovacuum may at any time: other statistics make other plans, which find rows in another order.
    await database.rows('analyze');
    expect(await answers()).to.deep.equal(before);
    expect(await database.rows('select * from alert_revisions')).to.deep.equal([]);

    await mergeHeardStretches(database.pool);
    expect(await answers()).to.deep.equal(before);
    expect(await packReaderSpans(database.pool)).to.equal(0);
  });

  it('never have the last of a reader, which is what others are compared with', async () => {
    const [{ missing } = { missing: null }] = await database.rows<{ missing: number }>(
      `select count(*)::integer as missing from reader_packed_spans packed
       cross join (values ('up'), ('disconnected')) kind (state)
       where not exists (
         select from reader_spans span
         where span.org_id = packed.org_id and span.reader_id = packed.reader_id and span.state = kind.state
           and span.started_at > all (case kind.state when 'up' then packed.heard_since else packed.away_since end)
       )`,
    );
    expect(missing).to.equal(0);
  });
});
