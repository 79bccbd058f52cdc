import { leastOf } from '../../../base/extremes.ts';
import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import type { Interval } from '../../presence/intervals.ts';
import { type HeardAt, joinHeard } from '../conditions/next-look.ts';
import type { Heard } from '../conditions/surroundings.ts';
import { DueTimes } from './due-times.ts';
import { ExpectedReads } from './expected-reads.ts';
import { KnownSubtrees } from './known-subtrees.ts';
import type { ChangedHistory } from './read-moves.ts';
import type { OrganizationRules } from './rules-of-organization.ts';
import { SinceWhen } from './since-when.ts';

interface Waiting {
  assets: Map<number, HeardAt>;
  askedAt: Micros;
  /** None waits for anything before. */
  first: Micros;
}

export interface Organization {
  rules: OrganizationRules;
  /** The rules are to be loaded first. */
  isRevised: boolean;
  /** From its rules about assets. */
  subtrees: KnownSubtrees;
  assets: DueTimes;
  /** Assets for which only rules about their location may change. */
  stays: DueTimes;
  readers: DueTimes;
  /** Changes whose evidence is still incomplete. */
  unsettled: { histories: Unsettled<ChangedHistory>; readers: Unsettled<Interval & { id: number }> };
  /** Assets that are due unless they are read. */
  expected: ExpectedReads;
  /** Assets that wait for readers to say something. */
  unheard: Unheard;
  /** The last read of each overdue asset, as known when it was looked at. */
  overdue: Map<number, Micros>;
  /** Assets looked at under the current rules for which no condition held. */
  quiet: Set<number>;
  /** The same for rules of the kind `overdue`, independent of others. */
  inTime: Set<number>;
  /** Assets with too much evidence. */
  leftOut: { asset: Set<number>; reader: Set<number> };
  /** Whether {@link leftOut} replaced the list of an earlier process. */
  isLeftOutNoted: boolean;
  /** Assets of each source in a turn; fewer where there was no time for as many. */
  share: number;
  /** The asset up to which this process has looked at all; null once at all. */
  lookedUpTo: number | null;
}

/** The work on an organization in one turn. */
export interface Work {
  assets: SinceWhen;
  /** By rules about stays alone. */
  stays: SinceWhen;
  readers: SinceWhen;
}

/** An organization whose rules have still to be loaded. */
export function newOrganization(): Organization {
  return {
    rules: { ofAssets: new Map(), ofStays: new Map(), ofReaders: new Map() },
    isRevised: true,
    subtrees: new KnownSubtrees([]),
    assets: new DueTimes(),
    stays: new DueTimes(),
    readers: new DueTimes(),
    unsettled: { histories: new Unsettled(), readers: new Unsettled() },
    expected: new ExpectedReads(),
    unheard: new Unheard(),
    overdue: new Map(),
    quiet: new Set(),
    inTime: new Set(),
    leftOut: { asset: new Set(), reader: new Set() },
    isLeftOutNoted: false,
    share: Number.POSITIVE_INFINITY,
    lookedUpTo: 0,
  };
}

export function newWork(): Work {
  return { assets: new SinceWhen(), stays: new SinceWhen(), readers: new SinceWhen() };
}

export function takeDue(
  { assets, stays, readers }: Organization,
  work: Work,
  now: Micros,
  share: number,
): void {
  for (const { id, at } of assets.take(now, share)) {
    work.assets.add(id, at);
  }
  for (const { id, at } of stays.take(now, share)) {
    work.stays.add(id, at);
  }
  for (const { id, at } of readers.take(now, share)) {
    work.readers.add(id, at);
  }
}

/** Work that is due only at the window's end belongs to the next one. */
export function dueLater(work: SinceWhen, dues: DueTimes, now: Micros): void {
  for (const [id, since] of work.entries()) {
    if (since >= now) {
      dues.add(id, since);
    }
  }
}

/** After it may have begun, a process that takes over finds everything that was over before readers proved it. */
const WAITED_FOR: Micros = 3_600 * MICROS_PER_SECOND;

/** Up to when it is derived, except for what nobody can know yet; null until everything was looked at once. */
export function derivedUpTo(
  { lookedUpTo, assets, stays, readers, unsettled, expected, unheard }: Organization,
  now: Micros,
): Micros | null {
  // Waiting longer loses nothing: the condition still holds when it is found.
  const waited = Math.max(unheard.earliest, now - WAITED_FOR);
  return lookedUpTo === null
    ? leastOf([
        ...[assets.earliest, stays.earliest, readers.earliest, expected.earliest, waited],
        ...[unsettled.histories.earliest, unsettled.readers.earliest],
      ])
    : null;
}

/** Whether anything of it is due by now. */
export function isDue({ assets, stays, readers, expected, unsettled }: Organization, now: Micros): boolean {
  return [assets, stays, readers, expected, unsettled.histories, unsettled.readers].some((each) =>
    each.isDue(now),
  );
}

/** Whether there may be something to derive although nothing new was recorded. */
export function mayChange(organization: Organization, now: Micros): boolean {
  const { isRevised, lookedUpTo } = organization;
  return isRevised || lookedUpTo !== null || isDue(organization, now);
}

/**
 * Evidence after a window: devices' clocks may be two minutes ahead, and the last second may not be committed. It waits
 * here and not among the due times, where an earlier one would replace it.
 */
class Unsettled<Dated extends Interval> {
  #waiting: { dated: Dated; at: Micros }[] = [];

