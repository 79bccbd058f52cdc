import { expect } from 'chai';
import { MAX_PAYLOAD_BYTES } from '../../../domain/formats/mapping/values/limits.ts';
import { LARGE } from '../../../services/mqtt-ingest/intake/large-messages.ts';
import { useDatabase } from '../../support/database.ts';
import { useIngest } from '../../support/ingest.ts';
import { countersOf, openIntake, type TestIntake } from '../../support/intake.ts';
import { Site } from '../../support/site.ts';

/** A message of so many bytes with a read of a tag in it. */
function messageOf(value: string, bytes: number): string {
  return `[{"value":"${value}"},{"filling":"${'x'.repeat(bytes)}"}]`;
}

describe('large messages of readers', () => {
  const database = useDatabase();
  const ingest = useIngest(database);
  const committed: string[] = [];
  let intake: TestIntake;

  beforeEach(async () => {
    await database.empty(
      'organizations, scan_events, unknown_tags, rejected_messages, reader_counters cascade',
    );
    committed.length = 0;
    const site = await Site.create(database);
    const dock = await site.location('DOCK');
    await site.asset('PALLET', 'E280');
    await site.reader('portal', [dock]);
    await site.reader('gate', [dock]);
    intake = await openIntake(database, database.pool, {
      onCommitted: ({ topic, payload }) => committed.push(`${topic} ${payload.bytes > LARGE}`),
    });
  });

  afterEach(() => intake.registry.close());

  it('are recorded before what the same reader sent afterwards, and after what another one did', async () => {
    await Promise.all([
      intake.receive('portal', messageOf('E280', MAX_PAYLOAD_BYTES - 100)),
      intake.receive('portal', messageOf('E281', 1)),
      intake.receive('portal', messageOf('E282', LARGE + 1)),
      intake.receive('portal', messageOf('E283', 1)),
      intake.receive('gate', messageOf('E284', 1)),
    ]);
    expect(committed).to.deep.equal([
      'gate false',
      'portal true',
      'portal false',
      'portal true',
      'portal false',
    ]);
  });

  it('are rejected with the reason and the bytes that small ones are', async () => {
    await Promise.all([
      intake.receive('portal', `{"value": "E280", ${' '.repeat(LARGE)}`),
      intake.receive('portal', messageOf('E280', MAX_PAYLOAD_BYTES)),
      intake.receive('nobody', messageOf('E280', LARGE)),
    ]);
    const rejected = await database.rows<{ reason: string; bytes: number; kept: number }>(
      'select reason, bytes::int, length(payload) as kept from rejected_messages order by bytes',
    );
    expect(rejected.map(({ reason }) => reason)).to.have.members([
      rejected.find(({ reason }) => reason.startsWith('payload is not JSON: '))?.reason,
      'no reader has this topic',
      `payload of ${MAX_PAYLOAD_BYTES + 33} bytes is over the limit of ${MAX_PAYLOAD_BYTES}`,
    ]);
    expect(rejected.map(({ bytes, kept }) => Math.min(bytes, 65_536) - kept)).to.deep.equal([0, 0, 0]);
  });

  it('are acknowledged by the broker when they are committed', async () => {
    const client = await ingest.connect('portal');
    await client.publishAsync('portal', messageOf('E280', 4 * LARGE), { qos: 1 });
    expect(await countersOf(database)).to.include({ messages: 1, recorded: 1, rejected: 1 });
  });

  it('are committed before a stop is over', async () => {
    const received = intake.receive('portal', messageOf('E280', MAX_PAYLOAD_BYTES - 100));
    await intake.drain(60_000);
    expect(committed).to.deep.equal(['portal true']);
    expect((await received).counts).to.include({ recorded: 1 });
  });

  it('are recorded although no thread can read them', async () => {
    await intake.receive('portal', messageOf('E280', LARGE));
    await intake.threads.close();
    await intake.receive('portal', messageOf('E281', LARGE));
    expect(await countersOf(database)).to.include({ messages: 2, recorded: 1, unknown: 1, rejected: 2 });
  });
});
