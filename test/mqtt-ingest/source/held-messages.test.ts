import { expect } from 'chai';
import { HeldMessages } from '../../../services/mqtt-ingest/source/held-messages.ts';

describe('what is held of several readers', () => {
  /** Whose messages were let in, in order, where there is room for one at a time. */
  function order(bytes: number, messages: number): string[] {
    const held = new HeldMessages({ messages: 2, bytes: 10_000_000 });
    const letIn: string[] = [];
    const underWay: (() => void)[] = [];
    const enter = (owner: string) =>
      held.enter(
        bytes,
        () => {
          letIn.push(owner);
          underWay.push(() => held.leave(bytes, { orgId: 1, reader: owner }));
        },
        { orgId: 1, reader: owner },
      );
    enter('first');
    enter('first');
    for (const owner of ['loud', 'other', 'third']) {
      for (let message = 0; message < messages; message++) {
        enter(owner);
      }
    }
    for (let done = underWay.shift(); done !== undefined; done = underWay.shift()) {
      done();
    }
    expect(held.messages).to.equal(0);
    expect(held.waiting.messages).to.equal(0);
    return letIn.slice(2);
  }

  /** How many of one reader came one after the other, each time. */
  function runs(order: readonly string[]): number[] {
    const lengths: number[] = [];
    for (const [index, owner] of order.entries()) {
      if (index > 0 && owner === order[index - 1]) {
        lengths.push((lengths.pop() ?? 0) + 1);
      } else {
        lengths.push(1);
      }
    }
    return lengths;
  }

  it('is let in by turns of some messages, so that a batch has many reads of few assets', () => {
    expect(runs(order(5_000, 24))).to.deep.equal([11, 11, 11, 11, 11, 11, 2, 2, 2]);
  });

  it('has turns of one message if messages are large, and of a few dozen if they are small', () => {
    expect(runs(order(100_000, 3))).to.deep.equal([1, 1, 1, 1, 1, 1, 1, 1, 1]);
    expect(runs(order(100, 100)).slice(0, 3)).to.deep.equal([59, 59, 59]);
  });

  it('is of organizations in turn, so that many readers of one do not come before the only one of another', () => {
    const held = new HeldMessages({ messages: 100, bytes: 2_000_000 });
    const letIn: number[] = [];
    const underWay: (() => void)[] = [];
    const enter = (orgId: number, reader: string, bytes: number) => {
      const owner = { orgId, reader };
      return held.enter(
        bytes,
        () => {
          letIn.push(orgId);
          underWay.push(() => held.leave(bytes, owner));
        },
        owner,
      );
    };
    for (let reader = 0; reader < 30; reader++) {
      enter(1, `crowd-${reader}`, 1_000_000);
      enter(2, `other-${reader}`, 1_000_000);
    }
    expect(enter(3, 'only', 1_000_000)).to.equal(false);
    expect(letIn).to.deep.equal([1, 2]);
    underWay.shift()?.();
    underWay.shift()?.();
    underWay.shift()?.();
    expect(letIn.indexOf(3)).to.be.within(2, 4);
    for (let done = underWay.shift(); done !== undefined; done = underWay.shift()) {
      done();
    }
    expect([held.messages, held.bytes, held.waiting.messages, held.waiting.bytes]).to.deep.equal([
      0, 0, 0, 0,
    ]);
  });

  it('leaves room to others: an organization holds one large message at a time, and small ones of all go on', () => {
    const held = new HeldMessages({ messages: 100, bytes: 2_000_000 });
    const enter = (orgId: number, reader: string, bytes: number) =>
      held.enter(bytes, () => {}, { orgId, reader });
    expect(enter(1, 'a', 1_000_000)).to.equal(true);
    expect(enter(1, 'b', 1_000_000)).to.equal(false);
    expect(enter(1, 'c', 100)).to.equal(true);
    expect(enter(2, 'd', 100)).to.equal(true);
  });

  it('lets a connection of many be read on until as much waits as may, and then when less does', () => {
    const held = new HeldMessages({ messages: 100, bytes: 1_000 }, { messages: 100, bytes: 2_000 });
    const owner = { orgId: 1, reader: 'a' };
    const read: number[] = [];
    const letIn: number[] = [];
    for (let message = 0; message < 5; message++) {
      if (!held.enter(750, () => letIn.push(message), owner)) {
        held.readOn(() => read.push(message));
      }
    }
    expect([letIn, read, held.waiting]).to.deep.equal([[0], [1, 2], { messages: 4, bytes: 3_000 }]);
    expect(held.enter(100, () => {}, { orgId: 2, reader: 'b' })).to.equal(true);
    held.leave(750, owner);
    expect([letIn, read]).to.deep.equal([
      [0, 1],
      [1, 2],
    ]);
    held.leave(750, owner);
    expect([letIn, read]).to.deep.equal([
      [0, 1, 2],
      [1, 2, 3, 4],
    ]);
  });
});
