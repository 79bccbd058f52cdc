import { useEffect, useState } from 'preact/hooks';
import { useRead } from '../../api/use-read.ts';
import type { MoveEvent } from '../../live/move-event.ts';
import type { TreeModel } from '../../live/tree-model.ts';
import { useMoves } from '../../live/use-moves.ts';
import { MoveLine } from '../../parts/move-line.tsx';
import { texts } from '../../texts/texts.ts';

/** What a screen shows; older ones are on the places' and assets' own screens. */
const MOST = 40;

/** Moves as they are committed, the latest first, after those that were before. */
export function LatestMoves({ model }: { model: TreeModel }) {
  const t = texts.value.now;
  const { answer } = useRead<{ data: readonly MoveEvent[] }>('/latest-moves');
  const [moves, setMoves] = useState<readonly MoveEvent[]>([]);
  const add = (more: readonly MoveEvent[]) =>
    setMoves((before) => {
      const known = new Set(before.map(({ data }) => data.position));
      return [...before, ...more.filter(({ data }) => isMove(data) && !known.has(data.position))]
        .toSorted((a, b) => b.data.position - a.data.position)
        .slice(0, MOST);
    });
  useMoves(add);
  useEffect(() => add(answer?.data ?? []), [answer]);
  const newest = answer?.data.at(-1)?.data.position ?? Number.POSITIVE_INFINITY;
  return (
    <section class="card now-moves" aria-labelledby="now-moves">
      <h2 id="now-moves">{t.moves}</h2>
      {moves.length === 0 ? (
        <p class="hint">{answer === undefined ? '' : t.noMoves}</p>
      ) : (
        <ul class="move-list">
          {moves.map(({ time, data }) => (
            <MoveLine
              key={data.position}
              at={data.current.since ?? time}
              asset={data.asset}
              from={model.place(data.previous_location_id)}
              to={model.place(data.current.location_id)}
              isNew={data.position > newest}
            />
          ))}
        </ul>
      )}
    </section>
  );
}

function isMove({ current, previous_location_id, part }: MoveEvent['data']): boolean {
  return current.location_id !== previous_location_id && (part === undefined || part[0] === 1);
}
