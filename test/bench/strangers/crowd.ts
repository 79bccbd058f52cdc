import { createConnection, type Socket } from 'node:net';
import { setPriority } from 'node:os';
import { HOSTILE, type HostileKind } from '../../support/hostile-sockets.ts';

/** Who comes, from this machine's own address, nobody if `kind` is null. */
export interface Crowd {
  port: number;
  kind: HostileKind | null;
  sockets: number;
}

export interface Crowded {
  /** Sockets, with those that took the place of closed ones. */
  opened: number;
  /** When it was told to stop. */
  open: number;
}

/**
 * Sockets that never sign in, in a process of their own: gets a {@link Crowd}, says when all were tried, keeps as many trying,
 * and tells after the next message what it was. Strangers have machines of their own, so this takes of the processors what
 * others leave.
 */
setPriority(10);
process.once('message', ({ port, kind, sockets }: Crowd) => {
  const wanted = kind === null ? 0 : sockets;
  const open = new Set<Socket>();
  let opened = 0;
  let tried = 0;
  const noteTried = () => {
    tried += 1;
    if (tried === wanted) {
      process.send?.('there');
    }
  };
  const come = () => {
    const socket = createConnection(port, '127.0.0.1').on('error', () => {});
    opened += 1;
    socket.once('connect', () => {
      open.add(socket);
      noteTried();
      if (kind !== null) {
        HOSTILE[kind](socket);
      }
    });
    socket.once('close', () => {
      if (!open.delete(socket)) {
        noteTried();
      }
      come();
    });
    socket.resume();
  };
  if (wanted === 0) {
    process.send?.('there');
  }
  for (let number = 0; number < wanted; number++) {
    come();
  }
  process.once('message', () => process.send?.({ opened, open: open.size }, () => process.exit()));
});
process.once('disconnect', () => process.exit());
