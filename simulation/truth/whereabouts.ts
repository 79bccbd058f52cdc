import type { Micros } from '../../base/instant.ts';

/** When an asset was really at a location; `until` is null while it is. */
export interface RealStay {
  location: string;
  from: Micros;
  until: Micros | null;
}

/** Where assets really were, whatever readers made of it. */
export class Whereabouts {
  readonly #stays = new Map<string, RealStay[]>();
  readonly #taken = new Map<string, Micros>();

  came(asset: string, location: string, at: Micros): void {
    const stays = this.#stays.get(asset) ?? [];
    stays.push({ location, from: at, until: null });
    this.#stays.set(asset, stays);
  }

  left(asset: string, at: Micros): void {
    const stay = this.#stays.get(asset)?.at(-1);
    if (stay !== undefined) {
      stay.until = at;
    }
  }

  taken(asset: string, at: Micros): void {
    this.#taken.set(asset, at);
  }

  /** In order. */
  staysOf(asset: string): readonly RealStay[] {
    return this.#stays.get(asset) ?? [];
  }

  takenAt(asset: string): Micros | null {
    return this.#taken.get(asset) ?? null;
  }
}
