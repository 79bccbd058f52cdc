import type { Socket } from 'node:net';

/**
 * Bounds open sockets but always admits the newest: when full, it evicts the oldest evictable socket of the largest
 * group (commonly an address) of the tenant that has most. So thousands of idle sockets keep nobody out, not even a client of the same address,
 * which only has to be pinned before as many newer ones arrive.
 */
export class BoundedSockets {
  readonly #most: number;
  readonly #groups = new Map<string, Group>();
  readonly #groupOf = new Map<Socket, Omit<Group, 'sockets'>>();
  #evicted = 0;
  #evictable = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#groupOf.size;
  }

  get pinned(): number {
    return this.size - this.#evictable;
  }

  get evicted(): number {
    return this.#evicted;
  }

  /**
   * Tracks a socket until it closes or is removed, and makes room for it.
   *
   * @param tenant whose groups count together, so that a tenant with many small groups evicts its own sockets first.
   */
  add(socket: Socket, name: string, tenant = name): void {
    this.#groupOf.set(socket, { name, tenant });
    this.release(socket);
    socket.once('close', () => this.remove(socket));
    if (this.size > this.#most) {
      this.#evict();
    }
  }

  /** Protects a socket from eviction; it still counts. */
  pin(socket: Socket): void {
    const name = this.#groupOf.get(socket)?.name;
    const group = name === undefined ? undefined : this.#groups.get(name);
    if (name !== undefined && group?.sockets.delete(socket)) {
      this.#evictable -= 1;
      if (group.sockets.size === 0) {
        this.#groups.delete(name);
      }
    }
  }

  /** Makes a socket evictable again, as the newest of its group. */
  release(socket: Socket): void {
    const own = this.#groupOf.get(socket);
    if (own !== undefined) {
      this.pin(socket);
      this.#evictable += 1;
      const group = this.#groups.get(own.name);
      if (group === undefined) {
        this.#groups.set(own.name, { ...own, sockets: new Set([socket]) });
      } else {
        group.sockets.add(socket);
      }
    }
  }

  remove(socket: Socket): void {
    this.pin(socket);
    this.#groupOf.delete(socket);
  }

  #evict(): void {
    const sizes = new Map<string, number>();
    for (const { tenant, sockets } of this.#groups.values()) {
      sizes.set(tenant, (sizes.get(tenant) ?? 0) + sockets.size);
    }
    let largest: Group | undefined;
    for (const group of this.#groups.values()) {
      const more =
        largest === undefined ? 1 : (sizes.get(group.tenant) ?? 0) - (sizes.get(largest.tenant) ?? 0);
      if (more > 0 || (more === 0 && group.sockets.size > (largest?.sockets.size ?? 0))) {
        largest = group;
      }
    }
    for (const socket of largest?.sockets ?? []) {
      this.#evicted += 1;
      this.remove(socket);
      socket.destroy();
      return;
    }
  }
}

interface Group {
  name: string;
  tenant: string;
  /** Evictable, oldest first. */
  sockets: Set<Socket>;
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
