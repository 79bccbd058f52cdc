import { ANTENNAS, type Place, placeAt, READERS } from './site.ts';

interface Settings {
  readers: readonly number[];
  readsPerMessage: number;
  assets: number;
  places?: readonly number[];
  moves: number;
}

interface Present {
  asset: number;
  antenna: number;
}

/** Of the moves one in so many leads to another reader. */
const MOVES_TO_ANOTHER_READER = 5;

/** Every asset is at one antenna of one reader, which reads the assets it has in no particular order. */
export class Whereabouts {
  readonly #settings: Settings;
  readonly #random: () => number;
  readonly #present: ReadonlyMap<number, Present[]>;

  /** @param random numbers from 0 to 1. */
  constructor(settings: Settings, random: () => number) {
    this.#settings = settings;
    this.#random = random;
    const { readers, assets, places } = settings;
    this.#present = new Map(readers.map((reader) => [reader, []]));
    for (let asset = 0; asset < assets; asset++) {
      const location = places?.[asset];
      const { reader, antenna } = location === undefined ? firstPlace(asset) : placeAt(location);
      this.#present.get(reader)?.push({ asset, antenna });
    }
    if (places !== undefined) {
      this.#moveSome();
    }
  }

  /** What a reader reads next; that may be its last read there. */
  read(reader: number): Present {
    const here = this.#present.get(reader) ?? [];
    const index = Math.floor(this.#random() * here.length);
    const seen = here[index];
    if (seen === undefined) {
      return { asset: 0, antenna: 1 };
    }
    const read = { ...seen };
    if (this.#random() < this.#settings.moves) {
      this.#move(here, index, seen);
    }
    return read;
  }

  /** So that first reads are moves as often as others. */
  #moveSome(): void {
    for (const here of this.#present.values()) {
      for (const [index, seen] of [...here.entries()].reverse()) {
        if (this.#random() < this.#settings.moves) {
          this.#move(here, index, seen);
        }
      }
    }
  }

  #move(here: Present[], index: number, seen: Present): void {
    const { readers, readsPerMessage } = this.#settings;
    seen.antenna = 1 + ((seen.antenna + Math.floor(this.#random() * (ANTENNAS - 1))) % ANTENNAS);
    if (this.#random() < 1 / MOVES_TO_ANOTHER_READER && here.length > readsPerMessage) {
      here.splice(index, 1);
      this.#present.get(readers[Math.floor(this.#random() * readers.length)] ?? 0)?.push(seen);
    }
  }
}

function firstPlace(asset: number): Place {
  return { reader: asset % READERS, antenna: 1 + (Math.floor(asset / READERS) % ANTENNAS) };
}
