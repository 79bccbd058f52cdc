import { useState } from 'preact/hooks';
import type { Place } from '../../api/place.ts';
import { useRead } from '../../api/use-read.ts';
import { Field } from '../../parts/field.tsx';
import { texts } from '../../texts/texts.ts';

const MOST = 20;

/** Places to drop an antenna on. By keys a place is chosen at the antenna itself. */
export function PlaceTargets({ isDragging, onDrop }: { isDragging: boolean; onDrop: (key: string) => void }) {
  const t = texts.value.readers;
  const [q, setQ] = useState('');
  const [over, setOver] = useState<number | null>(null);
  const { answer } = useRead<{ data: readonly Place[]; total_count: number }>('/locations', {
    q,
    limit: MOST,
  });
  const places = answer?.data ?? [];
  return (
    <div class={isDragging ? 'card stack targets is-dragging' : 'card stack targets'}>
      <h2>{t.places}</h2>
      <Field label={t.findPlace} value={q} onValue={setQ} />
      <ul class="target-list">
        {places.map(({ id, name, external_key: key }) => (
          <li
            key={id}
            class={over === id ? 'target is-over' : 'target'}
            onDragOver={(event) => {
              event.preventDefault();
              setOver(id);
            }}
            onDragLeave={() => setOver(null)}
            onDrop={(event) => {
              event.preventDefault();
              setOver(null);
              onDrop(key);
            }}
          >
            <span class="title">{name}</span>
            <span class="mono faint">{key}</span>
          </li>
        ))}
      </ul>
      {answer !== undefined && answer.total_count > MOST && (
        <p class="hint">{t.morePlaces(answer.total_count - MOST)}</p>
      )}
      {answer?.total_count === 0 && <p class="hint">{t.noPlaces}</p>}
    </div>
  );
}
