import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { BoundedSockets } from '../../../platform/runtime/bounded-sockets.ts';

describe('as many sockets as there is room for', () => {
  it('are at the cost of the address that has most, its oldest first, and of none that is at work', () => {
    const sockets = new BoundedSockets(5);
    const add = (group: string) => {
      const socket = new PassThrough() as unknown as Socket;
      sockets.add(socket, group);
      return socket;
    };
    const lonely = add('203.0.113.1');
    const [working, oldest, ...others] = ['a', 'b', 'c', 'd'].map(() => add('203.0.113.2')) as [
      Socket,
      Socket,
    ];
    sockets.pin(working);
    const newest = add('203.0.113.3');
    expect([lonely, working, oldest, ...others, newest].map(({ destroyed }) => destroyed)).to.deep.equal([
      ...[false, false, true, false, false, false],
    ]);
    expect([sockets.size, sockets.evicted]).to.deep.equal([5, 1]);
  });

  it('are at the cost of the tenant that has most, also if it has them in many groups', () => {
    const sockets = new BoundedSockets(4);
    const add = (group: string, tenant: string) => {
      const socket = new PassThrough() as unknown as Socket;
      sockets.add(socket, group, tenant);
      return socket;
    };
    const other = add('portal', 'victim');
    const again = add('portal', 'victim');
    const crowd = Array.from({ length: 4 }, (_, index) => add(`crowd-${index}`, 'crowd'));
    expect([other, again, ...crowd].map(({ destroyed }) => destroyed)).to.deep.equal([
      ...[false, false, true, true, false, false],
    ]);
  });
});
