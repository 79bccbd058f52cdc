import { useApp } from '../app/app-context.ts';
import { Icon } from './icon.tsx';

export function PlaceBar() {
  const { walking, places, sweeping } = useApp();
  const sweep = sweeping.open;
  const place = sweep?.place ?? walking.now.value.place;
  const path = place === null ? [] : places.tree.value.ancestors(place.id);
  return (
    <a
      class={`place-bar ${place === null ? 'place-bar-none' : ''}`}
      href={sweep === null ? '#place' : '#sweep'}
    >
      <Icon name="place" />
      <span class="place-bar-text">
        <span class="place-bar-label">
          {place === null ? 'No place yet' : sweep === null ? 'You are at' : 'Sweeping'}
        </span>
        <span class="place-bar-name">{place?.name ?? 'Where are you?'}</span>
        {place !== null && (
          <span class="place-bar-path">
            {[place.external_key, path.at(-1)?.name].filter(Boolean).join(' · in ')}
          </span>
        )}
      </span>
      <span class="place-bar-change">
        {place === null ? <Icon name="forward" /> : sweep === null ? 'Change' : 'Open'}
      </span>
    </a>
  );
}
