import { expect } from 'chai';
import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { inTransaction } from '../../../db/timescale/connections/transaction.ts';
import { keepLateProofs, type LateProof, stretchesOf } from '../../../domain/messages/heard-stretches.ts';
import type { RegisteredReader } from '../../../domain/messages/load-readers.ts';
import { type ListeningEvidence, listeningOf } from '../../../domain/presence/coverage/listening-times.ts';
import { loadListening } from '../../../domain/presence/coverage/load-places.ts';
import { useDatabase } from '../../support/database.ts';
import { messageOf, recordAll, registeredReader } from '../../support/messages-of.ts';
import { Random } from '../../support/random.ts';
import { randomSets } from '../../support/random-sets.ts';
import { Site } from '../../support/site.ts';

const BEGINNING: Micros = Date.UTC(2026, 4, 1, 10) * 1_000;

const at = (second: number): Micros => BEGINNING + second * MICROS_PER_SECOND;

const LOOKED = { since: at(-1_000), until: at(5_000) };

describe('reads that come late', () => {
  const database = useDatabase();
  let reader: RegisteredReader;
  let others: RegisteredReader[];

  before(async () => {
    const site = await Site.create(database);
    const dock = await site.location('DOCK');
    const readerId = await site.reader('portal', [dock]);
    const otherIds = [await site.reader('gate', [dock]), await site.reader('ramp', [dock])];
    others = await Promise.all(otherIds.map((id) => registeredReader(database.pool, id)));
    await site.asset('PALLET', 'E280');
    reader = await registeredReader(database.pool, readerId);
  });
  beforeEach(clear);

  const EMPTY = `truncate reader_counters, reader_spans, reader_proofs, reader_delays, silence_revisions,
    received_messages`;
  async function clear(): Promise<void> {
    await database.rows(EMPTY);
  }
  const proofs = () =>
    database.rows(
      `select micros_of_time(started_at) as since, micros_of_time(ended_at) as until,
         micros_of_time(learned_at) as learned from reader_proofs order by started_at`,
    );
  const listened = async () =>
    [...(await loadListening(database.pool, reader.orgId, [reader.readerId], LOOKED)).values()].flatMap(
      provenBy,
    );

  it('prove that a reader listened when it could not be reached, and say since when that is known', async () => {
    await recordAll(database.pool, [messageOf(reader, at(0))]);
    await database.rows(
      `insert into reader_spans (org_id, reader_id, state, started_at, ended_at)
       values ($1, $2, 'disconnected', time_of_micros($3), time_of_micros($4))`,
      [reader.orgId, reader.readerId, at(10), at(500)],
    );
    expect(await listened()).to.deep.equal([{ since: at(0), until: at(10) }]);
    await recordAll(database.pool, [messageOf(reader, at(500), [at(100), at(110), at(200), at(499)])]);
    expect(await proofs()).to.deep.equal([
      { since: at(100), until: at(110), learned: at(500) },
      { since: at(200), until: at(200), learned: at(500) },
    ]);
    expect(await listened()).to.deep.equal([
      { since: at(0), until: at(10) },
      { since: at(100), until: at(140) },
      { since: at(200), until: at(230) },
      { since: at(500), until: at(530) },
    ]);
  });

  it('prove when a reader listened by its own clock where that is wrong, though it was heard then', async () => {
    await recordAll(database.pool, [messageOf(reader, at(0))]);
    for (let second = 10; second <= 60; second += 10) {
      await recordAll(database.pool, [messageOf(reader, at(second), [at(second - 30)])]);
    }
    expect(await proofs()).to.deep.equal([{ since: at(-20), until: at(30), learned: at(60) }]);
  });

  it('prove each what is not known of their own reader, where several readers send some at once', async () => {
    const [gate = reader, ramp = reader] = others;
    const heard = Array.from({ length: 50 }, (_, index) => messageOf(gate, at(10 * index)));
    await recordAll(database.pool, heard);
    await recordAll(
      database.pool,
      [
        messageOf(reader, at(500), [at(100), at(110), at(200)]),
        messageOf(gate, at(500), [at(50), at(100), at(300)]),
        messageOf(ramp, at(500), [at(-100), at(300), at(305)]),
      ],
      at(500),
    );
    const stretches = await database.rows(
      `select reader_id as reader, micros_of_time(started_at) as since, micros_of_time(ended_at) as until
       from reader_proofs order by reader_id, started_at`,
    );
    expect(stretches).to.deep.equal([
      { reader: reader.readerId, since: at(100), until: at(110) },
      { reader: reader.readerId, since: at(200), until: at(200) },
      // From its newest read on the gate may have been late, so that to hear it proves nothing.
      { reader: gate.readerId, since: at(300), until: at(300) },
      { reader: ramp.readerId, since: at(-100), until: at(-100) },
      { reader: ramp.readerId, since: at(300), until: at(305) },
    ]);
  });

  it('prove what each stretch of them proves, whatever is known of their readers (up to 300 random sets)', async () => {
    const met = { known: 0, news: 0 };
    const readers = [reader, ...others];
    await inTransaction(database.pool, async (client) => {
      const pieces = async () =>
        (
          await client.query<{ reader: number; proof: string }>(
            `select reader_id as reader, row(started_at, ended_at, learned_at)::text as proof from reader_proofs
             order by reader_id, started_at`,
          )
        ).rows;
      for (let round = 0; round < randomSets(300); round++) {
        const random = new Random(59, round);
        await client.query('savepoint empty');
        for (const table of [COUNTED, HEARD, PROVEN, DELAYED]) {
          const known = readers.flatMap(({ readerId }) =>
            somePieces(random, table === COUNTED ? 1 : 3).map((piece) => ({ ...piece, readerId })),
          );
          await client.query(table, [
            reader.orgId,
            known.map(({ readerId }) => readerId),
            known.map(({ since }) => since),
            known.map(({ until }) => until),
          ]);
        }
        const proofs = Array.from({ length: 1 + random.below(6) }, (): LateProof => {
          const from = random.below(60);
          const times = Array.from({ length: 1 + random.below(4) }, () => at(5 * (from + random.below(12))));
          return { reader: random.pick(readers), times, learnedAt: at(700 + random.below(5)) };
        });
        const before = await pieces();
        await client.query('savepoint filled');
        await keepLateProofs(client, proofs);
        const together = await pieces();
        await client.query('rollback to filled');
        for (const { orgId, readerId } of readers) {
          const own = proofs.filter((proof) => proof.reader.readerId === readerId);
          const times = own.flatMap((proof) => proof.times).sort((a, b) => a - b);
          const learnedAt = Math.max(...own.map((proof) => proof.learnedAt));
          for (const { since, until } of stretchesOf(times)) {
            const instants = [since, until, learnedAt];
            await client.query(
              'select prove_listening($1, $2, time_of_micros($3), time_of_micros($4), time_of_micros($5))',
              [orgId, readerId, ...instants],
            );
          }
        }
        const apart = await pieces();
        await client.query('rollback to empty');
        expect(together, `round ${round}`).to.deep.equal(apart);
        for (const readerId of new Set(proofs.map((proof) => proof.reader.readerId))) {
          const of = (all: typeof before) =>
            all.flatMap(({ reader: id, proof }) => (id === readerId ? [proof] : [])).join();
          met[of(before) === of(together) ? 'known' : 'news'] += 1;
        }
      }
    });
    expect(met.known).to.be.above(randomSets(50));
    expect(met.news).to.be.above(randomSets(200));
  });

  it('prove the same, whatever the order and the batches they come in, and as often as they come', async () => {
    for (let round = 0; round < randomSets(10); round++) {
      const random = new Random(53, round);
      const messages = Array.from({ length: 30 }, () => {
        const received = random.below(2_000);
        const reads = Array.from({ length: random.below(5) }, () => received - random.below(600));
        return { received, reads };
      });
      const results = [];
      for (const isShuffled of [false, true]) {
        await clear();
        const left = isShuffled
          ? messages
              .map((message) => ({ message, rank: random.below(1e6) }))
              .sort((a, b) => a.rank - b.rank)
              .map(({ message }) => message)
          : messages.toSorted((a, b) => a.received - b.received);
        while (left.length > 0) {
          const batch = left.splice(0, 1 + random.below(5));
          const toMessages = () =>
            batch.map(({ received, reads }) => messageOf(reader, at(received), reads.map(at)));
          await recordAll(database.pool, toMessages(), at(3_000));
          if (random.once(4)) {
            await recordAll(
              database.pool,
              toMessages().map((message) => ({ ...message, isDup: true })),
              at(3_000),
            );
          }
        }
        results.push(await listened());
      }
      const ascending = (seconds: readonly number[]) => seconds.map(at).sort((a, b) => a - b);
      const late = messages.flatMap(({ received, reads }) => reads.filter((read) => read < received - 15));
      const expected = provenBy({
        heard: stretchesOf(ascending(messages.map(({ received }) => received))),
        proven: stretchesOf(ascending(late)),
        ...{ disconnected: [], expectations: [] },
      });
      expect(results[0], `round ${round}`).to.deep.equal(expected);
      expect(results[1], `round ${round}`).to.deep.equal(expected);
    }
  });
});

