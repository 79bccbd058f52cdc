import { MICROS_PER_SECOND, type Micros } from '../../base/instant.ts';
import { makePopulation } from '../../simulation/population.ts';
import { createRandom } from '../../simulation/random.ts';
import { type SiteLocation, stopsOf } from '../../simulation/site.ts';
import { SiteLife } from '../../simulation/site-life.ts';
import { SiteWatch } from '../../simulation/site-watch.ts';
import { makeWarehouse } from '../../simulation/warehouse.ts';

export interface SimulatedRead {
  asset: string;
  location: string;
  at: Micros;
  rssi: number | null;
  isByPerson: boolean;
}

const ASSETS = 30;
const MINUTE = 60 * MICROS_PER_SECOND;

/**
 * Reads of a simulated site whose antennas overlap in pairs, minute by minute. Some are of one instant, as readers that
 * tell whole seconds make them, and some are by people.
 */
export function simulatedReads({
  from,
  minutes,
  seed,
}: {
  from: Micros;
  minutes: number;
  seed: number;
}): SimulatedRead[][] {
  const random = createRandom(seed);
  const site = makeWarehouse({ readers: 4, formats: ['csl-cs463'], prefix: 'SIM-', topicRoot: 's' });
  const stops = stopsOf(site);
  const pairs = new Map<SiteLocation, SiteLocation>();
  for (let index = 0; index + 1 < stops.length; index += 2) {
    const [one, other] = stops.slice(index, index + 2) as [SiteLocation, SiteLocation];
    pairs.set(one, other).set(other, one);
  }
  const life = new SiteLife(makePopulation(ASSETS, 'SIM-'), stops, from, random);
  const watch = new SiteWatch(life, { beside: (location) => pairs.get(location) ?? null, random });
  return Array.from({ length: minutes }, (_, minute) =>
    watch.watch(from + minute * MINUTE, from + (minute + 1) * MINUTE, 8 * ASSETS).map((sighting) => {
      const isByPerson = random.chance(0.01);
      return {
        asset: sighting.asset.key,
        location: sighting.location.key,
        at: random.chance(0.3)
          ? Math.floor(sighting.at / MICROS_PER_SECOND) * MICROS_PER_SECOND
          : sighting.at,
        rssi: isByPerson || random.chance(0.03) ? null : sighting.rssi,
        isByPerson,
      };
    }),
  );
}
