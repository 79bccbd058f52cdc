import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { createRandom } from '../../../simulation/random.ts';
import { ASSETS } from './assets.ts';
import { type Itinerary, makeItinerary } from './itinerary.ts';
import { makeMessages } from './messages.ts';
import { makePlan, type Step } from './network.ts';

export interface Scenario {
  itineraries: readonly Itinerary[];
  plan: readonly Step[];
}

/**
 * The same seed and end give the same scenario.
 *
 * @param end of the two hours; nothing is read after it.
 */
export function makeScenario(seed: number, end: Micros): Scenario {
  const random = createRandom(seed);
  const period = { from: end - 7_200 * MICROS_PER_SECOND, to: end };
  const itineraries = ASSETS.map((asset) => makeItinerary(asset, period, random));
  return { itineraries, plan: makePlan(makeMessages(itineraries, period, random), period, random) };
}
