import type { Random } from './random.ts';
import type { SiteLocation, Stage } from './site.ts';

/** Goods move from dock to gate, equipment goes wherever it is needed, and what is in repair does not move. */
export type AssetKind = 'goods' | 'equipment' | 'in repair';

/**
 * The next stop of an asset: goods go through the stages, sometimes by way of another aisle, and come in again after
 * shipping; equipment goes anywhere. Never where it is already.
 *
 * @param from its location; null before it came.
 * @param stops at least two. A stage without any is replaced by another.
 */
export function nextStop(
  kind: AssetKind,
  from: SiteLocation | null,
  stops: readonly SiteLocation[],
  random: Random,
): SiteLocation {
  const others = stops.filter(({ key }) => key !== from?.key);
  if (kind !== 'goods') {
    return random.pick(others);
  }
  const stage = nextStage(from?.stage ?? null, random);
  const ofStage = others.filter((location) => location.stage === stage);
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
