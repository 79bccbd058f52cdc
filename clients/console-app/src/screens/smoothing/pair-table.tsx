import { useState } from 'preact/hooks';
import { Icon } from '../../../../ui/parts/icon.tsx';
import type { MoveCounts, TriedPair } from '../../api/smoothing.ts';
import { href } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';

const FEW = 8;

/** Moves from one place to another, now and then; the pairs that would change most come first. */
export function PairTable({ pairs, others }: { pairs: readonly TriedPair[]; others: MoveCounts }) {
  const t = texts.value.smoothing;
  const [count, setCount] = useState(FEW);
  const hasOthers = others.present + others.proposed > 0;
  return (
    <section class="stack" aria-labelledby="smoothing-pairs">
      <h2 id="smoothing-pairs">{t.pairs}</h2>
      <div class="table-box">
        <table class="table">
          <thead>
            <tr>
              <th scope="col">{t.move}</th>
              <th scope="col" class="number">
                {t.now}
              </th>
              <th scope="col" class="number">
                {t.after}
              </th>
              <th scope="col" class="number weight-2">
                {t.wouldGo}
              </th>
              <th scope="col" class="number weight-2">
                {t.wouldCome}
              </th>
              <th scope="col" class="number weight-2">
                {t.datedAnew}
              </th>
            </tr>
          </thead>
          <tbody>
            {pairs.slice(0, count).map((pair) => (
              <tr key={`${pair.from.id} ${pair.to.id}`}>
                <td>
                  <span class="smoothing-pair">
                    <a class="title" href={href('place', pair.from.id)}>
                      {pair.from.name}
                    </a>
                    <Icon name="moved" />
                    <a class="title" href={href('place', pair.to.id)}>
                      {pair.to.name}
                    </a>
                  </span>
                </td>
                <Numbers counts={pair} />
              </tr>
            ))}
            {hasOthers && count >= pairs.length && (
              <tr>
                <td class="faint">{t.otherPairs}</td>
                <Numbers counts={others} />
              </tr>
            )}
          </tbody>
        </table>
        {count < pairs.length && (
          <p class="pager">
            <button type="button" class="small secondary" onClick={() => setCount(pairs.length)}>
              {t.morePairs(pairs.length - count)}
            </button>
          </p>
        )}
      </div>
    </section>
  );
}

function Numbers({ counts }: { counts: MoveCounts }) {
  const t = texts.value.smoothing;
  return (
    <>
      <td class="number">{t.count(counts.present)}</td>
      <td class="number">
        <strong>{t.count(counts.proposed)}</strong>
      </td>
      <td class="number weight-2">{t.count(counts.removed)}</td>
      <td class="number weight-2">{t.count(counts.added)}</td>
      <td class="number weight-2">{t.count(counts.redated)}</td>
    </>
  );
}
