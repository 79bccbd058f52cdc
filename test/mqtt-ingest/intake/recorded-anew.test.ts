import { expect } from 'chai';
import { wireTimeOfMicros } from '../../../base/timestamps.ts';
import { createWritePool } from '../../../db/timescale/connections/pool.ts';
import type { MessageOutcome } from '../../../domain/messages/record-messages.ts';
import { useDatabase } from '../../support/database.ts';
import { countersOf, openIntake, type TestIntake } from '../../support/intake.ts';
import { storedHistory } from '../../support/recording.ts';
import { Site } from '../../support/site.ts';
import { unsealedMoves } from '../../support/unsealed-moves.ts';

const START = Date.now() * 1_000 - 3_600_000_000;

describe('a batch in which a repeat is found as it is written', () => {
  const database = useDatabase();
  /** Two organizations that know nothing of each other, whose readers share a lane. */
  const sites: { topic: string; readerId: number; assetId: number; places: [number, number] }[] = [];
  const committed: MessageOutcome[] = [];
  const sent = { begin: 0, rollback: 0 };
  let intake: TestIntake;
  let told = 0;

  before(async () => {
    const pool = createWritePool(database.url, { max: 1 });
    pool.on('connect', (client) => {
      const query = client.query.bind(client) as (...values: unknown[]) => unknown;
      client.query = ((...values: unknown[]) => {
        if (values[0] === 'begin' || values[0] === 'rollback') {
          sent[values[0]] += 1;
        }
        return query(...values);
      }) as typeof client.query;
    });
    database.beforeDrop(() => pool.end());
    for (const topic of ['one', 'other']) {
      const site = await Site.create(database, topic);
      const assetId = await site.asset('PALLET', 'E280');
      const places: [number, number] = [await site.location('DOCK'), await site.location('HALL')];
      await site.reader(`${topic} beside`, places);
      sites.push({ topic, readerId: await site.reader(topic, places), assetId, places });
    }
    intake = await openIntake(database, pool, {
      onCommitted: (_, outcome) => committed.push(outcome),
      onMoves: () => {
        told += 1;
      },
    });
    for (const { topic } of sites) {
      await intake.receive(topic, reads([0, 1], [100, 1], [200, 2]));
    }
  });

  beforeEach(() => {
    committed.length = 0;
    Object.assign(sent, { begin: 0, rollback: 0 });
    told = 0;
  });

  /** Each at so many seconds, at an antenna. */
  const reads = (...each: [number, number][]) =>
    JSON.stringify(
      each.map(([at, antenna]) => ({
        value: 'E280',
        antenna,
        observed_at: wireTimeOfMicros(START + at * 1_000_000),
      })),
    );

  /** All but the first in one batch, which fills while that of the first is under way. */
  const inOneBatch = (messages: readonly [topic: string, payload: string][]) =>
    Promise.all(messages.map(([topic, payload]) => intake.receive(topic, payload)));

  it('is recorded whole and once, whosever the rest of it is, and tells once of what it changed', async () => {
    const [mine, others] = sites;
    expect((mine?.readerId ?? 0) % 2).to.equal((others?.readerId ?? 1) % 2);
    await intake.receive('one', reads([50, 1]));
    const counted = [
      await countersOf(database, mine?.readerId),
      await countersOf(database, others?.readerId),
    ];
    await inOneBatch([
      ['one', reads([210, 2])],
      ['one', reads([50, 1], [51, 1])],
      ['other', reads([60, 2])],
      ['other', '{"value":"FEED"}'],
      ['other', '{"value":"E280","antenna":2}'],
      ['other', 'no JSON'],
    ]);
    expect(sent).to.deep.equal({ begin: 4, rollback: 1 });
    expect(committed.map(({ counts }) => counts.recorded)).to.deep.equal([1, 1, 1, 1, 0, 1, 0]);
    expect(told).to.equal(1);
    const counters = [
      await countersOf(database, mine?.readerId),
      await countersOf(database, others?.readerId),
    ];
    const more = (index: number) =>
      Object.fromEntries(
        Object.entries(counters[index] ?? {})
          .map(([name, count]) => [name, (count as number) - ((counted[index]?.[name] as number) ?? 0)])
          .filter(([, count]) => count !== 0),
      );
    expect(more(0)).to.deep.equal({ messages: 2, reads: 3, recorded: 2, duplicates: 1 });
    expect(more(1)).to.deep.equal({ messages: 4, messages_rejected: 1, reads: 3, recorded: 2, unknown: 1 });
    expect(await database.rows('select count from unknown_tags')).to.deep.equal([{ count: 1 }]);
    expect(await database.rows('select count(*) from rejected_messages')).to.deep.equal([{ count: 1 }]);
    const moves = await unsealedMoves(database, others?.assetId ?? 0);
    expect(moves).to.have.length(2);
    expect(
      (await storedHistory(database, others?.assetId ?? 0)).map(({ observedAt }) => observedAt - START),
    ).to.deep.equal([0, 60_000_000, 100_000_000, 200_000_000]);
    expect(await unsealedMoves(database, mine?.assetId ?? 0)).to.have.length(1);
  });

  it('has those after it look for repeats, so that they are written once', async () => {
    await intake.receive('one', reads([50, 1]));
    await intake.receive('other', reads([60, 2]));
    expect(sent).to.deep.equal({ begin: 2, rollback: 0 });
    expect(committed.map(({ counts }) => counts.duplicates)).to.deep.equal([1, 1]);
    expect(told).to.equal(0);
  });
});
