import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { loadBuiltinFormats } from '../../../domain/formats/mapping/builtin.ts';
import { loadReaders, type RegisteredReader } from '../../../domain/messages/load-readers.ts';
import { excerptOf, type ReadMessage } from '../../../domain/messages/message.ts';
import { rememberMessages } from '../../../domain/messages/received-messages.ts';
import { useDatabase } from '../../support/database.ts';
import { MeasuredClient } from '../../support/measured-client.ts';
import { Site } from '../../support/site.ts';

describe('messages that came before, on tables without statistics', () => {
  const database = useDatabase();
  const NOW = Date.UTC(2026, 4, 1, 10) * 1_000;
  let reader: RegisteredReader;

  before(async () => {
    const site = await Site.create(database);
    await site.reader('portal', [null]);
    [reader] = (await loadReaders(database.pool, loadBuiltinFormats())) as [RegisteredReader];
    await database.rows('alter table received_messages set (autovacuum_enabled = off)');
  });

  const messages = (count: number, receivedAt: number): ReadMessage[] =>
    Array.from({ length: count }, (_, index) => {
      const payload = excerptOf(Buffer.from(`message ${index}`));
      const digest = createHash('sha256').update(`one ${index}`).digest();
      const mapped = { outcome: 'rejected', reason: 'no read' } as const;
      return { topic: 'portal', receivedAt, isDup: false, reader, mapped, payload, digest };
    });

  it('are found by their digests, also by a plan from when there were none', async () => {
    const { client, ...measured } = await startMeasuring();
    try {
      await database.rows('analyze received_messages');
      await measured.of(messages(5, NOW));
      await database.rows(
        `insert into received_messages select $1, sha256(number::text::bytea), time_of_micros($2)
         from generate_series(1, 20000) number`,
        [reader.orgId, NOW],
      );
      const taken = await measured.of(messages(500, NOW));
      expect([...taken.keys()]).to.include.members(['find-messages', 'move-receptions']);
      const excess = [...taken].filter(
        ([, { rows, pages, scanned }]) => rows > 20 * 500 || pages > 40 * 500 || scanned.length > 0,
      );
      expect(excess).to.deep.equal([]);
    } finally {
      await client.end();
    }
  });

  async function startMeasuring() {
    const measured = await MeasuredClient.connect(database.url, 'force_generic_plan');
    // Each statement is planned when it is first run, so all are run once.
    const of = (all: readonly ReadMessage[]) =>
      measured.measure(async (client) => {
        await rememberMessages(
          client,
          all.map((message) => ({ ...message, isDup: true })),
        );
        await rememberMessages(
          client,
          all.map((message) => ({ ...message, receivedAt: message.receivedAt + 1 })),
        );
      });
    return { client: measured.client, of };
  }
});
