import { expect } from 'chai';
import { FIRST_OF_RULE, MOST_RAISED, type Raised, Room } from '../../../../domain/alerts/stored/room.ts';

const AT_ALL = 3 * MOST_RAISED;

describe('the room for alerts of an organization within an hour', () => {
  it('gives a rule half of what the others left, and its first alerts in any case', () => {
    const room = new Room(new Map());
    expect(room.take('A', 'holding', 3)).to.equal(3);
    expect(room.take('A', 'holding', 50_000)).to.equal(9_997);
    expect(room.take('A', 'holding', 1)).to.equal(0);
    expect(room.take('B', 'holding', 50_000)).to.equal(5_000);
    expect(room.take('C', 'holding', 50_000)).to.equal(2_500);
    for (const rule of 'DEFGHIJKLMNOP') {
      expect(room.take(rule, 'holding', 50_000)).to.be.at.least(FIRST_OF_RULE);
    }
  });

  it('counts what is over apart, unless it takes more than that', () => {
    const room = new Room(new Map([['A', { holding: 0, over: 10_000 }]]));
    expect(room.take('A', 'over', 1)).to.equal(0);
    expect(room.take('A', 'holding', 50_000)).to.equal(10_000);
    const later = new Room(new Map([['A', { holding: 0, over: MOST_RAISED + 8_000 }]]));
    expect(later.take('B', 'holding', 50_000)).to.equal(6_000);
  });

  it('leaves something for each of 200 rules, whatever they want, and is never more than three times as large', () => {
    const rules = Array.from({ length: 200 }, (_, number) => `${number}`);
    for (const kinds of [['holding'], ['over'], ['over', 'holding'], ['holding', 'over']] as const) {
      const raised = new Map<string, Raised>();
      const room = new Room(raised);
      let all = 0;
      for (const rule of rules) {
        const taken = kinds.map((kind) => room.take(rule, kind, 20_000));
        const own = taken.reduce((sum, each) => sum + each);
        expect(own).to.be.at.least(FIRST_OF_RULE);
        all += own;
      }
      expect(all).to.be.at.most(AT_ALL);
      expect(raised.size).to.equal(0);
    }
  });

  it('is the same for what was raised before as for what it gave itself', () => {
    const once = new Room(new Map());
    const raised = new Map<string, Raised>();
    for (let step = 0; step < 500; step += 1) {
      const rule = `${(step * 7) % 5}`;
      const kind = step % 3 === 0 ? 'over' : 'holding';
      const wanted = (step * 37) % 900;
      const taken = new Room(raised).take(rule, kind, wanted);
      expect(once.take(rule, kind, wanted)).to.equal(taken);
      const own = raised.get(rule) ?? { holding: 0, over: 0 };
      raised.set(rule, { ...own, [kind]: own[kind] + taken });
    }
  });
});
