import type { Random } from './random.ts';
import type { Place, Stage } from './site.ts';

/** How an asset moves: goods from dock to gate, equipment wherever it is needed, what is in repair not at all. */
export type AssetKind = 'goods' | 'equipment' | 'in repair';

/**
 * Where an asset stops next: goods go through the stages, some change the aisle first, and come in again after they
 * were shipped; equipment goes anywhere. Never where it is already.
 *
 * @param from where it is; null before it came.
 * @param stops where it can stop: two at least. Of a stage that has none, any other will do.
 */
export function nextStop(
  kind: AssetKind,
  from: Place | null,
  stops: readonly Place[],
  random: Random,
): Place {
  const others = stops.filter(({ key }) => key !== from?.key);
  if (kind !== 'goods') {
    return random.pick(others);
  }
  const stage = nextStage(from?.stage ?? null, random);
  const ofStage = others.filter((place) => place.stage === stage);
  return random.pick(ofStage.length > 0 ? ofStage : others);
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
