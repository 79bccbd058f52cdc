import type { Socket } from 'node:net';

/**
 * Bounds open sockets but always admits the newest: when full, it evicts the oldest evictable socket of the largest
 * group (commonly an address). So thousands of idle sockets keep nobody out, not even a client of the same address,
 * which only has to be pinned before as many newer ones arrive.
 */
export class BoundedSockets {
  readonly #most: number;
  readonly #groups = new Map<string, Set<Socket>>();
  readonly #groupOf = new Map<Socket, string>();
  #evicted = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#groupOf.size;
  }

  get evicted(): number {
    return this.#evicted;
  }

  /** Tracks a socket until it closes or is removed, and makes room for it. */
  add(socket: Socket, group: string): void {
    this.#groupOf.set(socket, group);
    this.release(socket);
    socket.once('close', () => this.remove(socket));
    if (this.size > this.#most) {
      this.#evict();
    }
  }

  /** Protects a socket from eviction; it still counts. */
  pin(socket: Socket): void {
    const name = this.#groupOf.get(socket);
    const group = name === undefined ? undefined : this.#groups.get(name);
    if (name !== undefined && group?.delete(socket) && group.size === 0) {
      this.#groups.delete(name);
    }
  }

  /** Makes a socket evictable again, as the newest of its group. */
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

/** An IPv4 address, or the /64 of one IPv6 subscriber. */
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
