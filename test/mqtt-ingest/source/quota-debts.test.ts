import { Socket } from 'node:net';
import { expect } from 'chai';
import { ReaderQuotas } from '../../../services/mqtt-ingest/source/reader-quotas.ts';

describe('what a reader has sent beyond its quota', () => {
  const quotas = new ReaderQuotas(
    { messagesPerSecond: 1, bytesPerSecond: 1_024, readsPerSecond: 1 },
    () => 0,
  );

  it('is owed by its next connection, however many others come and go', () => {
    const first = quotas.connect('loud', 1);
    first.charge(60, 0);
    const { debt } = first;
    expect(debt).to.be.above(0);
    first.connections -= 1;
    for (let number = 0; number < 5_000; number++) {
      quotas.connect(`passing-${number}`, 1).connections -= 1;
    }
    expect(quotas.connect('loud', 1).debt).to.equal(debt);
  });
});

describe('packets that have begun and not ended', () => {
  const MIB = 1024 * 1024;

  it('are cut of the organization that has most, however many readers it spreads them over', () => {
    const quotas = new ReaderQuotas({ messagesPerSecond: 1, bytesPerSecond: 1, readsPerSecond: 1 });
    const begun = (username: string, orgId: number, length: number) => {
      const socket = new Socket();
      const quota = quotas.connect(username, orgId);
      quota.gather(socket, length);
      return { socket, quota };
    };
    const victim = begun('victim', 2, 16 * MIB);
    const many = Array.from({ length: 112 }, (_, at) => begun(`many-${at}`, 1, MIB));
    expect(quotas.overfull(victim.quota)).to.equal(null);
    const last = begun('last', 1, 2 * MIB);
    expect(quotas.overfull(victim.quota)).to.equal(last.socket);
    last.quota.gather(last.socket, MIB);
    expect([...many, last].map(({ socket }) => socket)).to.include(quotas.overfull(victim.quota));
  });
});
