import { useRead } from '../../api/use-read.ts';
import type { Found, FoundAsset } from '../../api/whereabouts.ts';
import type { Place, TreeModel } from '../../live/tree-model.ts';
import { useReloadOnMoves } from '../../live/use-moves.ts';
import { address } from '../../router/router.ts';
import { type Shapes, shownPlace } from './shapes.ts';

export interface Lit {
  /** Null while nothing is looked for. */
  places: ReadonlySet<number> | null;
  assets: readonly { asset: FoundAsset; shownAt: number | null }[];
  /** Places found by name or key that are not on this plan. */
  elsewhere: readonly Place[];
}

/** Characters from which on assets are looked for. */
const ENOUGH = 2;

/** Where on the plan is what `find` of the address asks for. It follows as assets move. */
export function useLit(model: TreeModel, shapes: Shapes): Lit {
  const text = (address.value.query.get('find') ?? '').trim();
  const { answer, reload } = useRead<{ data: Found }>(text.length < ENOUGH ? null : '/find', { q: text });
  const found = answer?.data.assets ?? [];
  useReloadOnMoves(({ data }) => found.some(({ id }) => id === data.asset.id), reload);
  if (text === '') {
    return { places: null, assets: [], elsewhere: [] };
  }
  const named = model.search(text);
  const assets = found.map((asset) => ({
    asset,
    shownAt: shownPlace(model, shapes, asset.location?.id ?? null),
  }));
  const shown = named.map((place) => ({ place, shownAt: shownPlace(model, shapes, place.id) }));
  const ids = [...assets, ...shown].flatMap(({ shownAt }) => (shownAt === null ? [] : shownAt));
  return {
    places: new Set(ids),
    assets,
    elsewhere: shown.flatMap(({ place, shownAt }) => (shownAt === null ? place : [])),
  };
}
