import type { RoomBounds, Sender } from './body-room-bounds.ts';

export interface Sized {
  sender: Sender;
  bytes: number;
}

export type Bound = 'caller' | 'organization' | 'total';

export class BodyShares {
  readonly #bounds: RoomBounds;
  #ofOrganization = new Map<string, number>();
  #ofCaller = new Map<string, number>();
  #bytes = 0;

  constructor(bounds: RoomBounds) {
    this.#bounds = bounds;
  }

  get bytes(): number {
    return this.#bytes;
  }

  copy(): BodyShares {
    const copied = new BodyShares(this.#bounds);
    copied.#bytes = this.#bytes;
    copied.#ofOrganization = new Map(this.#ofOrganization);
    copied.#ofCaller = new Map(this.#ofCaller);
    return copied;
  }

  count({ organization, caller }: Sender, bytes: number): void {
    this.#bytes += bytes;
    add(this.#ofOrganization, organization, bytes);
    add(this.#ofCaller, caller, bytes);
  }

  /** The narrowest bound that the body exceeds; null if there is room. */
  boundFor({ sender: { organization, caller }, bytes }: Sized): Bound | null {
    const { total, perOrganization, perCaller } = this.#bounds;
    if (this.#of(this.#ofCaller, caller) + bytes > perCaller) {
      return 'caller';
    }
    if (this.#of(this.#ofOrganization, organization) + bytes > perOrganization) {
      return 'organization';
    }
    return this.#bytes + bytes > total ? 'total' : null;
  }

  /** Bytes held by the organization, then by the caller. */
  weightOf({ organization, caller }: Sender): number {
    return (
      this.#of(this.#ofOrganization, organization) * this.#bounds.total + this.#of(this.#ofCaller, caller)
    );
  }

  /**
   * True if another organization, or another caller of this one, holds at least as much as this sender would
   * with its body.
   */
  isOwedBy({ organization, caller }: Sender, { sender, bytes }: Sized): boolean {
    return organization === sender.organization
      ? caller !== sender.caller &&
          this.#of(this.#ofCaller, caller) >= this.#of(this.#ofCaller, sender.caller) + bytes
      : this.#of(this.#ofOrganization, organization) >=
          this.#of(this.#ofOrganization, sender.organization) + bytes;
  }

  #of(sums: ReadonlyMap<string, number>, key: string): number {
    return sums.get(key) ?? 0;
  }
}

function add(sums: Map<string, number>, key: string, amount: number): void {
  const sum = (sums.get(key) ?? 0) + amount;
  if (sum === 0) {
    sums.delete(key);
  } else {
    sums.set(key, sum);
  }
}
