import { MICROS_PER_SECOND, type Micros } from '../base/instant.ts';
import { EventQueue } from './event-queue.ts';
import type { TaggedAsset } from './population.ts';
import { createRandom, normal, type Random } from './random.ts';
import type { SiteLocation, SiteReader } from './site.ts';

/** In metres. */
interface Point {
  x: number;
  y: number;
}

/** An antenna of a hall, above the tags. */
export interface Mast extends Point {
  /** Tells it apart from the others. */
  number: number;
  /** Above the tags, in metres. */
  height: number;
}

/** A beacon at 0 dBm. */
const AT_ONE_METRE = -55;

/** Standard deviations, in dB. */
const SHADOWING = 4;
const TAGS_APART = 2;

/** Metres. */
const SHADE = 3;

/** dBm. */
const WEAKEST = -96;
const STRONGEST = -20;

/** A hall of bays without walls, where Bluetooth gateways hear all carts at once. */
export interface Hall {
  /** That of the hall first. */
  locations: readonly SiteLocation[];
  gateways: readonly Gateway[];
  bays: readonly Bay[];
}

export interface Gateway {
  reader: SiteReader;
  mast: Mast;
}

/** In metres. */
export interface Bay {
  location: string;
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** In metres. */
export const HALL_WIDTH = 24;
export const HALL_DEPTH = 16;

const BAYS = 3;
const BAY_WIDTH = HALL_WIDTH / BAYS;

/** Two gateways in each bay, a quarter of the depth from the walls. */
export function makeHall({
  prefix,
  topicRoot,
  parent,
}: {
  prefix: string;
  topicRoot: string;
  /** Key of the location that the hall is in. */
  parent: string;
}): Hall {
  const hall = { key: `${prefix}HALL`, name: 'Hall', parent, stage: null };
  const bays = Array.from({ length: BAYS }, (_, index) => ({
    location: `${prefix}BAY-${index + 1}`,
    ...{ left: index * BAY_WIDTH, top: 0, right: (index + 1) * BAY_WIDTH, bottom: HALL_DEPTH },
  }));
  const gateways = bays.flatMap(({ location, left }, bay) =>
    [0, 1].map((row): Gateway => {
      const number = 2 * bay + row;
      const name = `${prefix}GATEWAY-${number + 1}`;
      return {
        reader: { name, topic: `${topicRoot}/${name}`, format: 'minew-json', antennas: [location] },
        mast: { number, x: left + BAY_WIDTH / 2, y: HALL_DEPTH * (0.25 + 0.5 * row), height: 1 },
      };
    }),
  );
  return {
    locations: [
      hall,
      ...bays.map(({ location }, index) => ({
        ...{ key: location, name: `Bay ${index + 1}`, parent: hall.key, stage: null },
      })),
    ],
    gateways,
    bays,
  };
}

export interface HallRead {
  asset: TaggedAsset;
  reader: SiteReader;
  at: Micros;
  /** dBm. */
  rssi: number;
}

/** Carts that stand a while and are then pushed to another point of the hall, each with a beacon. */
export class HallLife {
  readonly #hall: Hall;
  readonly #random: Random;
  readonly #radio: Radio;
  readonly #beacons = new EventQueue<Cart>();

  constructor(hall: Hall, assets: readonly TaggedAsset[], from: Micros, random: Random) {
    this.#hall = hall;
    this.#random = random;
    this.#radio = new Radio(random.integer(0, 2 ** 31));
    for (const [number, asset] of assets.entries()) {
      const cart = new Cart(asset, number, from, random);
      this.#beacons.add(from + Math.floor(random.fraction() * BEACON), cart);
    }
  }

  /** The gateways' reads until then, in order of time. */
  reads(until: Micros): HallRead[] {
    const reads: HallRead[] = [];
    for (let event = this.#beacons.next(until); event !== null; event = this.#beacons.next(until)) {
      const { at, subject: cart } = event;
      const place = cart.placeAt(at, this.#random);
      for (const { reader, mast } of this.#hall.gateways) {
        const rssi = this.#radio.read(mast, cart.number, place, this.#random);
        if (rssi !== null) {
          reads.push({ asset: cart.asset, reader, at, rssi });
        }
      }
      // As Bluetooth has it: a little later each time, so that two beacons do not collide for ever.
      this.#beacons.add(at + BEACON + Math.floor(this.#random.fraction() * LATER), cart);
    }
    return reads;
  }
}

const BEACON: Micros = 0.5 * MICROS_PER_SECOND;
const LATER: Micros = 0.01 * MICROS_PER_SECOND;

class Cart {
  readonly asset: TaggedAsset;
  readonly number: number;
  #from: Point;
  #to: Point;
  #begun: Micros;
  #ended: Micros;

