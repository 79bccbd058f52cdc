import { useEffect } from 'preact/hooks';
import { TAG_TYPES } from '../../../../domain/tracking/tag-type.ts';
import { Icon } from '../../../ui/parts/icon.tsx';
import { folded } from '../../../ui/texts/folded.ts';
import { useApp } from '../app/app-context.ts';
import type { Hits } from '../finding/finding.ts';
import type { FoundAsset } from '../gateway/found-asset.ts';
import type { Location } from '../gateway/place.ts';
import { AssetLink } from '../parts/asset-link.tsx';
import { momentOf } from '../parts/titles.ts';
import { VerdictStrip } from '../parts/verdict-strip.tsx';
import type { LocationTree } from '../places/tree.ts';
import { texts } from '../texts/texts.ts';

/** Assets and places by name, key or tag; a scan is looked up, and not recorded. */
export function FindScreen() {
  const app = useApp();
  const { finding } = app;
  const said = texts.value.find;
  const words = finding.words.value;
  const hits = finding.hits.value;
  const before = finding.before.value;
  const places = placesFound(app.places.tree.value, words);
  useEffect(() => finding.open(), []);
  return (
    <div class="stack finding">
      <h1>{said.title}</h1>
      <label class="field field-search">
        <span class="unseen">{said.field}</span>
        <Icon name="search" />
        <input
          type="search"
          name="find"
          placeholder={said.field}
          autocomplete="off"
          enterkeyhint="search"
          value={words}
          onInput={(event) => void finding.search(event.currentTarget.value)}
        />
      </label>
      {app.notice.value !== null && <VerdictStrip shown={undefined} notice={app.notice.value} />}
      {hits === null ? <p class="hint">{said.hint}</p> : <Found hits={hits} places={places} />}
      {hits === null && before.length > 0 && (
        <section>
          <h2>{said.before}</h2>
          <ul class="rows">
            {before.map(({ asset }) => (
              <AssetRow key={asset.id} asset={asset} />
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

function Found({ hits, places }: { hits: Hits; places: readonly Location[] }) {
  const said = texts.value.find;
  const { assets, total, source } = hits;
  const isAsking = source.kind === 'device' && source.isAsking;
  return (
    <>
      <p class="hint" role="status">
        {assets.length === 0 && (isAsking ? said.looking : places.length === 0 ? said.nothing : said.noAsset)}
        {assets.length > 0 &&
          (total > assets.length
            ? said.firstOf(assets.length, texts.value.counts.assets(total))
            : texts.value.counts.assets(total))}
        {!isAsking && <Source source={source} />}
      </p>
      <ul class="rows" aria-label={said.found}>
        {assets.map((asset) => (
          <AssetRow key={asset.id} asset={asset} />
        ))}
      </ul>
      {places.length > 0 && <FoundPlaces places={places} />}
    </>
  );
}

/** How old the device's own list is, and how much of all. */
function Source({ source }: { source: Hits['source'] }) {
  if (source.kind === 'gateway') {
    return null;
  }
  const said = texts.value.find;
  const { asOf, part, of } = source;
  if (asOf === null) {
    return <>{said.noList}</>;
  }
  return (
    <>
      {said.byList(momentOf(asOf))}
      {part < of && said.part(part, of)}.
    </>
  );
}

function AssetRow({ asset }: { asset: FoundAsset }) {
  const { name, external_key, location, since, presence } = asset;
  const { states } = texts.value.find;
  const state = presence?.state ?? '';
  const isAway = Object.hasOwn(states, state);
  return (
    <li class="row" data-asset={external_key}>
      <AssetLink asset={asset}>
        <span class={`dot ${location === null || isAway ? 'dot-plain' : 'tone-place'}`}>
          <Icon name={location === null || isAway ? 'missing' : 'place'} />
        </span>
        <span class="row-text">
          <span class="row-title">{name}</span>
          <span class="row-sub">
            {external_key}
            {isAway && ` · ${states[state as keyof typeof states]}`}
            {location === null ? ` · ${texts.value.find.neverSeen}` : ` · ${location.name}`}
          </span>
          {since !== null && <span class="row-sub">{texts.value.find.since(momentOf(since))}</span>}
        </span>
        <Icon name="forward" />
      </AssetLink>
    </li>
  );
}

/** Nobody reads more than this; people type on instead. */
const MOST_SHOWN = 10;

/** Places with every word in their name or key; one whose key or tag is the whole text comes first. */
function placesFound(tree: LocationTree, text: string): Location[] {
  const whole = text.trim();
  if (whole === '') {
    return [];
  }
  const named = [
    ...tree.all.filter(({ external_key: key }) => folded(key) === folded(whole)),
    ...TAG_TYPES.flatMap((type) => tree.byTag(type, whole) ?? []),
  ];
  return [...new Set([...named, ...tree.search(whole)])].slice(0, MOST_SHOWN);
}

/** Places with their parents: where to walk; and a way to say that you are there. */
function FoundPlaces({ places }: { places: readonly Location[] }) {
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
