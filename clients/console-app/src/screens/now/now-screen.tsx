import { useTree } from '../../live/use-tree.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { address, href } from '../../router/router.ts';
import { may } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';
import { LatestMoves } from './latest-moves.tsx';
import { OpenAlerts } from './open-alerts.tsx';
import { PlaceTree } from './place-tree.tsx';
import { SilentReaders } from './silent-readers.tsx';
import { StateCounts } from './state-counts.tsx';

/** `#/now?q=…`: every place with what is there, and the moves as they come. */
export function NowScreen() {
  const t = texts.value.now;
  const { model, version, problem, reload } = useTree();
  const searched = address.value.query.get('q') ?? '';
  if (model === null) {
    return (
      <div class="page">
        <PageHead title={texts.value.screens.now} />
        {problem === null ? (
          <p class="loading">{texts.value.shell.loading}</p>
        ) : (
          <ProblemNote problem={problem} onRetry={reload} />
        )}
      </div>
    );
  }
  return (
    <div class="page now">
      <PageHead title={texts.value.screens.now} sub={t.sub(model.assets, model.size)} />
      {model.assets > 0 && <StateCounts />}
      {model.size === 0 ? (
        <EmptyState icon="places" title={t.none} hint={t.noneHint}>
          {may('operator') && (
            <a class="primary" href={href('places')}>
              {t.toPlaces}
            </a>
          )}
        </EmptyState>
      ) : (
        <div class="now-columns">
          <section class="now-tree" aria-label={t.places}>
            <div class="filters">
              <SearchField label={t.search} />
            </div>
            <PlaceTree model={model} version={version} searched={searched} />
          </section>
          <div class="place-side">
            <OpenAlerts />
            <SilentReaders />
            <LatestMoves model={model} />
          </div>
        </div>
      )}
    </div>
  );
}
