import type { AssetKind } from './assets.ts';
import type { Random } from './random.ts';
import { type Place, STOPS, type Stage } from './site.ts';

/**
 * Where an asset stops next: goods go through the stages, some change the aisle first, and come in again after they
 * were shipped; equipment goes anywhere. Never where it is already.
 *
 * @param from where it is; null before it came.
 */
export function nextStop(kind: AssetKind, from: Place | null, random: Random): Place {
  const others = STOPS.filter(({ key }) => key !== from?.key);
  if (kind !== 'goods') {
    return random.pick(others);
  }
  const stage = nextStage(from?.stage ?? null, random);
  return random.pick(others.filter((place) => place.stage === stage));
}

function nextStage(stage: Stage | null, random: Random): Stage {
  switch (stage) {
    case 'receiving':
      return 'storage';
    case 'storage':
      return random.chance(0.35) ? 'storage' : 'packing';
    case 'packing':
      return 'shipping';
    case 'shipping':
    case null:
      return 'receiving';
  }
}