const made = (columns: string) => `
  select $1, reader_id, ${columns}
  from unnest($2::integer[], $3::bigint[], $4::bigint[]) as given (reader_id, since, until)`;
const TIMES = 'time_of_micros(since), time_of_micros(until)';

const COUNTED = `insert into reader_counters (org_id, reader_id, heard_since, heard_until, heard_messages)
  ${made(`${TIMES}, 1`)}`;
const HEARD = `insert into reader_spans (org_id, reader_id, started_at, ended_at, state, messages)
  ${made(`${TIMES}, 'up', 1`)}`;
const PROVEN = `insert into reader_proofs (org_id, reader_id, started_at, ended_at, learned_at)
  ${made(`${TIMES}, time_of_micros(until)`)}`;
const DELAYED = `insert into reader_delays (org_id, reader_id, started_at, ended_at) ${made(TIMES)}`;

/** Up to so many, more than the gap apart. */
function somePieces(random: Random, most: number): { since: Micros; until: Micros }[] {
  let from = 5 * random.below(30);
  return Array.from({ length: random.below(most + 1) }, () => {
    const since = from;
    const until = since + 5 * random.below(40);
    from = until + 20 + 5 * random.below(20);
    return { since: at(since), until: at(until) };
  });
}

/** As if nothing that came late took anything away. */
function provenBy(evidence: ListeningEvidence) {
  return listeningOf({ ...evidence, delayed: [], behind: [] }).taken;
}
