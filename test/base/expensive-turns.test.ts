import { expect } from 'chai';
import { AppError } from '../../base/errors.ts';
import { type ExpensiveKind, ExpensiveTurns } from '../../base/expensive-turns.ts';

const QUEUE = { waitingPerKey: 10, patience: 60_000 };
const NEVER = 2 ** 31 - 1;

describe('turns of expensive things', () => {
  let order: string[];
  let turns: ExpensiveTurns;
  beforeEach(() => {
    order = [];
    turns = new ExpensiveTurns({ lapse: NEVER, slice: 0 });
  });

  /** Something that is under way until it is told to end. */
  function begin(orgId: number, kind: ExpensiveKind, name = `${orgId} ${kind}`, queue = QUEUE) {
    const { promise, resolve: end } = Promise.withResolvers<void>();
    const done = turns.run(
      orgId,
      kind,
      () => {
        order.push(name);
        return promise;
      },
      queue,
    );
    return { end, done };
  }
  const settle = () => new Promise((resolve) => setImmediate(resolve));

  it('come one at a time for an organization, whatever they are, and beside those of others', async () => {
    const begun = [begin(1, 'list'), begin(1, 'body'), begin(1, 'rows'), begin(2, 'list')];
    for (const count of [2, 3, 4]) {
      await settle();
      expect(order).to.have.lengthOf(count);
      begun[count - 2]?.end();
    }
    begun[3]?.end();
    await Promise.all(begun.map(({ done }) => done));
    expect(order).to.deep.equal(['1 list', '2 list', '1 body', '1 rows']);
  });

  it('come to each kind in turn, so that many of one keep no other waiting', async () => {
    const begun = ['a', 'b', 'c', 'd'].map((name) => begin(1, 'list', name));
    begun.push(begin(1, 'submission', 'e'));
    for (const { end, done } of [begun[0], begun[1], begun[4], begun[2], begun[3]].filter(
      (each) => each !== undefined,
    )) {
      end();
      await done;
    }
    expect(order).to.deep.equal(['a', 'b', 'e', 'c', 'd']);
  });

  it('are held by a request until it is answered, which does not wait for itself', async () => {
    const held = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const request = turns.request(async () => {
      await turns.hold(1, 'body', QUEUE);
      held.resolve();
      await asked.promise;
      const within = begin(1, 'rows', 'within');
      within.end();
      await within.done;
      await turns.hold(1, 'body', QUEUE);
      order.push('answered');
    });
    await held.promise;
    const other = begin(1, 'list', 'other');
    other.end();
    asked.resolve();
    await Promise.all([request, other.done]);
    expect(order).to.deep.equal(['within', 'answered', 'other']);
  });

  it('are taken for each piece, and by nobody while a piece is read', async () => {
    const made = async function* (name: string) {
      for (const piece of [1, 2]) {
        order.push(`${name} ${piece}`);
        yield piece;
      }
    };
    const [a, b] = ['a', 'b'].map((name) => turns.pieces(1, 'export', made(name), QUEUE));
    expect([
      await a?.next(),
      await b?.next(),
      await b?.next(),
      await b?.next(),
      await a?.next(),
    ]).to.deep.equal([1, 1, 2, undefined, 2].map((value) => ({ value, done: value === undefined })));
    const { end, done } = begin(1, 'list');
    const third = a?.next();
    await settle();
    expect(turns.waiting(1)).to.equal(1);
    end();
    await Promise.all([done, third]);
    expect(order).to.deep.equal(['a 1', 'b 1', 'b 2', 'a 2', '1 list']);
  });

  it('lapse, so that what waits for a lock keeps the next waiting for so long and no longer', async () => {
    turns = new ExpensiveTurns({ lapse: 1 });
    const first = begin(1, 'list');
    const second = begin(1, 'body');
    second.end();
    await second.done;
    first.end();
    await first.done;
    expect(order).to.deep.equal(['1 list', '1 body']);
  });

  it('are left to others of the organization where work pauses, and come back', async () => {
    const began = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const done = turns.request(async () => {
      await turns.pause(1, 'import', QUEUE);
      order.push('piece 1');
      began.resolve();
      await asked.promise;
      await new Promise((resolve) => setTimeout(resolve, 2));
      await turns.pause(1, 'import', QUEUE);
      order.push('piece 2');
    });
    await began.promise;
    const list = begin(1, 'list', 'list');
    list.end();
    asked.resolve();
    await Promise.all([done, list.done]);
    expect(order).to.deep.equal(['piece 1', 'list', 'piece 2']);
  });

  it('are refused where too many wait, and left by those who hang up', async () => {
    const first = begin(1, 'list');
    const hangingUp = new AbortController();
    const waiting = turns
      .run(1, 'list', async () => order.push('hung up'), QUEUE, hangingUp.signal)
      .catch((error) => error);
    const refused = await begin(1, 'list', 'refused', { ...QUEUE, waitingPerKey: 1 }).done.catch(
      (error) => error,
    );
    expect(refused).to.be.instanceOf(AppError).and.to.include({ code: 'timed_out' });
    hangingUp.abort(new Error('hung up'));
    expect(await waiting).to.include({ message: 'hung up' });
    first.end();
    await first.done;
    const next = begin(1, 'body');
    next.end();
    await next.done;
    expect(order).to.deep.equal(['1 list', '1 body']);
  });
});
