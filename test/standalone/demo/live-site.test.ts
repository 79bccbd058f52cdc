import { expect } from 'chai';
import { MICROS_PER_SECOND } from '../../../base/instant.ts';
import { ASSETS } from '../../../services/standalone/demo/assets.ts';
import { createLiveSite, type LiveMessage } from '../../../services/standalone/demo/live.ts';
import { createRandom } from '../../../simulation/random.ts';

describe('the site that npm run demo moves', () => {
  it('loses an asset from a room, and then the reader of two others', () => {
    let now = 1_790_000_000 * MICROS_PER_SECOND;
    const site = createLiveSite([], createRandom(1), now);
    const epc = ASSETS.find(({ key }) => key === 'CAGE-08')?.epc ?? '';
    const spelled = [
      epc,
      Buffer.from(epc, 'hex').toString('base64'),
      Buffer.from(epc, 'hex').toString('base64url'),
    ];
    const readersOf = (messages: readonly LiveMessage[]) =>
      new Set(messages.map(({ reader }) => reader.name));
    const isRead = (messages: readonly LiveMessage[]) =>
      messages.some(({ payload }) =>
        spelled.some((each) => payload.toUpperCase().includes(each.toUpperCase())),
      );
    expect(isRead(site.begin(now))).to.equal(true);
    const steps = Array.from({ length: 60 }, () => {
      now += 2 * MICROS_PER_SECOND;
      return site.step(now);
    });
    expect(steps.findLastIndex(isRead)).to.equal(14);
    expect(isRead(steps[14]?.filter(({ reader }) => reader.name === 'aisle-c') ?? [])).to.equal(true);
    expect(steps.findLastIndex((messages) => readersOf(messages).has('aisles-a-b'))).to.equal(43);
    expect(site.dead?.name).to.equal('aisles-a-b');
    // What is in a room is read at every step, so that it is missed when it is gone.
    expect(steps.filter((messages) => !readersOf(messages).has('aisle-c'))).to.deep.equal([]);
  });
});
