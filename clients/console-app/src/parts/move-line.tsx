import type { ComponentChildren } from 'preact';
import { Icon } from '../../../ui/parts/icon.tsx';
import { href } from '../router/router.ts';
import { texts } from '../texts/texts.ts';
import { Instant } from './instant.tsx';

interface Named {
  id: number;
  name: string;
}

/** An asset that went from one place to another; null for none that is known. */
export function MoveLine({
  from,
  to,
  ...line
}: {
  at: string;
  asset: Named;
  from: Named | null;
  to: Named | null;
  isNew?: boolean;
}) {
  return (
    <LineOfAsset {...line}>
      <p class="move-way">
        {from === null ? <span>{texts.value.now.firstSeen}</span> : <PlaceLink place={from} />}
        <Icon name="moved" />
        <PlaceLink place={to} />
      </p>
    </LineOfAsset>
  );
}

/** The time and the asset, above the description of the move. */
export function LineOfAsset({
  at,
  asset,
  isNew = false,
  children,
}: {
  at: string;
  asset: Named;
  isNew?: boolean;
  children: ComponentChildren;
}) {
  return (
    <li class={isNew ? 'move-line is-new' : 'move-line'}>
      <p class="move-head">
        <a class="title" href={href('asset', asset.id)}>
          {asset.name}
        </a>
        <Instant at={at} />
      </p>
      {children}
    </li>
  );
}

export function PlaceLink({ place }: { place: Named | null }) {
  return place === null ? (
    <span class="none">{texts.value.now.nowhere}</span>
  ) : (
    <a href={href('place', place.id)}>{place.name}</a>
  );
}

/** A location's name, with its key on hover; the key until the name is known. */
export function PlaceName({ placeKey, name }: { placeKey: string; name: string | undefined }) {
  return name === undefined ? <span class="mono">{placeKey}</span> : <span title={placeKey}>{name}</span>;
}
