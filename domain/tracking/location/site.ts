import { leastOf } from '../../../base/extremes.ts';
import { firstIndex } from '../../../base/first-index.ts';
import type { Micros } from '../../../base/instant.ts';
import type { DecidingScan } from '../history/deciding-scan.ts';
import { antennaId, type PinnedAntenna, Plan, type PlanParts } from './position.ts';

/** How it is decided at which location an asset is that was read there (`stated-locations.ts`). */
export type Setting =
  | { procedure: 'every' }
  | { procedure: 'strength'; certainty: number }
  | {
      procedure: 'position';
      certainty: number;
      /** Strength of the tags at 1 m. */
      tagDbm: number;
      /** Of tags whose values begin like this ({@link plainTag}). */
      tagKinds?: ReadonlyMap<string, number> | undefined;
    };

/** A setting as it was made: it holds for scans observed from `validFrom` on, until the next for the same location. */
export interface DatedSetting {
  /** Of its row, which never changes. */
  id?: number;
  /** Null for the whole organization. */
  locationId: number | null;
  validFrom: Micros;
  /** `inherit`: the location's own setting ends. */
  setting: Setting | 'inherit';
}

/** -55 dBm: a beacon at 0 dBm, 1 m away in free space. */
export const USUAL_TAG_DBM = -55;

/** The strength at 1 m of the tag that was read: by the longest beginning of its value that is known. */
export function tagDbmOf(
  { tagDbm, tagKinds }: Extract<Setting, { procedure: 'position' }>,
  { tagValue }: Pick<DecidingScan, 'tagValue'>,
): number {
  let [longest, dbm] = [0, tagDbm];
  if (tagKinds !== undefined) {
    const value = plainTag(tagValue);
    for (const [beginning, own] of tagKinds) {
      if (beginning.length > longest && value.startsWith(beginning)) {
        [longest, dbm] = [beginning.length, own];
      }
    }
  }
  return dbm;
}

/** A value, or its beginning, without case and separators; those of an iBeacon's numbers stay. */
export function plainTag(value: string): string {
  const plain = value.toUpperCase().replaceAll(/[-\s]/g, '');
  return /^[0-9A-F]{32}:/.test(plain) ? plain : plain.replaceAll(':', '');
}

/** Bound on an organization's settings, over all locations and dates. */
export const MOST_SETTINGS = 1_000;

export interface AntennaParts {
  readerId: number;
  antenna: number;
  /** Taken off each level of the antenna, in dB. */
  offsetDb: number;
  /** Above the tags, in metres. */
  heightM: number;
}

export interface SiteParts {
  /** Rises with each change of anything but settings; absent if nobody asks. */
  layout?: number;
  /** In the order in which they were made: of equal `validFrom` the last holds. */
  settings: readonly DatedSetting[];
  /** The parent of each location; roots may be left out. */
  parents?: ReadonlyMap<number, number | null>;
  /** Locations are placed when they are met, instead: there may be a million. */
  isPlacing?: boolean;
  /** Antennas left out have no offset, and hang 1 m above the tags. */
  antennas?: readonly AntennaParts[];
  /** Plans with a scale; of several at one location the first counts. */
  plans?: readonly PlanParts[];
}

/** The inputs by which an organization's locations are decided: settings, the tree of locations, antennas and plans. */
export class Site {
  readonly settings: readonly DatedSetting[];
  readonly layout: number;
  readonly #parts: SiteParts;
  /** The first instant at which a location is decided by strength or position; before it all is as without settings. */
  readonly since: Micros;
  readonly #premises: Premises;
  readonly #parents: Premises['parents'];
  readonly #isPlacing: boolean;
  /** By location, oldest first. */
  readonly #own: ReadonlyMap<number | null, readonly DatedSetting[]>;
  readonly #timelines = new Map<number, Timeline>();
  /** Without locations. */
  readonly #bytes: number;
  /** Answers of {@link differsFrom}. */
  readonly #differences = new WeakMap<Site, Micros>();

