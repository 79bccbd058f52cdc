import type { IconName } from '../../../ui/parts/icon.tsx';
import type { Found } from '../api/whereabouts.ts';
import { href } from '../router/router.ts';
import type { Texts } from '../texts/texts.ts';

/** A line below the find box, which leads somewhere. */
export interface FindAnswer {
  key: string;
  icon: IconName;
  title: string;
  sub: string;
  to: string;
}

const MOST = { assets: 6, locations: 3 };

/** The first assets and places, and the screen with all that was found. */
export function answersOf(found: Found | undefined, q: string, t: Texts['shell']): readonly FindAnswer[] {
  const assets = (found?.assets ?? []).slice(0, MOST.assets).map((asset) => ({
    key: `asset ${asset.id}`,
    icon: 'asset' as const,
    title: asset.name,
    sub: asset.location?.name ?? asset.external_key,
    to: href('asset', asset.id),
  }));
  const places = (found?.locations ?? []).slice(0, MOST.locations).map((place) => ({
    key: `place ${place.id}`,
    icon: 'place' as const,
    title: place.name,
    sub: t.assetsHere(place.assets_here),
    to: href('place', place.id),
  }));
  const all = { key: 'all', icon: 'search' as const, title: t.findAll(q), sub: '', to: href('find', { q }) };
  return [...assets, ...places, all];
}
