import { expect } from 'chai';
import { enterAll, OpenStreams } from '../../../platform/http/open-streams.ts';

describe('open streams', () => {
  const full = () => new Error('full');

  it('are no more of one than may be, and each that ends makes room once', () => {
    const streams = new OpenStreams<string>(2, full);
    const leave = streams.enter('a');
    streams.enter('a');
    expect(() => streams.enter('a')).to.throw('full');
    streams.enter('b');
    leave();
    leave();
    expect(streams.count).to.equal(2);
    streams.enter('a');
    expect(() => streams.enter('a')).to.throw('full');
  });

  it('are entered together, or none of them', () => {
    const [wide, none] = [new OpenStreams<string>(2, full), new OpenStreams<string>(0, full)];
    const enter = () => wide.enter('a');
    expect(() => enterAll(enter, () => none.enter('a'))).to.throw('full');
    expect(wide.count).to.equal(0);
    const leave = enterAll(enter, enter);
    expect(wide.count).to.equal(2);
    leave();
    expect(wide.count).to.equal(0);
  });
});
