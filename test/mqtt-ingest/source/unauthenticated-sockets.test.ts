import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { UnauthenticatedSockets } from '../../../services/mqtt-ingest/source/unauthenticated-sockets.ts';

/** What a CONNECT of so many bytes begins with. */
const CONNECT_OF_60_KIB = Buffer.from([0x10, 0x80, 0xe0, 0x03]);

describe('what may be held of sockets that have not signed in', () => {
  const enter = (sockets: UnauthenticatedSockets): PassThrough => {
    const socket = new PassThrough();
    sockets.enter(socket as unknown as Socket, () => expect.fail('a CONNECT is whole'));
    return socket;
  };

  it('is 32 MiB of all together, beyond which the one with most is cut off', () => {
    const sockets = new UnauthenticatedSockets({ most: 10_000, patience: 60_000 });
    const all: PassThrough[] = [];
    const send = (bytes: Buffer) => {
      const socket = enter(sockets);
      all.push(socket);
      socket.emit('data', CONNECT_OF_60_KIB);
      socket.emit('data', bytes);
    };
    send(Buffer.alloc(60_000));
    const less = Buffer.alloc(16_000);
    for (let number = 0; number < 2_200; number++) {
      send(less);
    }
    expect(all[0]?.destroyed).to.equal(true);
    expect(sockets.size * less.length).to.be.within(0.9 * 2 ** 25, 2 ** 25);
    for (const socket of all) {
      sockets.leave(socket as unknown as Socket);
    }
    expect(sockets.size).to.equal(0);
  });

  it('lasts until they should have signed in', async () => {
    const sockets = new UnauthenticatedSockets({ most: 10, patience: 1 });
    const socket = enter(sockets);
    await new Promise((resolve) => socket.once('close', resolve));
    expect(sockets.size).to.equal(0);
  });

  it('is nothing of what is no CONNECT', () => {
    const sockets = new UnauthenticatedSockets({ most: 10, patience: 60_000 });
    const socket = enter(sockets);
    socket.emit('data', Buffer.from([0x30, 0x7f]));
    expect(socket.destroyed).to.equal(true);
    sockets.leave(socket as unknown as Socket);
  });
});
