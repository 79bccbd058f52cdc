import { Icon } from '../../../ui/parts/icon.tsx';
import { useApp } from '../app/app-context.ts';
import type { Location } from '../gateway/place.ts';
import { texts } from '../texts/texts.ts';

/** Places with what they lie in: where to walk; and a way to say that one is there. */
export function FoundPlaces({ places }: { places: readonly Location[] }) {
  const app = useApp();
  const tree = app.places.tree.value;
  const said = texts.value.find;
  return (
    <section>
      <h2>{texts.value.place.places}</h2>
      <ul class="rows" aria-label={texts.value.place.places}>
        {places.map((location) => {
          const isHere = app.walking.now.value.place?.id === location.id;
          const within = tree.ancestors(location.id).map(({ name }) => name);
          return (
            <li key={location.id} class="row row-place" data-place={location.external_key}>
              <span class="row-main">
                <span class={`dot ${isHere ? 'tone-place' : 'dot-plain'}`}>
                  <Icon name="place" />
                </span>
                <span class="row-text">
                  <span class="row-title">{location.name}</span>
                  <span class="row-sub">
                    {location.external_key}
                    {isHere && texts.value.place.here}
                  </span>
                  {within.length > 0 && <span class="row-sub">{within.join(' › ')}</span>}
                </span>
              </span>
              {!isHere && (
                <button
                  type="button"
                  class="row-inside"
                  aria-label={said.iAmAt(location.name)}
                  onClick={() => void app.goTo(location)}
                >
                  {said.here}
                </button>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