  constructor(asset: TaggedAsset, number: number, at: Micros, random: Random) {
    this.asset = asset;
    this.number = number;
    this.#from = anywhere(random);
    this.#to = this.#from;
    this.#begun = at;
    this.#ended = at + standing(random);
  }

  /** To be called with ascending instants. */
  placeAt(at: Micros, random: Random): Point {
    while (at >= this.#ended) {
      const isStanding = this.#from === this.#to;
      this.#from = this.#to;
      this.#begun = this.#ended;
      if (isStanding) {
        this.#to = anywhere(random);
        const metres = Math.hypot(this.#to.x - this.#from.x, this.#to.y - this.#from.y);
        this.#ended += Math.ceil((metres / SPEED) * MICROS_PER_SECOND);
      } else {
        this.#ended += standing(random);
      }
    }
    const share = this.#from === this.#to ? 0 : (at - this.#begun) / (this.#ended - this.#begun);
    return {
      x: this.#from.x + share * (this.#to.x - this.#from.x),
      y: this.#from.y + share * (this.#to.y - this.#from.y),
    };
  }
}

function anywhere(random: Random): Point {
  return { x: random.fraction() * HALL_WIDTH, y: random.fraction() * HALL_DEPTH };
}

function standing(random: Random): Micros {
  return random.integer(5 * MICROS_PER_SECOND, 60 * MICROS_PER_SECOND);
}

/** Metres a second. */
const SPEED = 1.2;

/**
 * How strongly tags are heard, by the model that locations are decided by: -55 dBm at 1 m in free space, walls and shelves
 * that shadow a place from an antenna, tags that are a little stronger or weaker than others, and fading: reflections that
 * add to or take from each single read.
 */
export class Radio {
  readonly #seed: number;

  /** @param seed another one makes another hall. */
  constructor(seed: number) {
    this.#seed = seed;
  }

  /** dBm of one read, whole as gateways tell it; null if it is too weak to be heard. */
  read(mast: Mast, tag: number, at: Point, random: Random): number | null {
    const distance = Math.hypot(at.x - mast.x, at.y - mast.y, mast.height);
    const free = AT_ONE_METRE - 20 * Math.log10(Math.max(1, distance));
    const lasting = SHADOWING * this.#shadow(mast.number, at) + TAGS_APART * this.#noise(-1, tag, 0);
    const level = Math.round(free + lasting + fading(random));
    return level < WEAKEST ? null : Math.min(level, STRONGEST);
  }

  /** Changes over a few metres, and never in time. */
  #shadow(mast: number, { x, y }: Point): number {
    const [left, top] = [Math.floor(x / SHADE), Math.floor(y / SHADE)];
    const [right, bottom] = [x / SHADE - left, y / SHADE - top];
    const corner = (dx: number, dy: number) => this.#noise(mast, left + dx, top + dy);
    return (
      (1 - bottom) * ((1 - right) * corner(0, 0) + right * corner(1, 0)) +
      bottom * ((1 - right) * corner(0, 1) + right * corner(1, 1))
    );
  }

  /** Standard normal; the same for the same numbers. */
  #noise(mast: number, x: number, y: number): number {
    let mixed = this.#seed;
    for (const number of [mast, x, y]) {
      mixed = Math.imul(mixed ^ (number + 0x9e3779b9), 0x85ebca6b);
      mixed ^= mixed >>> 15;
    }
    return normal(createRandom(mixed));
  }
}

/** Rayleigh: the power is exponential, its mean 1. Deep fades are frequent, gains of more than 6 dB rare. */
function fading(random: Random): number {
  return 10 * Math.log10(-Math.log(1 - random.fraction()) + 1e-9);
}
