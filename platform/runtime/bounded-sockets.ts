import type { Socket } from 'node:net';

/**
 * Bounds how many sockets are open, and always lets the newest in: where there is no room, the oldest evictable socket
 * of the group (commonly an address) that has the most of them is cut off. So thousands of idle sockets keep nobody
 * out, not even a client of the same address, which has to be quicker only than as many new sockets.
 */
export class BoundedSockets {
  readonly #most: number;
  /** Evictable sockets of each group, the oldest first. */
  readonly #groups = new Map<string, Set<Socket>>();
  readonly #groupOf = new Map<Socket, string>();
  #evicted = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#groupOf.size;
  }

  /** Sockets cut off for others since the start. */
  get evicted(): number {
    return this.#evicted;
  }

  /** Takes a socket until it is closed or removed, and makes room for it. */
  add(socket: Socket, group: string): void {
    this.#groupOf.set(socket, group);
    this.release(socket);
    socket.once('close', () => this.remove(socket));
    if (this.size > this.#most) {
      this.#evict();
    }
  }

  /** Keeps a socket from being evicted. It counts all the same. */
  pin(socket: Socket): void {
    const name = this.#groupOf.get(socket);
    const group = name === undefined ? undefined : this.#groups.get(name);
    if (name !== undefined && group?.delete(socket) && group.size === 0) {
      this.#groups.delete(name);
    }
  }

  /** Lets a socket be evicted again, as the newest of its group. */
  release(socket: Socket): void {
    const name = this.#groupOf.get(socket);
    if (name !== undefined) {
      this.pin(socket);
      const group = this.#groups.get(name);
      if (group === undefined) {
        this.#groups.set(name, new Set([socket]));
      } else {
        group.add(socket);
      }
    }
  }

  remove(socket: Socket): void {
    this.pin(socket);
    this.#groupOf.delete(socket);
  }

  #evict(): void {
    let largest: Set<Socket> | undefined;
    for (const group of this.#groups.values()) {
      if (group.size > (largest?.size ?? 0)) {
        largest = group;
      }
    }
    for (const socket of largest ?? []) {
      this.#evicted += 1;
      this.remove(socket);
      socket.destroy();
      return;
    }
  }
}

/** What counts as one caller: an IPv4 address, or the /64 that one subscriber of IPv6 has. */
export function groupOfAddress(address: string | undefined): string {
  if (address === undefined) {
    return 'gone';
  }
  const [, mapped] = /^::ffff:([\d.]+)$/i.exec(address) ?? [];
  if (mapped !== undefined || !address.includes(':')) {
    return mapped ?? address;
  }
  const [head = '', tail] = address.replace(/%.*$/, '').split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return [...before, ...zeros, ...after].slice(0, 4).join(':');
}
