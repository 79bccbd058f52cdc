/**
 * Organizations whose scans lately took long to decide on: a tag that is read a thousand times a second where strength
 * decides has a hundred thousand scans around each, and a large hall where position decides has tens of thousands of cells.
 */
export class HeavyOrganizations {
  /** `performance.now()`. */
  readonly #until = new Map<number, number>();

  /** @param cost of one batch so far. */
  note(orgId: number, cost: number): void {
    if (cost > MUCH) {
      this.#until.set(orgId, performance.now() + FOR_MS);
    }
  }

  isHeavy(orgId: number): boolean {
    const until = this.#until.get(orgId);
    if (until !== undefined && until <= performance.now()) {
      this.#until.delete(orgId);
    }
    return this.#until.has(orgId);
  }
}

/** The cost of deciding in one batch, by organization: microseconds of processor time, as estimated. */
export class Workload {
  readonly #costs = new Map<number, number>();
  readonly #heavy: HeavyOrganizations;
  /** For batches with messages of others, who would wait. */
  readonly isBounded: boolean;

  constructor(heavy: HeavyOrganizations, { isBounded }: { isBounded: boolean }) {
    this.#heavy = heavy;
    this.isBounded = isBounded;
  }

  /** @throws TooHeavy if that is too much in a batch with others. */
  add(orgId: number, cost: number): void {
    const total = (this.#costs.get(orgId) ?? 0) + cost;
    this.#costs.set(orgId, total);
    this.#heavy.note(orgId, total);
    if (this.isBounded && total > MUCH) {
      throw new TooHeavy(orgId);
    }
  }

  /** @throws TooHeavy */
  refuse(orgId: number): never {
    this.#heavy.note(orgId, Number.POSITIVE_INFINITY);
    throw new TooHeavy(orgId);
  }

  addScans(orgId: number, scans: number): void {
    this.add(orgId, scans * COST_OF_SCAN);
  }
}

/** An organization's scans take too long to decide on in a batch with others', or wait for a new setting. */
export class TooHeavy extends Error {
  readonly orgId: number;

  constructor(orgId: number) {
    super(`the scans of organization ${orgId} take too long to decide on beside others`);
    this.orgId = orgId;
  }
}

/** To load one and decide on it. */
const COST_OF_SCAN = 2;

/** In a batch with others: each of their batches in the same lane waits this long, once or twice. */
const MUCH = 30_000;

const FOR_MS = 60_000;
