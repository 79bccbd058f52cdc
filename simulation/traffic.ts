import { append } from '../base/append.ts';
import type { Micros } from '../base/instant.ts';
import type { Elapsed, Fault, Trouble } from './faults.ts';
import type { HallLife } from './hall.ts';
import type { Message } from './message.ts';
import type { SimulatedAsset } from './population.ts';
import type { Random } from './random.ts';
import { ReaderLine, UNUSABLE_TAG } from './reader-line.ts';
import { Rereads } from './rereads.ts';
import { antennaAt, type Site, type SiteLocation, type SiteReader, stopsOf } from './site.ts';
import { type LifeOptions, SiteLife } from './site-life.ts';

interface Sighting {
  asset: SimulatedAsset;
  location: SiteLocation;
  at: Micros;
  /** dBm. */
  rssi: number;
}

interface WatchOptions {
  /** A location whose antenna sees a bit of this one, if any. */
  beside(location: SiteLocation): SiteLocation | null;
  random: Random;
  /** Null where nothing is sure to be read again. */
  rereads?: Rereads | null;
}

export interface TrafficOptions {
  site: Site;
  assets: readonly SimulatedAsset[];
  troubles: ReadonlyMap<SiteReader, Trouble>;
  faults: ReadonlySet<Fault>;
  from: Micros;
  random: Random;
  life: LifeOptions;
  /** Assets that stay are read again within that; null leaves it to chance. */
  reread: Micros | null;
  /** Additional, with its own readers; null without one. */
  hall: HallLife | null;
}

/** A part of the run, by the site's time. */
export interface Step extends Elapsed {
  /** Since the start of the run. */
  elapsed: Micros;
}

export class Traffic {
  readonly #options: TrafficOptions;
  readonly #life: SiteLife;
  readonly #watch: SiteWatch;
  readonly #lines: readonly ReaderLine[];
  readonly #lineOf: ReadonlyMap<SiteReader, ReaderLine>;
  /** Line and port that see a location, by its key. */
  readonly #watchers: ReadonlyMap<string, { line: ReaderLine; port: number }>;
  readonly #strangers: Strangers;

  constructor(options: TrafficOptions) {
    this.#options = options;
    const { site, assets, troubles, faults, from, random, life, reread } = options;
    const stops = stopsOf(site);
    this.#life = new SiteLife(assets, stops, from, random, life);
    const lines = new Map(
      site.readers.map((reader) => [
        reader,
        new ReaderLine(reader, troubles.get(reader)?.clockOffset ?? 0, random),
      ]),
    );
    this.#lines = [...lines.values()];
    this.#lineOf = lines;
    this.#watchers = new Map(
      stops.flatMap(({ key }) => {
        const { reader, port } = antennaAt(site, key);
        const line = lines.get(reader);
        return line === undefined ? [] : [[key, { line, port }]];
      }),
    );
    const overlaps = faults.has('flapping') ? this.#overlaps(stops) : new Map<SiteLocation, SiteLocation>();
    this.#watch = new SiteWatch(this.#life, {
      beside: (location) => overlaps.get(location) ?? null,
      random,
      rereads: reread === null ? null : new Rereads(this.#life, reread, from),
    });
    this.#strangers = makeStrangers(random);
  }

  /** Finished messages after `count` reads within a step, or at night of those that do not depend on traffic. */
  messages({ from, to, elapsed }: Step, count: number): { line: ReaderLine; message: Message }[] {
    const { night } = this.#options.life;
    for (const line of this.#lines) {
      line.isSilent = this.#isSilent(line.reader, elapsed);
    }
    const passing = night !== null && from >= night.from && from < night.to ? 0 : count;
    const odd = this.#oddReads(from, to, passing);
    for (const sighting of this.#watch.watch(from, to, passing - odd)) {
      this.#take(sighting);
    }
    for (const { asset, reader, at, rssi } of this.#options.hall?.reads(to) ?? []) {
      this.#lineOf.get(reader)?.take({ asset: asset.key, tag: asset.tags.ble, port: 1, at, rssi });
    }
    return this.#lines.flatMap((line) => line.messages(from).map((message) => ({ line, message })));
  }

  heartbeats(at: Micros): Message[] {
    return this.#lines.filter(({ isSilent }) => !isSilent).map((line) => line.heartbeat(at));
  }

  #isSilent(reader: SiteReader, elapsed: Micros): boolean {
    const { silences = [] } = this.#options.troubles.get(reader) ?? {};
    return silences.some(({ from, to }) => elapsed >= from && elapsed < to);
  }

  /**
   * Locations overlap in pairs, where both readers have usable clocks: otherwise the order of reads could not be known.
   */
  #overlaps(stops: readonly SiteLocation[]): Map<SiteLocation, SiteLocation> {
    const pairs = new Map<SiteLocation, SiteLocation>();
    for (let index = 0; index + 1 < stops.length; index += 2) {
      const [one, other] = [stops[index], stops[index + 1]];
      const hasClock = (location: SiteLocation) => this.#watchers.get(location.key)?.line.hasClock === true;
      if (one !== undefined && other !== undefined && hasClock(one) && hasClock(other)) {
        pairs.set(one, other).set(other, one);
      }
    }
    return pairs;
  }

  #take({ asset, location, at, rssi }: Sighting): void {
    const watcher = this.#watchers.get(location.key);
    if (watcher !== undefined) {
      const { line, port } = watcher;
      line.take({ asset: asset.key, tag: asset.tags[line.tagType], port, at, rssi });
    }
  }

  /** Makes some of `count` reads ones of no asset at any location. @returns how many. */
  #oddReads(from: Micros, until: Micros, count: number): number {
    const { random, faults } = this.#options;
    let odd = 0;
    for (let read = 0; read < count; read++) {
      const at = Math.floor(from + random.fraction() * (until - from));
      const kind = random.fraction();
      if (kind < 0.01) {
        odd += this.#loose(at);
      } else if (kind < 0.05 && faults.has('strangers')) {
        odd += this.#stray(at, (tagType) => this.#strangers.tag(tagType));
      } else if (kind > 0.995 && faults.has('poison')) {
        odd += this.#stray(at, () => UNUSABLE_TAG);
      }
    }
    return odd;
  }

  /** An asset near the unmounted antenna. */
  #loose(at: Micros): number {
    const { random } = this.#options;
    const line = this.#lines.find(({ reader }) => reader.antennas.includes(null));
    const { present } = this.#life;
    if (line === undefined || present.size === 0) {
      return 0;
    }
    const { key, tags } = present.pick(random);
    const port = line.reader.antennas.indexOf(null) + 1;
    line.take({ asset: key, tag: tags[line.tagType], port, at, rssi: random.integer(-80, -60) });
    return 1;
  }

  #stray(at: Micros, tag: (tagType: 'rfid' | 'ble') => string): number {
    const { random } = this.#options;
    const line = random.pick(this.#lines);
    line.take({ asset: null, tag: tag(line.tagType), port: 1, at, rssi: random.integer(-85, -60) });
    return 1;
  }
}

