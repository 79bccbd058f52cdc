import { useState } from 'preact/hooks';
import { Icon } from '../../../../ui/parts/icon.tsx';
import type { TriedMove } from '../../api/smoothing.ts';
import { Badge } from '../../parts/badge.tsx';
import { Instant } from '../../parts/instant.tsx';
import { href } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';

const FEW = 10;

/** Milliseconds around a move for which its asset's timeline is opened. */
const AROUND = 300_000;

/** Which moves would go, and which would come. */
export function MoveList({ moves, leftOut }: { moves: readonly TriedMove[]; leftOut: number }) {
  const t = texts.value.smoothing;
  const [count, setCount] = useState(FEW);
  if (moves.length === 0) {
    return null;
  }
  return (
    <section class="stack" aria-labelledby="smoothing-moves">
      <h2 id="smoothing-moves">{t.which}</h2>
      <div class="table-box">
        <table class="table">
          <thead>
            <tr>
              <th scope="col">{t.at}</th>
              <th scope="col">{t.asset}</th>
              <th scope="col" class="weight-2">
                {t.move}
              </th>
              <th scope="col">
                <span class="unseen">{t.change}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {moves.slice(0, count).map((move) => (
              <tr key={`${move.asset.id} ${move.at} ${move.change}`}>
                <td>
                  <Instant at={move.at} />
                </td>
                <td>
                  <a class="title" href={href('asset', move.asset.id, around(move.at))}>
                    {move.asset.name}
                  </a>
                </td>
                <td class="weight-2">
                  <span class="smoothing-pair">
                    {move.from.name}
                    <Icon name="moved" />
                    {move.to.name}
                  </span>
                </td>
                <td class="number">
                  <Badge tone={move.change === 'disappears' ? 'refused' : 'seen'}>
                    {move.change === 'disappears' ? t.goes : t.comes}
                  </Badge>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
        {(count < moves.length || leftOut > 0) && (
          <p class="pager">
            {count < moves.length ? (
              <button type="button" class="small secondary" onClick={() => setCount(moves.length)}>
                {t.moreMoves(moves.length - count)}
              </button>
            ) : (
              t.leftOut(leftOut)
            )}
          </p>
        )}
      </div>
    </section>
  );
}

function around(at: string) {
  const middle = Date.parse(at);
  return {
    from: new Date(middle - AROUND).toISOString(),
    to: new Date(middle + AROUND).toISOString(),
  };
}
