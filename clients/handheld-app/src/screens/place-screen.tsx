import { useState } from 'preact/hooks';
import { useApp } from '../app/app-context.ts';
import type { Location } from '../gateway/place.ts';
import { Icon } from '../parts/icon.tsx';
import { counted, momentOf } from '../parts/titles.ts';

const MOST_HITS = 50;

export function PlaceScreen() {
  const { places, walking } = useApp();
  const tree = places.tree.value;
  const [inside, setInside] = useState<number | null>(
    () => tree.get(walking.now.value.place?.id ?? 0)?.parent_id ?? null,
  );
  const [words, setWords] = useState('');
  const isSearch = words.trim() !== '';
  const shown = isSearch ? tree.search(words).slice(0, MOST_HITS) : tree.children(inside);
  const parent = inside === null ? undefined : tree.get(inside);
  return (
    <div class="stack places">
      <h1>Where are you?</h1>
      <p class="hint">Scan the place’s tag, or choose it here.</p>
      <label class="field field-search">
        <span class="unseen">Search places</span>
        <Icon name="search" />
        <input
          type="search"
          name="search"
          placeholder="Search places"
          autocomplete="off"
          value={words}
          onInput={(event) => setWords(event.currentTarget.value)}
        />
      </label>
      {!isSearch && parent !== undefined && (
        <button type="button" class="up" onClick={() => setInside(tree.get(parent.id)?.parent_id ?? null)}>
          <Icon name="back" />
          <span>{[...tree.ancestors(parent.id), parent].map(({ name }) => name).join(' › ')}</span>
        </button>
      )}
      <ul class="rows" aria-label="Places">
        {!isSearch && parent !== undefined && <PlaceRow location={parent} isParent onInside={setInside} />}
        {shown.map((location) => (
          <PlaceRow
            key={location.id}
            location={location}
            onInside={(id) => {
              setWords('');
              setInside(id);
            }}
          />
        ))}
      </ul>
      {shown.length === 0 && (
        <p class="hint">{tree.all.length === 0 ? 'There are no places yet.' : 'No place is called so.'}</p>
      )}
      {places.kept.value !== null && (
        <p class="hint">
          {counted(tree.all.length, 'place')}, as of {momentOf(places.kept.value.fetched_at)}
        </p>
      )}
    </div>
  );
}

function PlaceRow({
  location,
  isParent = false,
  onInside,
}: {
  location: Location;
  isParent?: boolean;
  onInside: (id: number) => void;
}) {
  const app = useApp();
  const within = app.places.tree.value.children(location.id).length;
  const isHere = app.walking.now.value.place?.id === location.id;
  return (
    <li class="row row-place">
      <button
        type="button"
        class="row-main"
        aria-current={isHere ? 'location' : undefined}
        onClick={() => {
          void app.goTo(location);
          history.back();
        }}
      >
        <span class={`dot ${isHere ? 'tone-place' : 'dot-plain'}`}>
          <Icon name="place" />
        </span>
        <span class="row-text">
          <span class="row-title">{location.name}</span>
          <span class="row-sub">
            {isParent ? 'Here, not further inside' : location.external_key}
            {isHere && ' · you are here'}
          </span>
        </span>
      </button>
      {within > 0 && !isParent && (
        <button
          type="button"
          class="row-inside"
          aria-label={`${counted(within, 'place')} in ${location.name}`}
          onClick={() => onInside(location.id)}
        >
          {within}
          <Icon name="forward" />
        </button>
      )}
    </li>
  );
}
