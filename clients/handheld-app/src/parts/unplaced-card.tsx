import { useApp } from '../app/app-context.ts';
import { texts } from '../texts/texts.ts';

/** Asks whether scans made before any place was chosen were made here. */
export function UnplacedCard() {
  const app = useApp();
  const said = texts.value.scan;
  const { place } = app.walking.now.value;
  const count = app.unplaced.value;
  if (place === null || count === 0) {
    return null;
  }
  return (
    <section class="advice unplaced" aria-label={said.unplacedTitle}>
      <p>{said.unplaced(count)}</p>
      <div class="pair">
        <button type="button" class="primary" onClick={() => void app.placeEarlier(place)}>
          {said.putAt(count, place.name)}
        </button>
        <button type="button" class="secondary" onClick={() => void app.walking.forgetUnplaced()}>
          {said.leave(count)}
        </button>
      </div>
    </section>
  );
}