  constructor(parts: SiteParts, premises = premisesOf(parts)) {
    const { settings, antennas = [], isPlacing = false } = parts;
    this.settings = settings;
    this.layout = parts.layout ?? 0;
    this.#parts = parts;
    this.#premises = premises;
    this.#parents = premises.parents;
    this.#isPlacing = isPlacing;
    this.#own = Map.groupBy(
      settings.toSorted((a, b) => a.validFrom - b.validFrom),
      ({ locationId }) => locationId,
    );
    this.since = settings.reduce(
      (since, { validFrom, setting }) => (isProven(setting) ? Math.min(since, validFrom) : since),
      Number.POSITIVE_INFINITY,
    );
    this.#bytes =
      100 * (1 + settings.length + antennas.length) +
      [...premises.plans.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** In memory, about. */
  get bytes(): number {
    return this.#bytes + BYTES_OF_LOCATION * this.#parents.size;
  }

  /** More locations were met than are worth remembering. */
  get isFull(): boolean {
    return this.#isPlacing && this.#parents.size > MOST_PLACED;
  }

  /** The locations of scans that have to be placed ({@link place}) before anything is asked about them. */
  unplaced(scans: readonly { locationId?: number }[]): number[] {
    const unplaced = new Set<number>();
    for (const { locationId } of this.#isPlacing ? scans : []) {
      if (locationId !== undefined && !this.#parents.has(locationId)) {
        unplaced.add(locationId);
      }
    }
    return [...unplaced];
  }

  /** @param parents the location that each is in; all that are above one are among them. */
  place(parents: Iterable<readonly [id: number, parentId: number | null]>): void {
    for (const [id, parentId] of parents) {
      this.#parents.set(id, parentId);
    }
  }

  /** Places a location as another site of the same layout has it. */
  placeAsIn(other: Site, locationId: number): void {
    if (this.#isPlacing && this !== other && !this.#parents.has(locationId)) {
      this.place(other.above(locationId).map((id) => [id, other.#parents.get(id) ?? null]));
    }
  }

  /** The same with other settings. */
  withSettings(settings: readonly DatedSetting[]): Site {
    return new Site({ ...this.#parts, settings }, this.#premises);
  }

  /** The instant before which both have the same settings. @param other of the same layout. */
  differsFrom(other: Site): Micros {
    const known = other === this ? Number.POSITIVE_INFINITY : this.#differences.get(other);
    if (known !== undefined) {
      return known;
    }
    const [own, others] = [this.settings, other.settings];
    const same = own.findIndex((setting, index) => !isSame(setting, others[index]));
    const from = same === -1 ? own.length : same;
    const at = leastOf([...own.slice(from), ...others.slice(from)].map(({ validFrom }) => validFrom));
    this.#differences.set(other, at);
    return at;
  }

  /** The setting for a scan made at the location at that instant. */
  settingAt(locationId: number, observedAt: Micros): Setting {
    if (observedAt < this.since) {
      return EVERY;
    }
    let timeline = this.#timelines.get(locationId);
    if (timeline === undefined) {
      timeline = this.#timelineOf(locationId);
      this.#timelines.set(locationId, timeline);
    }
    return settingIn(timeline, observedAt);
  }

  /** In dB. */
  offsetOf(readerId: number, antenna: number): number {
    return this.#premises.offsets.get(antennaId({ readerId, antenna })) ?? 0;
  }

  /** The plan with a scale of the location, or of the nearest above it that has one. */
  planAt(locationId: number): Plan | null {
    const { plans, planAbove } = this.#premises;
    let plan = planAbove.get(locationId);
    if (plan === undefined) {
      plan = null;
      for (const id of this.#upwards(locationId)) {
        plan = plans.get(id) ?? null;
        if (plan !== null) {
          break;
        }
      }
      planAbove.set(locationId, plan);
    }
    return plan;
  }

  /** The location and its ancestors, deepest first. */
  above(locationId: number): number[] {
    return [...this.#upwards(locationId)];
  }

  *#upwards(locationId: number): Generator<number> {
    const seen = new Set<number>();
    for (
      let id: number | null = locationId;
      id !== null && !seen.has(id);
      id = this.#parents.get(id) ?? null
    ) {
      if (this.#isPlacing && !this.#parents.has(id)) {
        throw new Error(`location ${id} is not placed`);
      }
      seen.add(id);
      yield id;
    }
  }

  #timelineOf(locationId: number): Timeline {
    // The first that has a setting decides: the location, those above it, the organization.
    const chain = [...this.#upwards(locationId), null].map((id) => this.#own.get(id) ?? []);
    const changes = chain.flatMap((own) => own.map(({ validFrom }) => validFrom));
    const from = [...new Set(changes)].sort((a, b) => a - b);
    const settings = from.map((instant) => {
      for (const own of chain) {
        const held = own.findLast(({ validFrom }) => validFrom <= instant)?.setting ?? 'inherit';
        if (held !== 'inherit') {
          return held;
        }
      }
      return EVERY;
    });
    return { from, settings };
  }
}

function isSame(one: DatedSetting, other: DatedSetting | undefined): boolean {
  return one === other || (one.id !== undefined && one.id === other?.id);
}

/** All but settings. */
interface Premises {
  parents: Map<number, number | null>;
  /** In dB, by {@link antennaId}. */
  offsets: ReadonlyMap<number, number>;
  /** By their locations. */
  plans: ReadonlyMap<number, Plan>;
  /** {@link Site.planAt}. */
  planAbove: Map<number, Plan | null>;
}

function premisesOf({ parents, antennas = [], plans = [] }: SiteParts): Premises {
  const heights = new Map(antennas.map((each) => [antennaId(each), each.heightM]));
  const heightOf = (pin: PinnedAntenna) => heights.get(antennaId(pin)) ?? USUAL_HEIGHT_M;
  const made = new Map<number, Plan>();
  for (const parts of plans) {
    if (!made.has(parts.locationId) && Plan.faultOf(parts) === null) {
      made.set(parts.locationId, new Plan(parts, heightOf));
    }
  }
  return {
    parents: new Map(parents),
    offsets: new Map(antennas.map((each) => [antennaId(each), each.offsetDb])),
    plans: made,
    planAbove: new Map(),
  };
}

const EVERY: Setting = { procedure: 'every' };

const USUAL_HEIGHT_M = 1;

/** A tenant may have a million locations, but scans are made at few of them while a version lasts. */
const MOST_PLACED = 50_000;

/** A location with its settings and its plan. */
const BYTES_OF_LOCATION = 300;

/** The settings by the instant from which they hold, ascending. */
interface Timeline {
  from: readonly Micros[];
  settings: readonly Setting[];
}

function settingIn({ from, settings }: Timeline, at: Micros): Setting {
  const last = from.length - 1;
  // Nearly all scans are later than the last change.
  const index =
    last < 0 || (from[last] as Micros) <= at
      ? last
      : firstIndex(0, from.length, (each) => (from[each] as Micros) > at) - 1;
  return settings[index] ?? EVERY;
}

function isProven(setting: DatedSetting['setting']): boolean {
  return setting !== 'inherit' && setting.procedure !== 'every';
}
