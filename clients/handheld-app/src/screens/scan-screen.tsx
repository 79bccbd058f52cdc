import { useApp } from '../app/app-context.ts';
import { PlaceBar } from '../parts/place-bar.tsx';
import { ScanActions } from '../parts/scan-actions.tsx';
import { ScanRow, UndoButton } from '../parts/scan-row.tsx';
import { TagTypeChoice } from '../parts/tag-type-choice.tsx';
import { VerdictCard } from '../parts/verdict-card.tsx';
import { folded } from '../queue/folded.ts';
import { texts } from '../texts/texts.ts';

const EARLIER = 12;

export function ScanScreen() {
  const { queue, notice } = useApp();
  const folds = folded(queue.recent.value);
  const [latest] = folds;
  const below = notice.value === null ? folds.slice(1) : folds;
  return (
    <div class="scan">
      <h1 class="unseen">{texts.value.frame.scan}</h1>
      <PlaceBar />
      <UnplacedCard />
      <VerdictCard shown={queue.recent.value[0]} notice={notice.value}>
        {latest !== undefined && <UndoButton fold={latest} isPlain />}
      </VerdictCard>
      <ul class="rows rows-earlier" aria-label={texts.value.scan.before}>
        {below.slice(0, EARLIER).map((fold) => (
          <ScanRow key={fold.scans.at(-1)?.scan.seq} fold={fold} />
        ))}
      </ul>
      <div class="thumb">
        <TagTypeChoice />
        <ScanActions />
      </div>
    </div>
  );
}

/** Asks whether scans made before any place was chosen were made here. */
function UnplacedCard() {
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
