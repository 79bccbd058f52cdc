import { expect } from 'chai';
import type { FeedEvent } from '../../../../domain/moves/event.ts';
import { Lane } from '../../../../domain/webhooks/delivery/lane.ts';

describe('a lane', () => {
  const { now } = performance;

  afterEach(() => {
    performance.now = now;
  });

  it('sends what it has read, however long that took', async () => {
    let later = 0;
    performance.now = () => now.call(performance) + later;
    const stopping = new AbortController();
    const event = { data: { position: 1, asset: { id: 8 } } } as FeedEvent;
    const sent: FeedEvent[] = [];
    const lane = new Lane(
      { lane: 0, position: 0, attemptedPosition: null, attempts: 0, dueIn: null, hasSettled: false },
      {
        head: () => 1,
        pick: async () => {
          later += 60_000;
          expect(later, 'read again and again').to.be.at.most(60_000);
          return { events: [{ event, doneTo: 1, settled: null }], upTo: 1, isExpired: false };
        },
        send: async (each) => {
          sent.push(each);
          stopping.abort();
          return { outcome: 'delivered', isEndless: false } as never;
        },
        ...{ note: async () => {}, takeBack: async () => {}, record: async () => {}, end: async () => {} },
        ...{ pace: async () => {}, turn: (work) => work(), onSettled: () => {} },
        ...{ ladder: [], random: Math.random, signal: stopping.signal },
      },
    );
    await lane.run();
    expect(sent).to.deep.equal([event]);
  });
});
