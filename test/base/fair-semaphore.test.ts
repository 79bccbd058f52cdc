import { expect } from 'chai';
import { FairSemaphore, type Place } from '../../base/fair-semaphore.ts';

const BOUNDS = { total: 2, perKey: 1, perKeyWithRoom: 1, waitingPerKey: 3, patience: 60_000 };

describe('the fair semaphore', () => {
  /** Tasks that end when they are told to, and what has begun so far. */
  function tasks(semaphore: FairSemaphore<string>) {
    const begun: string[] = [];
    const start = (key: string, name: string, signal?: AbortSignal) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const run = () => {
        begun.push(name);
        return promise;
      };
      return { end: resolve, done: semaphore.run(key, run, signal) };
    };
    return { begun, start };
  }

  it('lets one task of a key run, and others pass it by, first come, first served', async () => {
    const { begun, start } = tasks(new FairSemaphore(BOUNDS));
    const [a1, a2, b1, c1] = [start('a', 'a1'), start('a', 'a2'), start('b', 'b1'), start('c', 'c1')];
    expect(begun).to.deep.equal(['a1', 'b1']);
    b1.end();
    await b1.done;
    expect(begun).to.deep.equal(['a1', 'b1', 'c1']);
    a1.end();
    await a1.done;
    expect(begun).to.deep.equal(['a1', 'b1', 'c1', 'a2']);
    a2.end();
    c1.end();
    await Promise.all([a2.done, c1.done]);
  });

  it('lets a key have more while room is left for others, and none once they want it', async () => {
    const { begun, start } = tasks(new FairSemaphore({ ...BOUNDS, total: 4, perKeyWithRoom: 3 }));
    const [a1, a2, a3, a4, a5] = ['a1', 'a2', 'a3', 'a4', 'a5'].map((name) => start('a', name));
    expect(begun).to.deep.equal(['a1', 'a2', 'a3']);
    const [b1, b2, c1] = [start('b', 'b1'), start('b', 'b2'), start('c', 'c1')];
    expect(begun).to.deep.equal(['a1', 'a2', 'a3', 'b1']);
    const end = async (task: typeof a1) => {
      task?.end();
      await task?.done;
    };
    await end(a1);
    expect(begun.slice(4)).to.deep.equal(['c1']);
    await end(a2);
    expect(begun.slice(5)).to.deep.equal([]);
    // Those who have as many take turns as they came, and whoever has less comes before.
    await end(b1);
    expect(begun.slice(5)).to.deep.equal(['b2']);
    await end(c1);
    expect(begun.slice(6)).to.deep.equal(['a4']);
    for (const task of [a3, a4, a5, b2]) {
      await end(task);
    }
    expect(begun.slice(7)).to.deep.equal(['a5']);
  });

  it('gives a key that has had a turn its next one after keys that have had none', async () => {
    const { begun, start } = tasks(new FairSemaphore({ ...BOUNDS, total: 1 }));
    const all = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((name) => start(name.charAt(0), name));
    for (const task of [0, 1, 3, 5, 2, 4]) {
      all[task]?.end();
      await all[task]?.done;
    }
    expect(begun).to.deep.equal(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
  });

  it('takes for a turn as long as ever, however many wait', async () => {
    const drain = async (count: number) => {
      const semaphore = new FairSemaphore<number>({ ...BOUNDS, waitingPerKey: count });
      const { promise, resolve } = Promise.withResolvers<void>();
      const all = Array.from({ length: count }, (_, at) => semaphore.run(at % (count / 4), () => promise));
      expect(semaphore.waiting() + semaphore.running()).to.equal(count);
      expect(semaphore.waiting(0) + semaphore.running(0)).to.equal(4);
      const before = process.cpuUsage();
      resolve();
      await Promise.all(all);
      const { user, system } = process.cpuUsage(before);
      expect(semaphore.waiting() + semaphore.running()).to.equal(0);
      return (user + system) / count;
    };
    await drain(20_000);
    // With a look at each that waits it is ten times as much for ten times as many.
    expect(await drain(20_000)).to.be.below(4 * (await drain(2_000)) + 5);
  });

  it('refuses what would make the queue of a key too long', async () => {
    const { begun, start } = tasks(new FairSemaphore(BOUNDS));
    const all = Array.from({ length: 4 }, (_, index) => start('a', `a${index}`));
    const refused = await start('a', 'one too many').done.catch((error: unknown) => error);
    expect(refused).to.have.property('code', 'timed_out');
    for (const { end, done } of all) {
      end();
      await done;
    }
    expect(begun).to.deep.equal(['a0', 'a1', 'a2', 'a3']);
  });

  it('refuses what has waited too long, and goes on with the others', async () => {
    const { begun, start } = tasks(new FairSemaphore({ ...BOUNDS, patience: 20 }));
    const held = start('a', 'held');
    const refused = await start('a', 'late').done.catch((error: unknown) => error);
    expect(refused).to.have.property('code', 'timed_out');
    held.end();
    await held.done;
    const next = start('a', 'next');
    next.end();
    await next.done;
    expect(begun).to.deep.equal(['held', 'next']);
  });

  it('drops what is not wanted any more', async () => {
    const { begun, start } = tasks(new FairSemaphore(BOUNDS));
    const held = start('a', 'held');
    const hangingUp = new AbortController();
    const dropped = start('a', 'dropped', hangingUp.signal);
    const next = start('a', 'next');
    hangingUp.abort(new Error('hung up'));
    expect(await dropped.done.catch((error: unknown) => error)).to.have.property('message', 'hung up');
    held.end();
    await held.done;
    next.end();
    await next.done;
    expect(begun).to.deep.equal(['held', 'next']);
  });

  it('goes on after a task that fails', async () => {
    const semaphore = new FairSemaphore<string>(BOUNDS);
    const failed = await semaphore
      .run('a', () => Promise.reject(new Error('no')))
      .catch((error: unknown) => error);
    expect(failed).to.have.property('message', 'no');
    expect(await semaphore.run('a', async () => 'yes')).to.equal('yes');
  });

  describe('of which places are kept for keys with little recent use', () => {
    it('gives them to those, and keys that keep it busy share the others', async () => {
      const semaphore = new FairSemaphore<string>({ ...BOUNDS, kept: 1 });
      const busy = [await semaphore.enter('a'), await semaphore.enter('b')];
      untilMuch(busy);
      // Both have had much: one of them at a time.
      const a = await semaphore.enter('a');
      let isIn = false;
      const b = semaphore.enter('b').then((place) => {
        isIn = true;
        return place;
      });
      for (let turn = 0; turn < 3; turn++) {
        (await semaphore.enter('c')).leave();
      }
      expect([isIn, semaphore.running()]).to.deep.equal([false, 1]);
      a.leave();
      (await b).leave();
      expect(semaphore.running()).to.equal(0);
    });

    it('gives one that is left to a key without recent use, not to one that waited longer, while all take long', async () => {
      const semaphore = new FairSemaphore<string>({ ...BOUNDS, kept: 1 });
      const [a, b] = [await semaphore.enter('a'), await semaphore.enter('b')];
      const [again, c] = [semaphore.enter('a'), semaphore.enter('c')];
      untilMuch([a]);
      (await c).leave();
      b.leave();
      (await again).leave();
    });

    it('asks a busy key to end for a busy one only', async () => {
      const semaphore = new FairSemaphore<string>({ ...BOUNDS, kept: 1, slice: 20 });
      untilMuch([await semaphore.enter('a'), await semaphore.enter('b')]);
      const [kept, a] = [await semaphore.enter('c'), await semaphore.enter('a')];
      const b = semaphore.enter('b');
      await new Promise((resolve) => a.asked.addEventListener('abort', resolve));
      expect(kept.asked.aborted).to.equal(false);
      a.leave();
      (await b).leave();
      kept.leave();
    });
  });

  it('asks the key with most, once another has waited, to end what is slowest', async () => {
    const bounds = { ...BOUNDS, total: 3, perKeyWithRoom: 2, slice: 20 };
    const semaphore = new FairSemaphore<string>(bounds);
    const [fast, slow] = [await semaphore.enter('a'), await semaphore.enter('a')];
    const b = await semaphore.enter('b');
    fast.done = 10;
    const waits = semaphore.enter('c');
    await new Promise((resolve) => slow.asked.addEventListener('abort', resolve));
    expect([fast.asked.aborted, b.asked.aborted]).to.deep.equal([false, false]);
    slow.leave();
    slow.leave();
    (await waits).leave();
    expect(semaphore.running()).to.equal(2);
  });

  it('asks nobody to end for a key that has a place', async () => {
    const semaphore = new FairSemaphore<string>({ ...BOUNDS, slice: 10, patience: 60 });
    const [a, b] = [await semaphore.enter('a'), await semaphore.enter('b')];
    const refused = await semaphore.enter('a').catch((error: unknown) => error);
    expect(refused).to.have.property('code', 'timed_out');
    expect([a.asked.aborted, b.asked.aborted]).to.deep.equal([false, false]);
  });
});

/** Places that were held so long that their keys have had much: time passes by the clock, in which nothing else runs. */
function untilMuch(places: readonly Place[]): void {
  const until = performance.now() + 2_100;
  while (performance.now() < until);
  for (const place of places) {
    place.leave();
  }
}
