import { MICROS_PER_SECOND, type Micros } from '../base/instant.ts';
import { EventQueue } from './event-queue.ts';
import { nextStop } from './movement.ts';
import type { Role, SimulatedAsset } from './population.ts';
import { normal, type Random } from './random.ts';
import { activityAt, endOfShift, nextStartOf, shiftAt } from './shifts.ts';
import { isPortal, type SiteLocation, type Stage } from './site.ts';
import type { Whereabouts } from './truth/whereabouts.ts';

/** Where an asset is or goes, and until when. */
export type State =
  | { kind: 'staying'; location: SiteLocation; since: Micros; until: Micros }
  | { kind: 'travelling'; to: SiteLocation; until: Micros }
  /** Off the site: shipped, at home, or in repair. */
  | { kind: 'away'; until: Micros };

export interface LifeOptions {
  /** Nothing moves then. */
  night: { from: Micros; to: Micros } | null;
  /** From when on something that is kept at the site is taken away each, in order. */
  thefts: readonly Micros[];
  /** Where that would be noticed. */
  isSafe(location: SiteLocation): boolean;
  /** Told where assets are. */
  whereabouts: Whereabouts | null;
}

const ORDINARY: LifeOptions = { night: null, thefts: [], isSafe: () => true, whereabouts: null };

/**
 * Life of the site: lorries bring pallets in bursts, forklifts carry them from stage to stage until they are shipped
 * and come in again, people work their shifts, cages are wherever they are needed. The same random numbers give the
 * same course of events.
 */
export class SiteLife {
  readonly #stops: readonly SiteLocation[];
  readonly #random: Random;
  readonly #states = new Map<SimulatedAsset, State>();
  readonly #events = new EventQueue<SimulatedAsset>();
  /** Everything that is at some location. */
  readonly present = new Roster();
  readonly #palletsAt = new Map<string, Roster>();
  #outside: SimulatedAsset[] = [];
  #nextLorryAt: Micros;
  readonly #options: LifeOptions;
  readonly #thefts: Micros[];

  /** @param stops at least one; with one only, assets come and go. */
  constructor(
    assets: readonly SimulatedAsset[],
    stops: readonly SiteLocation[],
    from: Micros,
    random: Random,
    options: LifeOptions = ORDINARY,
  ) {
    this.#options = options;
    this.#thefts = [...options.thefts];
    this.#stops = stops;
    this.#random = random;
    this.#nextLorryAt = this.#awake(from + seconds(random.integer(3, 20)));
    for (const asset of assets) {
      this.#begin(asset, from);
    }
  }

  stateOf(asset: SimulatedAsset): State | undefined {
    return this.#states.get(asset);
  }

  /** Advances time. @returns arrivals in order of time; their states tell the location. */
  advance(until: Micros): SimulatedAsset[] {
    const arrived: SimulatedAsset[] = [];
    while (this.#nextLorryAt <= until) {
      this.#unloadLorry(this.#nextLorryAt);
    }
    for (let event = this.#events.next(until); event !== null; event = this.#events.next(until)) {
      const { at, subject: asset } = event;
      const state = this.#states.get(asset);
      // One that was carried away meanwhile has another event in the queue.
      if (state?.until !== at) {
        continue;
      }
      if (state.kind === 'travelling') {
        this.#stay(asset, state.to, at, dwell(asset.role, state.to.stage ?? 'storage', at, this.#random));
        arrived.push(asset);
      } else {
        this.#moveOn(asset, state, at);
      }
    }
    while ((this.#thefts[0] ?? Number.POSITIVE_INFINITY) <= until && this.#takeAway(until)) {
      this.#thefts.shift();
    }
    return arrived;
  }

  #begin(asset: SimulatedAsset, from: Micros): void {
    const { role, shift } = asset;
    if (role === 'in repair') {
      this.#states.set(asset, { kind: 'away', until: Number.POSITIVE_INFINITY });
    } else if (role === 'person' && shift !== shiftAt(from)) {
      this.#goAway(asset, nextStartOf(shift, from) + seconds(this.#random.integer(0, 600)));
    } else if (role === 'pallet' && this.#random.chance(0.3)) {
      this.#leaveSite(asset);
    } else {
      // It has been there for a while.
      const location = this.#random.pick(this.#stops);
      const left = this.#random.fraction() * dwell(role, location.stage ?? 'storage', from, this.#random);
      this.#stay(asset, location, from, Math.ceil(left));
    }
  }

