import { expect } from 'chai';
import { Pace } from '../../../../domain/webhooks/delivery/pace.ts';

describe('the pace of deliveries', () => {
  it('lets organizations take steps in turn, whatever the number of those that wait', async () => {
    const pace = new Pace();
    const taken: string[] = [];
    const steps = (orgId: number, count: number) =>
      Array.from({ length: count }, async (_, at) => {
        await pace.step(orgId);
        taken.push(`${orgId}.${at}`);
      });
    await Promise.all([...steps(1, 6), ...steps(2, 2), ...steps(3, 1)]);
    expect(taken).to.deep.equal(['1.0', '1.1', '2.0', '3.0', '1.2', '2.1', '1.3', '1.4', '1.5']);
  });

  it('lets a round of the event loop pass after each step, and rests now and then', async () => {
    const pace = new Pace();
    let isOver = false;
    let rounds = 0;
    const count = () => {
      rounds += 1;
      if (!isOver) {
        setImmediate(count);
      }
    };
    setImmediate(count);
    await Promise.all(Array.from({ length: 100 }, () => pace.step(1)));
    isOver = true;
    expect(rounds).to.be.at.least(99);
    const before = performance.eventLoopUtilization();
    await Promise.all(Array.from({ length: 100 }, () => pace.step(1)));
    expect(performance.eventLoopUtilization(before).idle).to.be.above(0);
  });
});
