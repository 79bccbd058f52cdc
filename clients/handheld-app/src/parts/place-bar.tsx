import { Icon } from '../../../ui/parts/icon.tsx';
import { useApp } from '../app/app-context.ts';
import { texts } from '../texts/texts.ts';

export function PlaceBar() {
  const { walking, places, sweeping } = useApp();
  const said = texts.value.place;
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
          {place === null ? said.none : sweep === null ? said.youAreAt : said.sweeping}
        </span>
        <span class="place-bar-name">{place?.name ?? said.whereAreYou}</span>
        {place !== null && (
          <span class="place-bar-path">
            {[place.external_key, path.at(-1)?.name].filter(Boolean).join(said.in)}
          </span>
        )}
      </span>
      <span class="place-bar-change">
        {place === null ? <Icon name="forward" /> : sweep === null ? said.change : said.open}
      </span>
    </a>
  );
}