  #moveOn(asset: SimulatedAsset, state: State, at: Micros): void {
    const from = state.kind === 'staying' ? state.location : null;
    if (asset.role === 'person' && from !== null && asset.shift !== shiftAt(at)) {
      this.#leave(asset, at);
      this.#goAway(asset, nextStartOf(asset.shift, at) + seconds(this.#random.integer(0, 600)));
      return;
    }
    const isShipped = asset.role === 'pallet' && from?.stage === 'shipping';
    if (from !== null && (isShipped || this.#stops.length < 2)) {
      this.#leave(asset, at);
      this.#leaveSite(asset, at);
      return;
    }
    const to = this.#destination(asset, from);
    const arrival = at + travel(this.#random);
    if (from !== null && asset.role === 'forklift') {
      this.#carry(from, to, { at, arrival });
    }
    this.#travel(asset, to, { at, arrival });
  }

  #destination(asset: SimulatedAsset, from: SiteLocation | null): SiteLocation {
    return this.#stops.length < 2
      ? this.#random.pick(this.#stops)
      : nextStop(asset.role === 'pallet' ? 'goods' : 'equipment', from, this.#stops, this.#random);
  }

  /** A forklift mostly takes a pallet along. */
  #carry(from: SiteLocation, to: SiteLocation, trip: Trip): void {
    const pallets = this.#palletsAt.get(from.key);
    if (pallets !== undefined && pallets.size > 0 && this.#random.chance(0.6)) {
      this.#travel(pallets.pick(this.#random), to, trip);
    }
  }

  #unloadLorry(at: Micros): void {
    const doors = this.#stops.filter(({ stage }) => stage === 'receiving');
    const door = this.#random.pick(doors.length > 0 ? doors : this.#stops);
    const load = this.#outside.splice(0, this.#random.integer(6, 20));
    let arrival = at;
    for (const pallet of load) {
      arrival += this.#random.integer(seconds(2), seconds(7));
      this.#travel(pallet, door, { at, arrival });
    }
    const pause = seconds(-300 * Math.log(1 - this.#random.fraction()) + 20) / activityAt(at);
    this.#nextLorryAt = this.#awake(at + Math.ceil(pause));
  }

  /** @returns whether there was anything to take. */
  #takeAway(at: Micros): boolean {
    const kept = [...this.present].filter((asset) => {
      const state = this.#states.get(asset);
      const isGoods = asset.role === 'pallet' || asset.role === 'cage';
      const at = state?.kind === 'staying' ? state.location : null;
      return isGoods && at !== null && !isPortal(at) && this.#options.isSafe(at);
    });
    if (kept.length === 0) {
      return false;
    }
    const asset = this.#random.pick(kept);
    this.#leave(asset, at);
    this.#states.set(asset, { kind: 'away', until: Number.POSITIVE_INFINITY });
    this.#options.whereabouts?.taken(asset.key, at);
    return true;
  }

