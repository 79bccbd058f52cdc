import { Icon } from '../../../../ui/parts/icon.tsx';
import type { TrialResult } from '../../api/smoothing.ts';
import { Instant, instantText } from '../../parts/instant.tsx';
import { texts } from '../../texts/texts.ts';
import { MoveList } from './move-list.tsx';
import { PairTable } from './pair-table.tsx';
import { WorstAssets } from './worst-assets.tsx';

/** What the tried setting would change: in numbers, by pair of places, by asset, move by move. */
export function TrialReport({ result }: { result: TrialResult }) {
  const t = texts.value.smoothing;
  const { covered, present, proposed, removed, added, redated } = result;
  return (
    <>
      <section class="card stack" aria-labelledby="smoothing-result">
        <h2 id="smoothing-result">{t.result}</h2>
        <dl class="smoothing-counts">
          <Count word={t.movesNow} count={present} />
          <Count word={t.movesThen} count={proposed} isStrong />
          <Count word={t.wouldGo} count={removed} />
          <Count word={t.wouldCome} count={added} />
          <Count word={t.datedAnew} count={redated} />
        </dl>
        {covered.cut_by !== null && (
          <div class="note note-problem">
            <Icon name="alert" />
            <p>
              {covered.cut_by === 'scans'
                ? t.cutByScans(covered.scans, instantText(covered.to, true))
                : t.cutByAssets(covered.assets, covered.of, covered.cut_by === 'time')}
            </p>
          </div>
        )}
        <p class="hint">
          <Instant at={covered.from} isLong /> – <Instant at={covered.to} isLong />:{' '}
          {t.looked(covered.scans, covered.assets)} {t.nothingChanged}
        </p>
      </section>
      {present + proposed === 0 ? (
        <p class="hint">{t.noMoves}</p>
      ) : (
        <>
          <PairTable pairs={result.pairs} others={result.other_pairs} />
          <WorstAssets result={result} />
          <MoveList moves={result.moves} leftOut={result.moves_left_out} />
        </>
      )}
    </>
  );
}

function Count({ word, count, isStrong = false }: { word: string; count: number; isStrong?: boolean }) {
  return (
    <div class={isStrong ? 'is-strong' : undefined}>
      <dt>{word}</dt>
      <dd>{texts.value.smoothing.count(count)}</dd>
    </div>
  );
}
