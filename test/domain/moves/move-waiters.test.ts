import { expect } from 'chai';
import { MoveWaiters, type Wake, type Watch } from '../../../domain/moves/move-waiters.ts';

/** Longer than any test. */
const LONG = { milliseconds: 600_000, signal: new AbortController().signal };

describe('waiting for a feed to go on', () => {
  it('ends when the feed of the organization passes the position, and not for others', async () => {
    const waiters = new MoveWaiters(10);
    const [own, ahead, other] = [waiters.watch(1, 5), waiters.watch(1, 7), waiters.watch(2, 0)];
    const ends: string[] = [];
    const waits = [
      own.next(LONG).then((wake) => ends.push(wake === null ? 'nothing' : 'own')),
      ahead.next(LONG).then(() => ends.push('ahead')),
    ];
    const never = other.next(LONG).then(() => ends.push('other'));
    waiters.sealed(3, 100);
    waiters.sealed(1, 5);
    waiters.sealed(1, 6);
    await waits[0];
    expect(ends).to.deep.equal(['own']);
    waiters.sealed(1, 8);
    await waits[1];
    expect(ends).to.deep.equal(['own', 'ahead']);
    expect(waiters.size).to.equal(1);
    waiters.end();
    await never;
    expect(waiters.size).to.equal(0);
  });

  it('counts what is announced between the look and the wait', async () => {
    const waiters = new MoveWaiters(10);
    const watch = waiters.watch(1, 5);
    waiters.sealed(1, 6);
    expect(await watch.next(LONG)).not.to.equal(null);
  });

  it('ends when the time is up, when the caller hangs up, and when it is left', async () => {
    const waiters = new MoveWaiters(10);
    expect(await waiters.watch(1, 0).next({ ...LONG, milliseconds: 0 })).to.equal(null);
    const caller = new AbortController();
    const wait = waiters.watch(1, 0).next({ ...LONG, signal: caller.signal });
    caller.abort(new Error('hung up'));
    expect(await wait.catch((error: Error) => error.message)).to.equal('hung up');
    const gone = waiters.watch(1, 0).next({ ...LONG, signal: caller.signal });
    expect(await gone.catch((error: Error) => error.message)).to.equal('hung up');
    waiters.watch(1, 0).leave();
    expect(waiters.size).to.equal(0);
  });

  it('ends for all where announcements may have been missed, and for good at the end', async () => {
    const waiters = new MoveWaiters(10);
    const waits = [1, 2, 3].map((orgId) => waiters.watch(orgId, 9).next(LONG));
    waiters.sealedAny();
    expect(await Promise.all(waits)).not.to.include(null);
    waiters.end();
    expect(await waiters.watch(1, 0).next(LONG)).to.equal(null);
    expect(waiters.size).to.equal(0);
  });

  it('reads once for all whom one announcement wakes', async () => {
    const waiters = new MoveWaiters(1_000);
    const waits = Array.from({ length: 1_000 }, () => waiters.watch(1, 0).next(LONG));
    waiters.sealed(1, 1);
    let reads = 0;
    const read = async () => ({ number: ++reads });
    const pages = await Promise.all(
      waits.map(async (wait) => (await wait)?.once(read, { orgId: 1 }, { after: 0 })),
    );
    expect(reads).to.equal(1);
    expect(new Set(pages)).to.have.length(1);
  });

  it('gives the place of the longest wait of whoever has most to whoever comes to a full house', async () => {
    const waiters = new MoveWaiters(4);
    const over: string[] = [];
    const watch = (name: string, orgId: number): [Watch, Promise<Wake | null>] => {
      const each = waiters.watch(orgId, 0);
      const end = each.next(LONG);
      end.then((wake) => wake === null && over.push(name));
      return [each, end];
    };
    const many = ['a', 'b', 'c', 'd'].map((name) => watch(name, 1));
    const [, second] = watch('other', 2);
    expect(await many[0]?.[1]).to.equal(null);
    watch('another', 2);
    expect(await many[1]?.[1]).to.equal(null);
    expect(over).to.deep.equal(['a', 'b']);
    expect(waiters.size).to.equal(4);
    waiters.sealed(2, 1);
    expect(await second).not.to.equal(null);
    watch('e', 1);
    watch('f', 1);
    expect(over).to.deep.equal(['a', 'b']);
    watch('g', 1);
    expect(await many[2]?.[1]).to.equal(null);
    waiters.end();
  });
});
