import { expect } from 'chai';
import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import type { RegisteredReader } from '../../../domain/messages/load-readers.ts';
import { countWrongRows, mendClock } from '../../../domain/messages/mend-clock.ts';
import { loadListening } from '../../../domain/presence/coverage/load-places.ts';
import { joined } from '../../../domain/presence/intervals.ts';
import { TEST_ACTOR } from '../../support/actor.ts';
import { useDatabase } from '../../support/database.ts';
import { messageOf, recordAll, registeredReader } from '../../support/messages-of.ts';
import { Random } from '../../support/random.ts';
import { Site } from '../../support/site.ts';

const BEGINNING: Micros = Date.UTC(2026, 4, 1, 10) * 1_000;

const at = (second: number): Micros => BEGINNING + second * MICROS_PER_SECOND;

/** Received at a second, with the newest read of that age; a heartbeat if null. */
interface Sent {
  received: number;
  age: number | null;
}

/** Each message that came late takes away what was heard since the one in time before it, or since its newest read. */
function delaysByDefinition(sent: readonly Sent[]) {
  const inTime = sent.filter(({ age }) => age !== null && age <= 15).map(({ received }) => received);
  const delays = sent.flatMap(({ received, age }) => {
    const before = inTime.filter((other) => other < received);
    const since = Math.max(received - (age ?? 0), ...before);
    return received - since > 15 ? [{ since: at(since), until: at(received) }] : [];
  });
  const last = joined(delays).at(-1)?.until;
  return {
    delayed: joined(delays),
    isBehind: last !== undefined && !inTime.some((received) => at(received) >= last),
  };
}

describe('what readers send late', () => {
  const database = useDatabase();
  let reader: RegisteredReader;

  before(async () => {
    const site = await Site.create(database);
    const readerId = await site.reader('portal', [await site.location('DOCK')]);
    await site.asset('PALLET', 'E280');
    reader = await registeredReader(database.pool, readerId);
  });
  beforeEach(() =>
    database.rows(
      'truncate reader_counters, reader_spans, reader_proofs, reader_delays, silence_revisions, received_messages',
    ),
  );

  const messages = (sent: readonly Sent[]) =>
    sent.map(({ received, age }) =>
      messageOf(reader, at(received), age === null ? [] : [at(received - age)]),
    );
  async function kept() {
    const window = { since: at(-20_000), until: at(20_000) };
    const evidence = (await loadListening(database.pool, reader.orgId, [reader.readerId], window)).get(
      reader.readerId,
    );
    return { delayed: evidence?.delayed, isBehind: evidence?.behind?.length === 1 };
  }

  it('is kept as the time for which to hear it proved nothing, however many messages are in a commit', async () => {
    const met = { delays: 0, behind: 0 };
    for (let round = 0; round < 8; round++) {
      await database.rows('truncate reader_counters, reader_spans, reader_proofs, reader_delays');
      const random = new Random(97, round);
      const sent: Sent[] = [];
      let lag = 0;
      for (let second = 0; second < 600; second += 1 + random.below(30)) {
        lag = random.once(6) ? random.below(3) * 200 : lag;
        sent.push({ received: second, age: random.once(3) ? null : lag + random.below(15) });
      }
      const left = [...sent];
      while (left.length > 0) {
        const batch = left.splice(0, 1 + random.below(6));
        await recordAll(database.pool, random.once(2) ? messages(batch) : messages(batch).toReversed());
      }
      const expected = delaysByDefinition(sent);
      expect(await kept(), `round ${round}`).to.deep.equal(expected);
      met.delays += expected.delayed.length;
      met.behind += expected.isBehind ? 1 : 0;
    }
    expect(met.delays).to.be.above(8);
    expect(met.behind).to.be.above(0);
  });

  it('is the same once a clock that was ahead meanwhile, by which all came late, is mended', async () => {
    const hour = 3_600;
    let delays = 0;
    for (let round = 0; round < 12; round++) {
      const random = new Random(83, round);
      const sent: Sent[] = [];
      let lag = 0;
      for (let second = 0; second < 1_200; second += 1 + random.below(20)) {
        lag = random.once(8) ? random.below(3) * 60 : lag;
        sent.push({
          received: second,
          age: random.once(4) ? null : lag + random.below(15) + second / 10_000,
        });
      }
      const look = async () => ({
        ...(await kept()),
        counted: await database.rows('select in_time_at, late_at from reader_counters'),
        proofs: await database.rows('select started_at, ended_at, learned_at from reader_proofs order by 1'),
      });
      const empty = () =>
        database.rows(
          'truncate reader_counters, reader_spans, reader_proofs, reader_delays, received_messages, scan_events',
        );
      await empty();
      await recordAll(database.pool, messages(sent));
      const { proofs: _, ...right } = await look();
      await empty();
      const during = ({ received }: Sent) => received >= 300 && received < 900;
      const wrong = sent.map((each) =>
        during(each)
          ? { received: each.received + hour, age: each.age === null ? null : each.age + hour }
          : each,
      );
      const early = wrong.filter((_, place) => (sent[place]?.received ?? 0) < 900);
      await recordAll(database.pool, messages(early), at(3 * hour));
      const clock = { from: at(300 + hour), to: at(900 + hour), ahead: at(hour) - at(0), isAll: false };
      expect((await countWrongRows(database.pool, reader.orgId, clock)).readers).to.equal(1);
      await mendClock(database.pool, TEST_ACTOR, reader.orgId, clock, {});
      await recordAll(database.pool, messages(sent.filter(({ received }) => received >= 900)));
      const { proofs, ...mended } = await look();
      expect(mended, `round ${round}`).to.deep.equal(right);
      expect((await countWrongRows(database.pool, reader.orgId, clock)).readers).to.equal(0);
      for (const { learned_at: learnedAt } of proofs as { learned_at: string }[]) {
        expect(Date.parse(learnedAt) * 1_000).to.be.below(at(1_300));
      }
      delays += right.delayed?.length ?? 0;
    }
    expect(delays).to.be.above(5);
  });

  it('is no delay where reads in time were received between, though these are committed later', async () => {
    await recordAll(database.pool, messages([{ received: 700, age: 650 }]), at(1_000));
    expect(await kept()).to.deep.equal({ delayed: [{ since: at(50), until: at(700) }], isBehind: true });
    await recordAll(database.pool, messages([{ received: 300, age: 0 }]), at(1_000));
    expect(await kept()).to.deep.equal({ delayed: [{ since: at(300), until: at(700) }], isBehind: true });
    await recordAll(database.pool, messages([{ received: 690, age: 0 }]), at(1_000));
    expect(await kept()).to.deep.equal({ delayed: [], isBehind: false });
  });
});
