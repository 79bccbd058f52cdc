import { useState } from 'preact/hooks';
import { Icon } from '../../../../ui/parts/icon.tsx';
import type { Place, TreeModel } from '../../live/tree-model.ts';
import { followPointer } from '../../parts/follow-pointer.ts';
import { texts } from '../../texts/texts.ts';
import type { Shapes } from './shapes.ts';

/** More are found by typing. */
const MOST = 100;

/** Places that are not on the plan: each is dragged onto it, or put into its middle by a click or Enter. */
export function UnplacedList({
  model,
  shapes,
  onDrop,
  onPut,
}: {
  model: TreeModel;
  shapes: Shapes;
  onDrop: (place: Place, x: number, y: number) => void;
  onPut: (place: Place) => void;
}) {
  const t = texts.value.plan;
  const [text, setText] = useState('');
  const [ghost, setGhost] = useState<{ name: string; x: number; y: number } | null>(null);
  const left = model.search(text.trim()).filter(({ id }) => !shapes.has(id));
  const drag = (event: PointerEvent, place: Place) =>
    followPointer(event, {
      onMove: (_dx, _dy, { clientX, clientY }) => setGhost({ name: place.name, x: clientX, y: clientY }),
      onDrop: ({ clientX, clientY }) => onDrop(place, clientX, clientY),
      onEnd: () => setGhost(null),
    });
  return (
    <section class="unplaced" aria-label={t.unplaced}>
      <h2>{t.unplaced}</h2>
      <p class="hint">{left.length === 0 && text === '' ? t.allPlaced : t.unplacedHint}</p>
      <div class="field">
        <input
          type="search"
          aria-label={texts.value.now.search}
          placeholder={texts.value.now.search}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </div>
      <ul>
        {left.slice(0, MOST).map((place) => (
          <li key={place.id}>
            <button
              type="button"
              data-place={place.id}
              onClick={(event) => event.defaultPrevented || onPut(place)}
              onPointerDown={(event) => event.pointerType !== 'touch' && drag(event, place)}
            >
              <span
                class="unplaced-grip"
                aria-hidden="true"
                onPointerDown={(event) => event.pointerType === 'touch' && drag(event, place)}
              >
                <Icon name="place" />
              </span>
              <span class="title">{place.name}</span>
              <span class="hint">{place.parent?.name ?? place.key}</span>
            </button>
          </li>
        ))}
      </ul>
      {left.length > MOST && <p class="hint">{t.andMore(left.length - MOST)}</p>}
      {ghost !== null && (
        <span class="pin pin-ghost" style={{ left: `${ghost.x}px`, top: `${ghost.y}px` }} aria-hidden="true">
          <span class="pin-name">{ghost.name}</span>
        </span>
      )}
    </section>
  );
}
