import { expect } from 'chai';
import { MICROS_PER_DAY, MICROS_PER_SECOND, type Micros } from '../../../../base/instant.ts';
import { loadBuiltinFormats } from '../../../../domain/formats/mapping/builtin.ts';
import { loadReaders, type RegisteredReader } from '../../../../domain/messages/load-readers.ts';
import { joinStretches } from '../../../../domain/presence/coverage/join-stretches.ts';
import { type ListeningEvidence, listeningOf } from '../../../../domain/presence/coverage/listening-times.ts';
import { loadExpectations } from '../../../../domain/presence/coverage/load-expectations.ts';
import { loadListening } from '../../../../domain/presence/coverage/load-places.ts';
import { type Interval, within } from '../../../../domain/presence/intervals.ts';
import { storeConnections } from '../../../../domain/presence/store-connections.ts';
import { useDatabase } from '../../../support/database.ts';
import { messageOf, recordAll } from '../../../support/messages-of.ts';
import { Random } from '../../../support/random.ts';
import { randomSets } from '../../../support/random-sets.ts';
import { Site } from '../../../support/site.ts';

const BEGINNING: Micros = Date.UTC(2026, 4, 1, 10) * 1_000;
const at = (second: number): Micros => BEGINNING + second * MICROS_PER_SECOND;

const SETTLED = 600;

describe('stretches that were joined', () => {
  const database = useDatabase();
  let orgId: number;
  let readers: RegisteredReader[];
  const ROUNDS = Math.max(4, randomSets(12));
  let isAway = false;
  let changedAt = 0;
  before(async () => {
    const site = await Site.create(database);
    const dock = await site.location('DOCK');
    orgId = site.orgId;
    for (let round = 0; round < ROUNDS; round++) {
      await site.reader(`portal-${round}`, [dock]);
    }
    readers = [...(await loadReaders(database.pool, loadBuiltinFormats()))];
  });

  it('say the same as the rows they were joined from, whatever came late and was expected when (up to 12 random readers)', async () => {
    let joined = 0;
    for (const [round, reader] of readers.entries()) {
      const random = new Random(91, round);
      let now = 0;
      [isAway, changedAt] = [false, 0];
      for (let step = 0; step < 30; step++) {
        now = await happen(reader, random, now);
        await derive(reader, random, now);
        if (step % 2 === 0) {
          continue;
        }
        const since = random.below(now + 100) - 50;
        await expectSame(
          reader,
          { since: at(since), until: at(since + random.below(600)) },
          `reader ${round}, step ${step}`,
        );
      }
      await expectSame(reader, { since: at(-100), until: at(now + 200) }, `reader ${round}, at the end`);
      joined += (await joinedOf(reader)).length;
    }
    expect(joined).to.be.greaterThan(2 * ROUNDS);
  });

  /** @returns the second at which it has happened. */
  async function happen(reader: RegisteredReader, random: Random, now: number): Promise<number> {
    const { readerId } = reader;
    switch (random.below(10)) {
      case 0: {
        const from = now - (random.once(4) ? random.below(300) : 0);
        await database.rows(
          `insert into reader_expectations (org_id, reader_id, origin, valid_from, seconds)
           values ($1, $2, $3, time_of_micros($4), $5) on conflict do nothing`,
          [orgId, readerId, random.pick(['set', 'learned']), at(from), 15 + random.below(60)],
        );
        return now;
      }
      case 1: {
        const since = Math.max(changedAt + 1, now - random.below(random.once(3) ? 300 : 20));
        const changes = isAway
          ? [{ at: at(since), isConnected: true }]
          : [since, since + 1 + random.below(30)].map((second, index) => ({
              ...{ at: at(second), isConnected: index === 1 },
            }));
        if (!isAway && random.once(4)) {
          changes.pop();
        }
        await storeConnections(database.pool, [{ orgId, readerId, changes }]);
        isAway = changes.at(-1)?.isConnected === false;
        changedAt = since + 31;
        return now + 31;
      }
      case 2: {
        await recordAll(database.pool, [messageOf(reader, at(now), [at(now - 16 - random.below(300))])]);
        return now + random.below(30);
      }
      case 3:
      case 4: {
        const seconds = Array.from({ length: 1 + random.below(3) }, () => now - random.below(300));
        await recordAll(
          database.pool,
          seconds.map((second) => messageOf(reader, at(second))),
        );
        return now;
      }
      default: {
        let last = now;
        const messages = Array.from({ length: 1 + random.below(8) }, () => {
          last += 10 + random.below(30);
          return messageOf(reader, at(last));
        });
        await recordAll(database.pool, messages);
        return last;
      }
    }
  }

  /** As a turn does, of whichever version, whenever there is one. */
  async function derive({ readerId }: RegisteredReader, random: Random, now: number): Promise<void> {
    if (random.once(2)) {
      await database.rows('delete from silence_revisions where reader_id = $1', [readerId]);
    }
    if (random.once(2)) {
      await joinStretches(database.pool, { orgId, readerId }, at(now + SETTLED));
    }
  }

  async function expectSame({ readerId }: RegisteredReader, window: Interval, what: string): Promise<void> {
    const load = async (asked: Interval) => {
      const loaded = (await loadListening(database.pool, orgId, [readerId], asked)).get(readerId);
      if (loaded === undefined) {
        throw new Error('no evidence');
      }
      return loaded;
    };
    const loaded = await load(window);
    const later = await load({ ...window, until: window.until + MICROS_PER_DAY });
    const rows = await database.rows<Interval & { kind: string }>(
      `select state as kind, micros_of_time(started_at) as since,
         coalesce(micros_of_time(ended_at), 1e18)::float8 as until
       from reader_spans where reader_id = $1
       union all
       select 'up', micros_of_time(heard_since), micros_of_time(heard_until) from reader_counters
       where reader_id = $1 and heard_since is not null
       union all
       select 'proven', micros_of_time(started_at), micros_of_time(ended_at) from reader_proofs where reader_id = $1
       union all
       select 'delayed', micros_of_time(started_at), micros_of_time(ended_at) from reader_delays where reader_id = $1
       order by since`,
      [readerId],
    );
    const of = (wanted: string) =>
      rows.flatMap(({ kind, since, until }) => (kind === wanted ? [{ since, until }] : []));
    const expectations = await loadExpectations(database.pool, orgId, [readerId]);
    const plain = {
      ...{ heard: of('up'), proven: of('proven'), disconnected: of('disconnected') },
      ...{ delayed: of('delayed'), behind: later.behind ?? [] },
      expectations: expectations.get(readerId) ?? [],
    };
    expect(within(takenTimes(loaded), [window]), what).to.deep.equal(within(takenTimes(plain), [window]));
    expect(within(provenTimes(later), [window]), what).to.deep.equal(within(provenTimes(plain), [window]));
  }

  function joinedOf({ readerId }: RegisteredReader) {
    return database.rows('select from reader_joined_spans where reader_id = $1', [readerId]);
  }
});

function provenTimes(evidence: ListeningEvidence): Interval[] {
  return [...listeningOf(evidence).proven];
}

function takenTimes(evidence: ListeningEvidence): Interval[] {
  return [...listeningOf(evidence).taken];
}
