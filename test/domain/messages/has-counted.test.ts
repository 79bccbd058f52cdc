import { expect } from 'chai';
import { inMarkedTransaction } from '../../../db/timescale/connections/transaction.ts';
import { hasCounted } from '../../../domain/messages/has-counted.ts';
import type { RegisteredReader } from '../../../domain/messages/load-readers.ts';
import type { ReadMessage } from '../../../domain/messages/message.ts';
import { recordMessages } from '../../../domain/messages/record-messages.ts';
import { useDatabase } from '../../support/database.ts';
import { messageOf, registeredReader } from '../../support/messages-of.ts';
import { RULES } from '../../support/recording.ts';
import { Site } from '../../support/site.ts';

describe('messages whose commit was not answered', () => {
  const database = useDatabase();
  const NOW = Date.UTC(2026, 4, 1, 10) * 1_000;
  let portal: RegisteredReader;
  let gate: RegisteredReader;
  before(async () => {
    const site = await Site.create(database);
    await site.asset('PALLET', 'E280');
    const dock = await site.location('DOCK');
    portal = await registeredReader(database.pool, await site.reader('portal', [dock]));
    gate = await registeredReader(database.pool, await site.reader('gate', [dock]));
  });
  beforeEach(() => database.empty('scan_events, received_messages, reader_counters'));

  const record = (messages: readonly ReadMessage[]) =>
    inMarkedTransaction(database.pool, async (client, _attempt, { xid }) => {
      await recordMessages(client, messages, { rules: RULES, now: NOW, isCareful: false });
      return xid;
    });
  const counted = (xid: string, messages: readonly ReadMessage[]) => hasCounted(database.pool, xid, messages);

  it('are known by the latest of any of their readers, and the transaction that counted it', async () => {
    const batch = [messageOf(portal, NOW, [NOW]), messageOf(gate, NOW + 1), messageOf(portal, NOW + 2)];
    const xid = await record(batch);
    expect(await counted(xid, batch)).to.equal(true);
    await record([messageOf(gate, NOW + 3)]);
    expect(await counted(xid, batch)).to.equal(true);
    await record([messageOf(portal, NOW + 4)]);
    expect(await counted(xid, batch)).to.equal(false);
  });

  it('are not taken for those of another transaction with the same id, or for the same ones before', async () => {
    const before = [messageOf(portal, NOW)];
    const xid = await record(before);
    expect(await counted(xid, [messageOf(portal, NOW + 1)])).to.equal(false);
    expect(await counted(String(Number(xid) + 1), before)).to.equal(false);
    expect(await counted(xid, [{ ...messageOf(portal, NOW), reader: null }])).to.equal(false);
  });
});
