import { expect } from 'chai';
import type { RegisteredReader } from '../../../domain/messages/load-readers.ts';
import { PushedMessages } from '../../../services/mqtt-ingest/push/pushed-messages.ts';
import { HeldMessages } from '../../../services/mqtt-ingest/source/held-messages.ts';
import { ReaderQuota } from '../../../services/mqtt-ingest/source/reader-quotas.ts';

describe('messages that are pushed and wait to be recorded', () => {
  const NOBODY_GOES = new AbortController().signal;
  const bytes = 1_000;

  /** There is room for one; it is recorded when `record` is called. */
  function waitFor(patience: number) {
    const held = new HeldMessages({ messages: 4_000, bytes: (bytes * 4) / 3 });
    const recorded = Promise.withResolvers<{ counts: never }>();
    const quota = new ReaderQuota({ messagesPerSecond: 1, bytesPerSecond: 1, readsPerSecond: 1 }, 1, () => 0);
    const messages = new PushedMessages({
      intake: { receive: () => recorded.promise } as never,
      held,
      requireRecording: async () => {},
      patience,
    });
    const push = (readerId: number, signal = NOBODY_GOES) => {
      const reader = { orgId: 1, readerId, username: `reader-${readerId}` } as RegisteredReader;
      return messages.take(reader, { topic: 'a', payload: Buffer.alloc(bytes), key: null }, quota, signal);
    };
    return { held, messages, push, record: () => recorded.resolve({ counts: {} as never }) };
  }

  it('are let go when their time is up, so that any number of them is gone when there is room', async () => {
    const { held, push, record } = waitFor(1);
    const pushed = Array.from({ length: 3_000 }, (_, at) => push(at % 12).catch(({ message }) => message));
    const answers = await Promise.all(pushed);
    expect(answers[0]).to.include('taken and not recorded yet');
    expect(new Set(answers.slice(1))).to.deep.equal(
      new Set(['Too much waits to be recorded; send it again later']),
    );
    expect(held.waiting).to.deep.equal({ messages: 0, bytes: 0 });
    record();
    await new Promise(setImmediate);
    expect(held.messages).to.equal(0);
  });

  it('are let go with their sender, and those that are taken are not', async () => {
    const { held, push, record } = waitFor(600_000);
    const going = new AbortController();
    const taken = push(1, going.signal);
    const waiting = push(2, going.signal).catch((why) => why);
    await new Promise(setImmediate);
    going.abort(new Error('gone'));
    const gone = push(3, going.signal).catch((why) => why);
    expect([(await waiting).message, (await gone).message]).to.deep.equal(['gone', 'gone']);
    expect(held.waiting.messages).to.equal(0);
    record();
    expect(await taken).to.deep.equal({});
  });
});
