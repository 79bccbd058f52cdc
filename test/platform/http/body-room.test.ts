import { expect } from 'chai';
import { BodyRoom, type Reservation } from '../../../platform/http/body-room.ts';
import type { Sender } from '../../../platform/http/body-room-bounds.ts';
import type { Problem } from '../../../platform/http/problem.ts';

const BOUNDS = {
  total: 100,
  perOrganization: 60,
  perCaller: 40,
  waitingPerCaller: 2,
  waiting: 4,
  // Some are left waiting, and nobody hears any more what becomes of them.
  patience: Number.POSITIVE_INFINITY,
  stall: 60_000,
  grace: 60_000,
  deadline: 60_000,
};

describe('the room for request bodies', () => {
  const never = new AbortController().signal;
  const sender = (organization: string, caller = organization): Sender => ({ organization, caller });
  const typeOf = (entering: Promise<Reservation>) =>
    entering.then(
      () => 'let in',
      ({ type, message }: Problem) => `${type}: ${message.split(';')[0]}`,
    );
  const settled = () => new Promise((resolve) => setImmediate(resolve));

  it('lets in first whoever holds least, of the same whoever came first', async () => {
    const room = new BodyRoom(BOUNDS);
    const [first] = [
      await room.enter(sender('a', 'a1'), 40, never),
      await room.enter(sender('a', 'a2'), 20, never),
    ];
    const order: string[] = [];
    const enter = (organization: string, caller: string, bytes: number) =>
      room.enter(sender(organization, caller), bytes, never).then(() => order.push(caller));
    enter('a', 'a1', 20);
    enter('a', 'a3', 20);
    enter('a', 'a4', 20);
    enter('b', 'b1', 40);
    await settled();
    expect(order).to.deep.equal(['b1']);
    first?.leave();
    await settled();
    expect(order).to.deep.equal(['b1', 'a1', 'a3']);
    expect([room.bytes, room.waiting]).to.deep.equal([100, 1]);
  });

  it('keeps what a body was announced with only until it is known how large it is', async () => {
    const room = new BodyRoom(BOUNDS);
    const reservation = await room.enter(sender('a'), 40, never);
    const second = room.enter(sender('a'), 30, never);
    reservation.complete(10);
    expect(room.bytes).to.equal(40);
    reservation.leave();
    (await second).leave();
    expect(room.bytes).to.equal(0);
  });

  it('has a caller wait for itself only, and nobody fill the line for others', async () => {
    const room = new BodyRoom(BOUNDS);
    for (const organization of ['a', 'b']) {
      await room.enter(sender(organization), 40, never);
    }
    const waiting = [
      room.enter(sender('a', 'a'), 40, never),
      room.enter(sender('a', 'a'), 40, never),
      room.enter(sender('a', 'a'), 40, never),
      room.enter(sender('a', 'a2'), 40, never),
      room.enter(sender('b', 'b'), 40, never),
      room.enter(sender('c', 'c'), 40, never),
    ].map(typeOf);
    const crowded = 'unavailable: Too many request bodies are waiting to be read';
    expect(await waiting[2]).to.equal(crowded);
    expect(await waiting[3]).to.equal(crowded);
    expect(room.waiting).to.equal(4);
  });

  it('takes it from bodies that come slowly while others wait, those of who has most first', async () => {
    let now = 0;
    const room = new BodyRoom(
      { ...BOUNDS, stall: 20 },
      () => {},
      () => now,
    );
    const lost: string[] = [];
    const begin = async (organization: string, caller: string, bytes: number) => {
      const reservation = await room.enter(sender(organization, caller), bytes, never);
      reservation.onLost(({ type }) => {
        lost.push(`${caller} ${type}`);
        reservation.leave();
      });
      return reservation;
    };
    await begin('a', 'a1', 30);
    await begin('a', 'a2', 20);
    await begin('b', 'b1', 20);
    const done = await begin('b', 'b2', 30);
    done.complete(30);
    const entering = room.enter(sender('c', 'c1'), 40, never);
    now = 21;
    await entering;
    expect(lost).to.deep.equal(['a1 unavailable', 'a2 unavailable']);
  });

  it('takes it from what is not there in time, and ends the wait of what cannot be let in', async () => {
    const room = new BodyRoom({ ...BOUNDS, stall: 100, deadline: 40, patience: 20 });
    const reservation = await room.enter(sender('a'), 40, never);
    const late = new Promise<Problem>((resolve) => reservation.onLost(resolve));
    expect(await typeOf(room.enter(sender('a'), 40, never))).to.match(
      /^unavailable: The request body could not/,
    );
    const { status, headers } = await late;
    expect([status, headers['Retry-After'], headers['Connection']]).to.deep.equal([408, '5', 'close']);
  });

  it('forgets who hangs up while waiting', async () => {
    const room = new BodyRoom(BOUNDS);
    const reservation = await room.enter(sender('a'), 40, never);
    const hangingUp = new AbortController();
    const gone = typeOf(room.enter(sender('a'), 40, hangingUp.signal));
    hangingUp.abort();
    expect(await gone).to.equal('bad_request: Request body was cut off');
    reservation.leave();
    expect([room.bytes, room.waiting]).to.deep.equal([0, 0]);
  });
});
