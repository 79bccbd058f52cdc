import { expect } from 'chai';
import { ReaderQuotas } from '../../../services/mqtt-ingest/source/reader-quotas.ts';

describe('what a reader has sent beyond its quota', () => {
  const quotas = new ReaderQuotas(
    { messagesPerSecond: 1, bytesPerSecond: 1_024, readsPerSecond: 1 },
    () => 0,
  );

  it('is owed by its next connection, however many others come and go', () => {
    const first = quotas.connect('loud');
    first.charge(60, 0);
    const { debt } = first;
    expect(debt).to.be.above(0);
    first.connections -= 1;
    for (let number = 0; number < 5_000; number++) {
      quotas.connect(`passing-${number}`).connections -= 1;
    }
    expect(quotas.connect('loud').debt).to.equal(debt);
  });
});
