import { useEffect } from 'preact/hooks';
import { Icon } from '../../../ui/parts/icon.tsx';
import { useApp } from '../app/app-context.ts';
import type { Hits } from '../finding/finding.ts';
import { placesFound } from '../finding/places-found.ts';
import type { FoundAsset } from '../gateway/found-asset.ts';
import type { Location } from '../gateway/place.ts';
import { AssetLink } from '../parts/asset-link.tsx';
import { FoundPlaces } from '../parts/found-places.tsx';
import { momentOf } from '../parts/titles.ts';
import { VerdictStrip } from '../parts/verdict-strip.tsx';
import { texts } from '../texts/texts.ts';

/** Where is it? Assets and places by name, key or tag; a scan is looked for, and not recorded. */
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
  const { name, external_key, location, since } = asset;
  return (
    <li class="row" data-asset={external_key}>
      <AssetLink asset={asset}>
        <span class={`dot ${location === null ? 'dot-plain' : 'tone-place'}`}>
          <Icon name={location === null ? 'missing' : 'place'} />
        </span>
        <span class="row-text">
          <span class="row-title">{name}</span>
          <span class="row-sub">
            {external_key}
            {location === null ? ` · ${texts.value.find.neverSeen}` : ` · ${location.name}`}
          </span>
          {since !== null && <span class="row-sub">{texts.value.find.since(momentOf(since))}</span>}
        </span>
        <Icon name="forward" />
      </AssetLink>
    </li>
  );
}
