import { expect } from 'chai';
import { Lease } from '../../../../domain/webhooks/delivery/leases.ts';

describe('a lease to deliver', () => {
  it('that was answered after its end is lost at once, without a warning of the process', async () => {
    const warnings: Error[] = [];
    const hear = (warning: Error) => warnings.push(warning);
    process.on('warning', hear);
    try {
      const lost = Promise.withResolvers<void>();
      const lease = new Lease(lost.resolve);
      lease.extend(performance.now() - 60_000, 10);
      expect(lease.isHeld()).to.equal(false);
      await lost.promise;
      await new Promise(setImmediate);
    } finally {
      process.removeListener('warning', hear);
    }
    expect(warnings).to.deep.equal([]);
  });

  it('is held until it ends, and not lost by being ended', () => {
    let isLost = false;
    const lease = new Lease(() => {
      isLost = true;
    });
    lease.extend(performance.now(), 10);
    expect(lease.isHeld()).to.equal(true);
    lease.end();
    expect(isLost).to.equal(false);
  });
});