interface Strangers {
  tag(tagType: 'rfid' | 'ble'): string;
}

function makeStrangers(random: Random): Strangers {
  const digits = (count: number) =>
    Array.from({ length: count }, () => random.integer(0, 15).toString(16).toUpperCase()).join('');
  const rfid = Array.from({ length: 40 }, () => `AD99${digits(20)}`);
  return {
    // The addresses of telephones change all the time.
    tag: (tagType) => (tagType === 'rfid' ? random.pick(rfid) : `F${digits(11)}`),
  };
}

/** A site's antennas see arrivals, and the assets that stay again and again. */
class SiteWatch {
  readonly #life: SiteLife;
  readonly #options: WatchOptions;
  /** Arrivals not read yet: more came at once than could be read. */
  #unread: SimulatedAsset[] = [];

  constructor(life: SiteLife, options: WatchOptions) {
    this.#life = life;
    this.#options = options;
  }

  /**
   * Sightings between `from` and `until`, in order of time: `most` of them, unless nobody is there; more if more must be
   * seen again.
   */
  watch(from: Micros, until: Micros, most: number): Sighting[] {
    const { random, rereads = null } = this.#options;
    const arrived = this.#life.advance(until);
    append(this.#unread, arrived);
    for (const asset of rereads === null ? [] : arrived) {
      rereads?.came(asset, until);
    }
    const sightings = [...this.#unread.splice(0, most), ...(rereads?.due(until) ?? [])].flatMap((asset) =>
      this.#see(asset, from, until),
    );
    const { present } = this.#life;
    while (sightings.length < most && present.size > 0) {
      append(sightings, this.#see(present.pick(random), from, until));
    }
    return sightings.sort((a, b) => a.at - b.at);
  }

  #see(asset: SimulatedAsset, from: Micros, until: Micros): Sighting[] {
    const state = this.#life.stateOf(asset);
    if (state?.kind !== 'staying') {
      return [];
    }
    const { random, beside } = this.#options;
    const earliest = Math.max(from, state.since);
    const at = Math.floor(earliest + random.fraction() * (until - earliest));
    const other = beside(state.location);
    return other !== null && random.chance(0.15)
      ? [{ asset, location: other, at, rssi: random.integer(-78, -62) }]
      : [{ asset, location: state.location, at, rssi: random.integer(-70, -41) }];
  }
}