  /** Keeps evidence that reaches beyond `now`: first until it begins, then until it is over. */
  keep(dated: Dated, now: Micros): void {
    if (dated.until >= now) {
      const at = dated.since >= now ? dated.since : dated.until;
      this.#waiting.push({ dated: { ...dated, since: Math.max(dated.since, now) }, at });
    }
  }

  /** Takes evidence whose time has come; what is not over must be kept again. */
  take(now: Micros, most: number): Dated[] {
    if (!this.isDue(now)) {
      return [];
    }
    const taken: Dated[] = [];
    this.#waiting = this.#waiting.filter(({ dated, at }) => {
      const isTaken = at < now && taken.length < most;
      if (isTaken) {
        taken.push(dated);
      }
      return !isTaken;
    });
    return taken;
  }

  isDue(now: Micros): boolean {
    return this.#waiting.some(({ at }) => at < now);
  }

  /** Nothing that waits is earlier. */
  get earliest(): Micros {
    return this.#waiting.reduce((least, { dated }) => Math.min(least, dated.since), Number.POSITIVE_INFINITY);
  }
}

/**
 * Assets that cannot change before readers at their locations are heard: while these are silent, nobody looks at the
 * assets. An asset may wait for several locations: readers at an earlier one may still have to prove that it was
 * overdue there.
 */
export class Unheard {
  readonly #locations = new Map<number, Waiting>();
  readonly #locationsOf = new Map<number, Set<number>>();

  /**
   * @param waits the locations it waits for now.
   * @param since the instant from which it was looked at: waits from before were not looked for, and stay.
   */
  set(assetId: number, waits: readonly HeardAt[], since: Micros): void {
    const earlier = this.#waitsOf(assetId).filter(({ provenUntil }) => provenUntil < since);
    this.#forget(assetId);
    const past = earlier.map((wait) => ({ ...wait, listenedFor: Number.POSITIVE_INFINITY, isOver: true }));
    for (const wait of joinHeard([...past, ...waits])) {
      this.#add(assetId, wait);
    }
  }

  /** A lower bound of all their waits. */
  get earliest(): Micros {
    return this.#locations
      .values()
      .reduce((least, { first }) => Math.min(least, first), Number.POSITIVE_INFINITY);
  }

  /** Where any of them waits. */
  get locationIds(): readonly number[] {
    return [...this.#locations.keys()];
  }

  /** Whether there are any {@link toAsk}. */
  isToAsk(isHeard: (locationId: number) => boolean, before: Micros): boolean {
    return this.#locations.entries().some(([id, { askedAt }]) => askedAt < before || isHeard(id));
  }

  /**
   * Locations to ask about: those that may have been heard, and others not asked about since `before`; longest ago
   * first.
   */
  toAsk(isHeard: (locationId: number) => boolean, before: Micros, now: Micros, most: number): number[] {
    const asked = [...this.#locations]
      .filter(([id, { askedAt }]) => askedAt < before || isHeard(id))
      .sort(([, a], [, b]) => a.askedAt - b.askedAt)
      .slice(0, most);
    for (const [, location] of asked) {
      location.askedAt = now;
    }
    return asked.map(([id]) => id);
  }

  /**
   * Takes those whose wait at a location is over, with the instant to look at; forgets waits that nothing can prove any
   * more.
   */
  take(
    locationId: number,
    { provenUntil, provableUntil, listenedSince }: Heard,
  ): { id: number; at: Micros }[] {
    const waiting = this.#locations.get(locationId)?.assets ?? new Map<number, HeardAt>();
    const taken = [];
    for (const [id, heard] of [...waiting]) {
      if (provenUntil >= heard.provenUntil) {
        taken.push({ id, at: heard.provenUntil });
      } else if (listenedSince !== null && Number.isFinite(heard.listenedFor)) {
        taken.push({ id, at: listenedSince + heard.listenedFor });
      } else if (heard.isOver && provableUntil < heard.provenUntil) {
        this.#remove(id, locationId);
      }
    }
    for (const { id } of taken) {
      this.#remove(id, locationId);
    }
    return taken;
  }

  #waitsOf(assetId: number): HeardAt[] {
    const locationIds = [...(this.#locationsOf.get(assetId) ?? [])];
    return locationIds.flatMap((id) => this.#locations.get(id)?.assets.get(assetId) ?? []);
  }

  #add(assetId: number, wait: HeardAt): void {
    const { locationId } = wait;
    const location = this.#locations.get(locationId) ?? newWaiting();
    location.assets.set(assetId, wait);
    location.first = Math.min(location.first, wait.provenUntil);
    this.#locations.set(locationId, location);
    const own = this.#locationsOf.get(assetId) ?? new Set();
    this.#locationsOf.set(assetId, own.add(locationId));
  }

  #forget(assetId: number): void {
    for (const locationId of [...(this.#locationsOf.get(assetId) ?? [])]) {
      this.#remove(assetId, locationId);
    }
  }

  #remove(assetId: number, locationId: number): void {
    const own = this.#locationsOf.get(assetId);
    own?.delete(locationId);
    if (own?.size === 0) {
      this.#locationsOf.delete(assetId);
    }
    const location = this.#locations.get(locationId);
    location?.assets.delete(assetId);
    if (location?.assets.size === 0) {
      this.#locations.delete(locationId);
    }
  }
}

function newWaiting(): Waiting {
  return { assets: new Map(), askedAt: 0, first: Number.POSITIVE_INFINITY };
}
