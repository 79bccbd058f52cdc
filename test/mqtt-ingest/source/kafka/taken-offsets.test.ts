import { expect } from 'chai';
import { TakenOffsets } from '../../../../services/mqtt-ingest/source/kafka/kafka-source.ts';

describe('the offsets of a partition that were taken', () => {
  it('let the group go on after the last before which all are done', () => {
    const taken = new TakenOffsets(7n);
    const [seven, eight, twelve] = [7n, 8n, 12n].map((offset) => taken.take(offset));
    expect(taken.toCommit()).to.equal(null);
    eight?.();
    expect(taken.toCommit()).to.equal(null);
    seven?.();
    expect(taken.toCommit()).to.equal(9n);
    taken.committed(9n);
    expect(taken.toCommit()).to.equal(null);
    twelve?.();
    expect([taken.toCommit(), taken.size]).to.deep.equal([13n, 0]);
  });

  it('are not taken again when Kafka hands them out again, done or not', () => {
    const taken = new TakenOffsets(0n);
    taken.take(0n)?.();
    taken.take(1n);
    expect([taken.take(0n), taken.take(1n)]).to.deep.equal([null, null]);
    expect(taken.take(2n)).to.not.equal(null);
  });
});
