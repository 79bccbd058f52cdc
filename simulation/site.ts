import type { EncoderName } from './encoders/encoders.ts';

/** A location of the site, and its role if assets stop there. */
export interface SiteLocation {
  key: string;
  name: string;
  /** Null for the site itself. */
  parent: string | null;
  /** Null where nothing stops: a zone consists of its doors and aisles. */
  stage: Stage | null;
}

/** Stages of goods, in order. */
export type Stage = 'receiving' | 'storage' | 'packing' | 'shipping';

export interface SiteReader {
  name: string;
  topic: string;
  format: EncoderName;
  /** Keys of the locations of ports 1, 2, ...; null for an unmounted antenna. */
  antennas: readonly (string | null)[];
}

export interface Site {
  /** Parents first. */
  locations: readonly SiteLocation[];
  readers: readonly SiteReader[];
}

/** Things pass there; elsewhere they stay, and readers see them again and again. */
export function isPortal({ stage }: SiteLocation): boolean {
  return stage === 'receiving' || stage === 'shipping';
}

export function stopsOf({ locations }: Site): SiteLocation[] {
  return locations.filter(({ stage }) => stage !== null);
}

/** The antenna that sees a location. */
export interface Antenna {
  reader: SiteReader;
  port: number;
}

/** @throws RangeError for a location that no antenna sees. */
export function antennaAt({ readers }: Pick<Site, 'readers'>, placeKey: string): Antenna {
  for (const reader of readers) {
    const index = reader.antennas.indexOf(placeKey);
    if (index >= 0) {
      return { reader, port: index + 1 };
    }
  }
  throw new RangeError(`no antenna at ${placeKey}`);
}
