/**
 * Organizations whose scans lately took many stored ones to judge: a tag that is read a thousand times a second where strength
 * decides has a hundred thousand around each scan, and each batch with a read of it takes a large part of a second.
 */
export class HeavyOrganizations {
  /** `performance.now()`. */
  readonly #until = new Map<number, number>();

  /** @param scans read for one batch so far. */
  note(orgId: number, scans: number): void {
    if (scans > MANY) {
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

/** Some 100 ms of processor time. */
const MANY = 50_000;

const FOR_MS = 60_000;
