import { useRead } from '../../api/use-read.ts';
import type { Found } from '../../api/whereabouts.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { address } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';
import { FoundAssetCard } from './found-asset.tsx';
import { FoundPlace } from './found-place.tsx';

/** `#/find?q=…`: assets by name, key or tag in any spelling, and places. */
export function FindScreen() {
  const t = texts.value.find;
  const q = address.value.query.get('q') ?? '';
  const { answer, problem, isLoading, reload } = useRead<{ data: Found }>(q === '' ? null : '/find', { q });
  const found = answer?.data;
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
                  <FoundAssetCard key={asset.id} asset={asset} />
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
