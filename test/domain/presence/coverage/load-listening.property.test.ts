import { expect } from 'chai';
import { MICROS_PER_DAY, MICROS_PER_SECOND, type Micros } from '../../../../base/instant.ts';
import { inTransaction } from '../../../../db/timescale/connections/transaction.ts';
import { NO_ROWS, sql } from '../../../../db/timescale/queries/sql.ts';
import { listeningOf } from '../../../../domain/presence/coverage/listening-times.ts';
import { loadListening } from '../../../../domain/presence/coverage/load-places.ts';
import { inForce, type StoredExpectation } from '../../../../domain/presence/expectations.ts';
import type { Interval } from '../../../../domain/presence/intervals.ts';
import { useDatabase } from '../../../support/database.ts';
import { Random } from '../../../support/random.ts';
import { randomSets } from '../../../support/random-sets.ts';
import { Site } from '../../../support/site.ts';

const BEGINNING: Micros = Date.UTC(2026, 4, 1, 10) * 1_000;
const at = (second: number): Micros => BEGINNING + second * MICROS_PER_SECOND;

/** Intervals one after the other, apart by so many seconds at least. */
function intervals(random: Random, count: number, apart: number, mostApart: number): Interval[] {
  let second = random.below(60);
  return Array.from({ length: count }, () => {
    const since = second + apart + random.below(mostApart);
    second = since + random.below(40);
    return { since: at(since), until: at(second) };
  });
}

describe('evidence of listening', () => {
  const database = useDatabase();
  const site = Site.create.bind(Site, database);

  it('says the same when stretches are joined as they are read, whatever was expected when', async () => {
    const { orgId, ...made } = await organization();
    for (let round = 0; round < Math.max(20, randomSets(60)); round++) {
      const random = new Random(round, 7);
      const readerId = await made.reader(`portal-${round}`);
      const heard = intervals(random, random.below(30), 16, 60);
      const proven = intervals(random, random.below(6), 16, 300);
      const disconnected = intervals(random, random.below(4), 1, 500);
      const expectations: StoredExpectation[] = Array.from({ length: random.below(4) }, (_, index) => ({
        ...{ origin: random.once(2) ? ('set' as const) : ('learned' as const) },
        from: at(random.below(1_500) * 10 + index),
        expected: (15 + random.below(60)) * MICROS_PER_SECOND,
      }));
      await database.rows(
        `insert into reader_spans (org_id, reader_id, state, started_at, ended_at, messages)
         select $1, $2, state, time_of_micros(since), time_of_micros(until), case when state = 'up' then 1 end
         from unnest($3::text[], $4::int8[], $5::int8[]) as given (state, since, until)`,
        [
          ...[orgId, readerId],
          [...heard.map(() => 'up'), ...disconnected.map(() => 'disconnected')],
          ...columns([...heard, ...disconnected]),
        ],
      );
      await database.rows(
        `insert into reader_proofs (org_id, reader_id, started_at, ended_at, learned_at)
         select $1, $2, time_of_micros(since), time_of_micros(until), now()
         from unnest($3::int8[], $4::int8[]) as given (since, until)`,
        [orgId, readerId, ...columns(proven)],
      );
      await database.rows(
        `insert into reader_expectations (org_id, reader_id, origin, valid_from, seconds)
         select $1, $2, origin, time_of_micros(since), seconds
         from unnest($3::text[], $4::int8[], $5::float8[]) as given (origin, since, seconds)`,
        [
          ...[orgId, readerId],
          expectations.map(({ origin }) => origin),
          expectations.map(({ from }) => from),
          expectations.map(({ expected }) => (expected ?? 0) / MICROS_PER_SECOND),
        ],
      );
      const looked = { since: at(-1_000), until: at(20_000) };
      const loaded = (await loadListening(database.pool, orgId, [readerId], looked)).get(readerId);
      if (loaded === undefined) {
        throw new Error('no evidence');
      }
      const plain = { heard, proven, disconnected, expectations: inForce(expectations) };
      expect(listeningOf(loaded), `round ${round}`).to.deep.equal(listeningOf(plain));
      expect(loaded.heard.length).to.be.at.most(heard.length);
    }
  });

  it('is one row of a reader that was heard all the time', async () => {
    const { orgId, ...made } = await organization();
    const readerId = await made.reader('portal');
    await database.rows(
      `insert into reader_spans (org_id, reader_id, state, started_at, ended_at, messages)
       select $1, $2, 'up', instant, instant, 1
       from generate_series(time_of_micros($3), time_of_micros($4), interval '1 minute') instant`,
      [orgId, readerId, at(0), at(86_400)],
    );
    await database.rows(
      `insert into reader_expectations (org_id, reader_id, origin, valid_from, seconds) values ($1, $2, 'set', time_of_micros($3), 90)`,
      [orgId, readerId, at(-1)],
    );
    const loaded = await loadListening(database.pool, orgId, [readerId], { since: at(0), until: at(90_000) });
    expect(loaded.get(readerId)?.heard).to.deep.equal([{ since: at(0), until: at(86_400) }]);
  });

  it('takes no room on the disk to find, of a reader that connects for each message', async () => {
    const { orgId, ...made } = await organization();
    const readerId = await made.reader('each');
    const looked = { since: at(0), until: at(0) + MICROS_PER_DAY };
    await database.rows(
      `insert into reader_spans (org_id, reader_id, state, started_at, ended_at, messages)
       select $1, $2, state, at + after, at + after + lasts, messages
       from generate_series(time_of_micros($3), time_of_micros($4), interval '20 seconds') at
       cross join (values ('up', interval '0', interval '0', 1), ('disconnected', '5 milliseconds', '19 seconds', null))
         kind (state, after, lasts, messages)`,
      [orgId, readerId, looked.since, looked.until],
    );
    const loaded = await inTransaction(database.pool, async (transaction) => {
      await transaction.exec(sql.type(NO_ROWS)`set local temp_file_limit = '64MB'`);
      return await loadListening(transaction, orgId, [readerId], looked);
    });
    expect(loaded.get(readerId)?.heard).to.have.lengthOf(4_321);
  });

  async function organization() {
    const created = await site();
    const dock = await created.location('DOCK');
    return { orgId: created.orgId, reader: (name: string) => created.reader(name, [dock]) };
  }
});

function columns(list: readonly Interval[]): [Micros[], Micros[]] {
  return [list.map(({ since }) => since), list.map(({ until }) => until)];
}
