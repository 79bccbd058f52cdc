import { expect } from 'chai';
import { Unheard } from '../../../../domain/alerts/deriving/organization.ts';

const EVER = Number.POSITIVE_INFINITY;
const [HALL, DOCK, YARD] = [1, 2, 3];

const waitAt = (locationId: number, provenUntil: number) => ({
  ...{ locationId, provenUntil },
  ...{ listenedFor: EVER, isOver: false },
});
const heard = (provenUntil: number, listenedSince: number | null = null) => ({
  ...{ provenUntil, listenedSince },
  provableUntil: provenUntil,
});

describe('assets that wait for readers', () => {
  it('are looked at once there is proof, or somebody has listened for long enough', () => {
    const unheard = new Unheard();
    unheard.set(7, [waitAt(DOCK, 50)], 40);
    unheard.set(8, [{ ...waitAt(DOCK, EVER), listenedFor: 20 }], 40);
    expect(unheard.earliest).to.equal(50);
    expect(unheard.take(DOCK, heard(49))).to.deep.equal([]);
    expect(unheard.take(HALL, heard(99, 0))).to.deep.equal([]);
    expect(unheard.take(DOCK, heard(49, 45))).to.deep.equal([{ id: 8, at: 65 }]);
    expect(unheard.take(DOCK, heard(50, 45))).to.deep.equal([{ id: 7, at: 50 }]);
    expect(unheard.locationIds).to.deep.equal([]);
  });

  it('wait for what they were last looked at for', () => {
    const unheard = new Unheard();
    unheard.set(7, [waitAt(DOCK, 50)], 40);
    unheard.set(7, [waitAt(HALL, 60), waitAt(YARD, 70)], 50);
    expect(unheard.take(DOCK, heard(90, 0))).to.deep.equal([]);
    expect(unheard.take(YARD, heard(90, 0))).to.deep.equal([{ id: 7, at: 70 }]);
    expect(unheard.take(HALL, heard(90, 0))).to.deep.equal([{ id: 7, at: 60 }]);
    unheard.set(7, [waitAt(HALL, 60)], 50);
    unheard.set(7, [], 60);
    expect(unheard.locationIds).to.deep.equal([]);
  });

  it('go on to wait for the proof of what was before they were last looked at, as long as it may come', () => {
    const unheard = new Unheard();
    const begin = () => {
      unheard.set(7, [waitAt(DOCK, 50)], 40);
      unheard.set(7, [waitAt(HALL, 80)], 70);
    };
    begin();
    expect(unheard.take(DOCK, heard(60))).to.deep.equal([{ id: 7, at: 50 }]);
    begin();
    expect(unheard.take(DOCK, { provenUntil: 45, provableUntil: 90, listenedSince: 0 })).to.deep.equal([]);
    expect(unheard.earliest).to.equal(50);
    expect(unheard.take(DOCK, heard(45))).to.deep.equal([]);
    expect(unheard.earliest).to.equal(80);
  });

  it('are asked about where readers say something, and else now and then', () => {
    const unheard = new Unheard();
    unheard.set(7, [waitAt(DOCK, 50)], 40);
    unheard.set(8, [waitAt(HALL, 50)], 40);
    const ask = (heard: number[], now: number) => {
      const isHeard = (id: number) => heard.includes(id);
      const isToAsk = unheard.isToAsk(isHeard, now - 60);
      const asked = unheard.toAsk(isHeard, now - 60, now, 5);
      expect(isToAsk).to.equal(asked.length > 0);
      return asked;
    };
    expect(ask([], 100)).to.have.members([DOCK, HALL]);
    expect(ask([DOCK], 101)).to.deep.equal([DOCK]);
    expect(ask([], 160)).to.deep.equal([]);
    expect(ask([], 161)).to.deep.equal([HALL]);
  });
});
