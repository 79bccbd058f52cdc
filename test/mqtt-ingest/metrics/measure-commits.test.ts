import { expect } from 'chai';
import { Registry } from 'prom-client';
import { MICROS_PER_SECOND } from '../../../base/instant.ts';
import { measureCommits } from '../../../services/mqtt-ingest/metrics/measures.ts';
import { useDatabase } from '../../support/database.ts';
import { openIntake, type TestIntake } from '../../support/intake.ts';
import { Site } from '../../support/site.ts';

describe('the time that messages take to be committed, in /metrics', () => {
  const database = useDatabase();
  const registry = new Registry();
  const noon = Date.parse('2026-05-01T12:00:00Z') * 1_000;
  let now = noon;
  let intake: TestIntake;

  before(async () => {
    const site = await Site.create(database);
    await site.asset('PALLET', 'E280');
    await site.reader('portal', [await site.location('DOCK')]);
    const clock = () => now;
    const measure = measureCommits(registry, clock);
    intake = await openIntake(database, database.pool, {
      clock,
      onCommitted: (message) => {
        now += 0.2 * MICROS_PER_SECOND;
        measure(message);
      },
    });
  });

  const figures = async () => {
    const text = await registry.metrics();
    const figure = (name: string) =>
      Number(new RegExp(`^tagtrail_ingest_${name} (\\S+)$`, 'm').exec(text)?.[1]);
    return {
      receipt: [figure('receipt_to_commit_seconds_count'), figure('receipt_to_commit_seconds_sum')],
      read: [figure('read_to_commit_seconds_count'), figure('read_to_commit_seconds_sum')],
    };
  };

  it('begins with the receipt of a message that carries no time', async () => {
    await intake.receive('portal', '{"value":"E280"}');
    expect(await figures()).to.deep.equal({ receipt: [1, 0.2], read: [0, 0] });
  });

  it("begins with the latest read too, by the reader's clock, where the payload says when", async () => {
    now = noon;
    const reads = [
      { value: 'E280', observed_at: '2026-05-01T11:59:50Z' },
      { value: 'E280', observed_at: '2026-05-01T11:59:55Z' },
    ];
    await intake.receive('portal', JSON.stringify(reads));
    expect(await figures()).to.deep.equal({ receipt: [2, 0.4], read: [1, 5.2] });
  });

  it('is none for a clock that is ahead, and there for messages that are rejected', async () => {
    now = noon;
    await intake.receive('portal', '{"value":"E280","observed_at":"2026-05-01T12:00:30Z"}');
    expect((await figures()).read).to.deep.equal([2, 5.2]);
    await intake.receive('portal', 'no JSON');
    const { receipt, read } = await figures();
    expect([receipt[0], read[0]]).to.deep.equal([4, 2]);
  });
});
