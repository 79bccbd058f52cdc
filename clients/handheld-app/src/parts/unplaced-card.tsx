import { useApp } from '../app/app-context.ts';
import { counted } from './titles.ts';

/** Asks whether scans made before any place was chosen were made here. */
export function UnplacedCard() {
  const app = useApp();
  const { place } = app.walking.now.value;
  const count = app.unplaced.value;
  if (place === null || count === 0) {
    return null;
  }
  return (
    <section class="advice unplaced" aria-label="Scans without a place">
      <p>
        {counted(count, 'scan')} {count === 1 ? 'has' : 'have'} no place yet.
      </p>
      <div class="pair">
        <button type="button" class="primary" onClick={() => void app.placeEarlier(place)}>
          Put {count === 1 ? 'it' : 'them'} at {place.name}
        </button>
        <button type="button" class="secondary" onClick={() => void app.walking.forgetUnplaced()}>
          Leave {count === 1 ? 'it' : 'them'}
        </button>
      </div>
    </section>
  );
}
