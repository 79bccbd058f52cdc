import { useEffect } from 'preact/hooks';
import { Icon } from '../../../../ui/parts/icon.tsx';
import { serverNow } from '../../api/server-clock.ts';
import type { Found, FoundAsset, FoundLocation, PresenceState } from '../../api/types.ts';
import { useRead } from '../../api/use-read.ts';
import { durationText } from '../../parts/duration.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Instant } from '../../parts/instant.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { StateBadge, usePresence } from '../../parts/presence.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { address, href, replaceAddress } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';

/** The page of what was found, if that is one thing. */
function onlyOne({ assets, locations }: Found): string | null {
  const pages = [
    ...assets.map(({ id }) => href('asset', id)),
    ...locations.map(({ id }) => href('place', id)),
  ];
  return pages.length === 1 ? (pages[0] ?? null) : null;
}

/** `#/find?q=…`: assets by name, key or tag in any spelling, and places. With `open`, the page of the only one. */
export function FindScreen() {
  const t = texts.value.find;
  const q = address.value.query.get('q') ?? '';
  const { answer, problem, isLoading, reload } = useRead<{ data: Found }>(q === '' ? null : '/find', { q });
  const found = answer?.data;
  const only = found === undefined || !address.value.query.has('open') ? null : onlyOne(found);
  useEffect(() => {
    if (only !== null) {
      replaceAddress(only);
    }
  }, [only]);
  const { byId } = usePresence(found?.assets.map(({ id }) => id) ?? []);
  return (
    <div class="page find-page">
      <PageHead
        title={texts.value.screens.find}
        {...(found === undefined || q === '' ? {} : { sub: t.sub(found.asset_count, found.location_count) })}
      />
      <div class="filters">
        <SearchField label={texts.value.shell.find} />
      </div>
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      {q === '' && <EmptyState icon="search" title={t.begin} hint={t.beginHint} />}
      {q !== '' && found !== undefined && (
        <div class="found-all" aria-busy={isLoading}>
          {found.assets.length + found.locations.length === 0 && (
            <EmptyState icon="search" title={t.nothing(q)} hint={t.nothingHint} />
          )}
          {found.locations.length > 0 && (
            <section aria-label={t.places}>
              <h2>{t.places}</h2>
              <ul class="found-places">
                {found.locations.map((place) => (
                  <FoundPlace key={place.id} place={place} />
                ))}
              </ul>
            </section>
          )}
          {found.assets.length > 0 && (
            <section aria-label={t.assets}>
              <h2>{t.assets}</h2>
              <ul class="found-assets">
                {found.assets.map((asset) => (
                  <FoundAssetCard key={asset.id} asset={asset} state={byId.get(asset.id)?.state} />
                ))}
              </ul>
              {found.asset_count > found.assets.length && (
                <p class="hint">{t.more(found.asset_count - found.assets.length)}</p>
              )}
            </section>
          )}
        </div>
      )}
    </div>
  );
}

/** An asset's state and location, since when, how recently it was seen, and earlier locations. */
function FoundAssetCard({ asset, state }: { asset: FoundAsset; state: PresenceState | undefined }) {
  const t = texts.value.find;
  const { location, since, last_seen: lastSeen } = asset;
  return (
    <li class="card found">
      <div class="found-head">
        <p>
          <a class="title" href={href('asset', asset.id)}>
            {asset.name}
          </a>{' '}
          <span class="mono faint">{asset.external_key}</span>
        </p>
        {asset.tags[0] !== undefined && <span class="mono faint found-tag">{asset.tags[0].value}</span>}
      </div>
      {location === null ? (
        <p class="none">{texts.value.assets.nowhere}</p>
      ) : (
        <p class="found-where">
          {state !== undefined && <StateBadge state={state} />}
          <Icon name="place" />
          <a class="title" href={href('place', location.id)}>
            {location.name}
          </a>
          {since !== null && (
            <span class="hint">
              {t.since} <Instant at={since} />
            </span>
          )}
          {lastSeen !== null && (
            <span class="hint">{t.seenAgo(durationText(serverNow() - Date.parse(lastSeen)))}</span>
          )}
          <a class="plain" href={href('asset', asset.id, { why: 'now' })}>
            {texts.value.asset.why}
          </a>
        </p>
      )}
      {asset.stays.length > 1 && (
        <p class="hint found-before">
          {t.before}{' '}
          {asset.stays.slice(1).map(({ location: place, arrived_at }, index) => (
            <span key={arrived_at}>
              {index > 0 && ' · '}
              <a href={href('place', place.id)}>{place.name}</a>
            </span>
          ))}
        </p>
      )}
    </li>
  );
}

function FoundPlace({ place }: { place: FoundLocation }) {
  return (
    <li>
      <a class="card found-place" href={href('place', place.id)}>
        <span class="dot dot-plain">
          <Icon name="place" />
        </span>
        <span>
          <span class="title">{place.name}</span> <span class="mono faint">{place.external_key}</span>
          <span class="hint">
            {place.parent !== null && `${place.parent.name} · `}
            {texts.value.find.assetsHere(place.assets_here)}
          </span>
        </span>
      </a>
    </li>
  );
}
