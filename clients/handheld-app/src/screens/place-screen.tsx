import { useState } from 'preact/hooks';
import { Icon } from '../../../ui/parts/icon.tsx';
import { useApp } from '../app/app-context.ts';
import type { Location } from '../gateway/place.ts';
import { momentOf } from '../parts/titles.ts';
import { texts } from '../texts/texts.ts';

const MOST_HITS = 50;

export function PlaceScreen() {
  const { places, walking } = useApp();
  const said = texts.value.place;
  const tree = places.tree.value;
  const [inside, setInside] = useState<number | null>(
    () => tree.get(walking.now.value.place?.id ?? 0)?.parent_id ?? null,
  );
  const [words, setWords] = useState('');
  const isSearch = words.trim() !== '';
  const here = walking.now.value.place?.id;
  const recent = walking.recent.value.flatMap(({ id }) => (id === here ? [] : (tree.get(id) ?? [])));
  const shown = isSearch ? tree.search(words).slice(0, MOST_HITS) : tree.children(inside);
  const parent = inside === null ? undefined : tree.get(inside);
  return (
    <div class="stack places">
      <h1>{said.whereAreYou}</h1>
      <p class="hint">{said.hint}</p>
      <label class="field field-search">
        <span class="unseen">{said.search}</span>
        <Icon name="search" />
        <input
          type="search"
          name="search"
          placeholder={said.search}
          autocomplete="off"
          value={words}
          onInput={(event) => setWords(event.currentTarget.value)}
        />
      </label>
      {!isSearch && recent.length > 0 && (
        <section>
          <h2>{said.recent}</h2>
          <ul class="rows" aria-label={said.recent}>
            {recent.map((location) => (
              <PlaceRow key={location.id} location={location} isPlain onInside={setInside} />
            ))}
          </ul>
        </section>
      )}
      {!isSearch && parent !== undefined && (
        <button type="button" class="up" onClick={() => setInside(tree.get(parent.id)?.parent_id ?? null)}>
          <Icon name="back" />
          <span>{[...tree.ancestors(parent.id), parent].map(({ name }) => name).join(' › ')}</span>
        </button>
      )}
      <ul class="rows" aria-label={said.places}>
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
      {shown.length === 0 && <p class="hint">{tree.all.length === 0 ? said.noPlaces : said.noneCalledSo}</p>}
      {places.kept.value !== null && (
        <p class="hint">
          {said.asOf(texts.value.counts.places(tree.all.length), momentOf(places.kept.value.fetched_at))}
        </p>
      )}
    </div>
  );
}

function PlaceRow({
  location,
  isParent = false,
  isPlain = false,
  onInside,
}: {
  location: Location;
  isParent?: boolean;
  /** Without the way inside. */
  isPlain?: boolean;
  onInside: (id: number) => void;
}) {
  const app = useApp();
  const said = texts.value.place;
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
            {isParent ? said.notInside : location.external_key}
            {isHere && said.here}
          </span>
        </span>
      </button>
      {within > 0 && !isParent && !isPlain && (
        <button
          type="button"
          class="row-inside"
          aria-label={said.inside(texts.value.counts.places(within), location.name)}
          onClick={() => onInside(location.id)}
        >
          {within}
          <Icon name="forward" />
        </button>
      )}
    </li>
  );
}