  /** Events that would happen at night happen after it. */
  #awake(at: Micros): Micros {
    const { night } = this.#options;
    return night !== null && at >= night.from && at < night.to ? at + Math.ceil(night.to - night.from) : at;
  }

  #stay(asset: SimulatedAsset, location: SiteLocation, since: Micros, length: Micros): void {
    const isAtWork = asset.role === 'person';
    const until = this.#awake(isAtWork ? Math.min(since + length, endOfShift(since)) : since + length);
    this.#become(asset, { kind: 'staying', location, since, until });
    this.present.add(asset);
    this.#options.whereabouts?.came(asset.key, location.key, since);
    this.#palletsOf(asset, location)?.add(asset);
  }

  #travel(asset: SimulatedAsset, to: SiteLocation, { at, arrival }: Trip): void {
    this.#leave(asset, at);
    this.#become(asset, { kind: 'travelling', to, until: this.#awake(arrival) });
  }

  #leave(asset: SimulatedAsset, at: Micros): void {
    const state = this.#states.get(asset);
    if (state?.kind === 'staying') {
      this.present.remove(asset);
      this.#options.whereabouts?.left(asset.key, at);
      this.#palletsOf(asset, state.location)?.remove(asset);
    }
  }

  /** Off the site until a lorry brings it; anything but a pallet returns by itself. */
  #leaveSite(asset: SimulatedAsset, at: Micros = 0): void {
    if (asset.role === 'pallet') {
      this.#states.set(asset, { kind: 'away', until: Number.POSITIVE_INFINITY });
      this.#outside.push(asset);
    } else {
      this.#goAway(asset, at + travel(this.#random));
    }
  }

  #goAway(asset: SimulatedAsset, until: Micros): void {
    this.#become(asset, { kind: 'away', until: this.#awake(until) });
  }

  #become(asset: SimulatedAsset, state: State): void {
    this.#states.set(asset, state);
    this.#events.add(state.until, asset);
  }

  #palletsOf(asset: SimulatedAsset, { key }: SiteLocation): Roster | null {
    if (asset.role !== 'pallet') {
      return null;
    }
    const roster = this.#palletsAt.get(key) ?? new Roster();
    this.#palletsAt.set(key, roster);
    return roster;
  }
}

interface Trip {
  at: Micros;
  arrival: Micros;
}

function seconds(count: number): Micros {
  return Math.round(count * MICROS_PER_SECOND);
}

/** How long an asset stays: mostly near the median, sometimes many times as long, and longer when the site is quiet. */
function dwell(role: Role, stage: Stage, now: Micros, random: Random): Micros {
  const median = role === 'pallet' ? PALLET_SECONDS[stage] : SECONDS[role];
  const skewed = median * Math.exp(SPREAD * normal(random));
  return Math.round((skewed / activityAt(now)) * MICROS_PER_SECOND);
}

function travel(random: Random): Micros {
  return random.integer(6 * MICROS_PER_SECOND, 25 * MICROS_PER_SECOND);
}

/** Medians. */
const PALLET_SECONDS: Record<Stage, number> = { receiving: 240, storage: 1_500, packing: 400, shipping: 300 };
const SECONDS: Record<Exclude<Role, 'pallet'>, number> = {
  cage: 900,
  forklift: 40,
  person: 60,
  'in repair': 86_400,
};

const SPREAD = 0.9;

/** The present assets: adding, removing and picking one take constant time. */
class Roster {
  readonly #members: SimulatedAsset[] = [];
  readonly #indexes = new Map<SimulatedAsset, number>();

  get size(): number {
    return this.#members.length;
  }

  [Symbol.iterator](): Iterator<SimulatedAsset> {
    return this.#members[Symbol.iterator]();
  }

  add(asset: SimulatedAsset): void {
    this.#indexes.set(asset, this.#members.push(asset) - 1);
  }

  remove(asset: SimulatedAsset): void {
    const index = this.#indexes.get(asset);
    const last = this.#members.pop();
    if (index === undefined || last === undefined) {
      throw new RangeError(`${asset.key} is not at the site`);
    }
    this.#indexes.delete(asset);
    if (last !== asset) {
      this.#members[index] = last;
      this.#indexes.set(last, index);
    }
  }

  pick(random: Random): SimulatedAsset {
    return random.pick(this.#members);
  }
}
