import { expect } from 'chai';
import {
  type Arriving,
  BodyShares,
  bodiesToEvict,
  type WaitingBody,
} from '../../../platform/http/body-room.ts';

const BOUNDS = {
  total: 100,
  perOrganization: 60,
  perCaller: 40,
  waitingPerCaller: 2,
  waiting: 4,
  patience: 1_000,
  stall: 50,
  grace: 20,
  deadline: 1_000,
};

const NOW = 100;

type Named<Body> = Body & { name: string };

/** Of the caller `name`, whose first letter is its organization; comes fast enough to count, unless said. */
function arriving(name: string, bytes: number, since = 0, progressAt = NOW): Named<Arriving> {
  return { name, sender: { organization: name.charAt(0), caller: name }, bytes, since, progressAt };
}

function waiting(name: string, bytes: number, since = 0): WaitingBody {
  return { sender: { organization: name.charAt(0), caller: name }, bytes, since };
}

function gone(held: readonly Named<Arriving>[], wanting: readonly WaitingBody[]): string[] {
  const shares = new BodyShares(BOUNDS);
  for (const { sender, bytes } of held) {
    shares.count(sender, bytes);
  }
  return bodiesToEvict(held, wanting, shares, BOUNDS, NOW).map(({ name }) => name);
}

describe('bodies that give way to others', () => {
  const full = [arriving('a1', 30, 5), arriving('a2', 30, 2), arriving('b1', 20, 1), arriving('b2', 20)];

  it('are of who holds most, the oldest first, and no more than there is need of', () => {
    expect(gone(full, [waiting('c1', 20)])).to.deep.equal(['a2']);
    expect(gone(full, [waiting('c1', 40)])).to.deep.equal(['a2', 'b2']);
    expect(gone(full, [waiting('c1', 20), waiting('d1', 10)])).to.deep.equal(['a2']);
    expect(gone(full, [waiting('c1', 20), waiting('d1', 20)])).to.deep.equal(['a2', 'a1']);
  });

  it('have had their grace, as has who waits', () => {
    expect(gone(full, [waiting('c1', 20, NOW - 20)])).to.deep.equal([]);
    expect(gone([arriving('a1', 40, NOW - 20), arriving('b1', 40)], [waiting('c1', 40)])).to.deep.equal([
      'b1',
    ]);
  });

  it('are of nobody who would then hold less than the other', () => {
    expect(gone([...full.slice(0, 2), arriving('c2', 35)], [waiting('c1', 20)])).to.deep.equal(['a2']);
    expect(gone([...full, arriving('c2', 0)], [waiting('c1', 40), waiting('b3', 30)])).to.deep.equal([
      'a2',
      'b2',
    ]);
  });

  it('are of other callers where their organization holds all that it may, and never of the same one', () => {
    expect(gone(full, [waiting('a3', 20)])).to.deep.equal(['a2']);
    expect(gone(full, [waiting('a3', 40)])).to.deep.equal([]);
    expect(gone([arriving('a1', 20), arriving('a1', 20)], [waiting('a1', 20)])).to.deep.equal([]);
  });

  it('are not asked to make room for what finds none all the same', () => {
    const held = [arriving('a1', 40), arriving('b1', 20), arriving('b2', 30)];
    expect(gone(held, [waiting('a1', 20), waiting('b3', 10)])).to.deep.equal([]);
  });

  it('stall: those go first, for whoever is kept out by them, at once', () => {
    const stalling = arriving('b3', 15, 0, NOW - 51);
    const [first, second] = full as [Named<Arriving>, Named<Arriving>];
    expect(gone([first, second, stalling], [waiting('c1', 30, NOW)])).to.deep.equal(['b3']);
    expect(gone([first, second, stalling], [waiting('a3', 30, NOW)])).to.deep.equal([]);
    const same = [arriving('a1', 20, 0, 0), arriving('a1', 20)];
    expect(gone(same, [waiting('a1', 20)])).to.deep.equal(['a1']);
  });
});
