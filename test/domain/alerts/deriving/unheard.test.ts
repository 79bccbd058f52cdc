import { expect } from 'chai';
import { Unheard } from '../../../../domain/alerts/deriving/unheard.ts';

const EVER = Number.POSITIVE_INFINITY;
const [HALL, DOCK] = [1, 2];

describe('assets that wait for readers', () => {
  it('are looked at once there is proof, or somebody has listened for long enough', () => {
    const unheard = new Unheard();
    unheard.set(7, { locationId: DOCK, provenUntil: 50, listenedFor: EVER });
    unheard.set(8, { locationId: DOCK, provenUntil: EVER, listenedFor: 20 });
    expect(unheard.earliest).to.equal(50);
    expect(unheard.take(DOCK, { provenUntil: 49, listenedSince: null })).to.deep.equal([]);
    expect(unheard.take(HALL, { provenUntil: 99, listenedSince: 0 })).to.deep.equal([]);
    expect(unheard.take(DOCK, { provenUntil: 49, listenedSince: 45 })).to.deep.equal([{ id: 8, at: 65 }]);
    expect(unheard.take(DOCK, { provenUntil: 50, listenedSince: 45 })).to.deep.equal([{ id: 7, at: 50 }]);
    expect(unheard.isEmpty).to.equal(true);
  });

  it('wait for what they were last looked at for', () => {
    const unheard = new Unheard();
    unheard.set(7, { locationId: DOCK, provenUntil: 50, listenedFor: EVER });
    unheard.set(7, { locationId: HALL, provenUntil: 60, listenedFor: EVER });
    expect(unheard.take(DOCK, { provenUntil: 90, listenedSince: 0 })).to.deep.equal([]);
    unheard.set(7, null);
    expect(unheard.isEmpty).to.equal(true);
  });

  it('are asked about where readers say something, and else now and then', () => {
    const unheard = new Unheard();
    unheard.set(7, { locationId: DOCK, provenUntil: 50, listenedFor: EVER });
    unheard.set(8, { locationId: HALL, provenUntil: 50, listenedFor: EVER });
    const ask = (heard: number[], now: number) => unheard.toAsk((id) => heard.includes(id), now - 60, now, 5);
    expect(ask([], 100)).to.have.members([DOCK, HALL]);
    expect(ask([DOCK], 101)).to.deep.equal([DOCK]);
    expect(ask([], 160)).to.deep.equal([]);
    expect(ask([], 161)).to.deep.equal([HALL]);
  });
});
