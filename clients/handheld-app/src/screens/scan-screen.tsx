import { useApp } from '../app/app-context.ts';
import { PlaceBar } from '../parts/place-bar.tsx';
import { ScanActions } from '../parts/scan-actions.tsx';
import { ScanRow } from '../parts/scan-row.tsx';
import { TagTypeChoice } from '../parts/tag-type-choice.tsx';
import { UnplacedCard } from '../parts/unplaced-card.tsx';
import { VerdictCard } from '../parts/verdict-card.tsx';

const EARLIER = 12;

export function ScanScreen() {
  const { queue, notice } = useApp();
  const [latest, ...earlier] = queue.recent.value;
  const below = notice.value === null ? earlier : queue.recent.value;
  return (
    <div class="scan">
      <h1 class="unseen">Scan</h1>
      <PlaceBar />
      <UnplacedCard />
      <VerdictCard shown={latest} notice={notice.value} />
      <ul class="rows rows-earlier" aria-label="Scanned before">
        {below.slice(0, EARLIER).map((shown) => (
          <ScanRow key={shown.scan.seq} shown={shown} />
        ))}
      </ul>
      <div class="thumb">
        <TagTypeChoice />
        <ScanActions />
      </div>
    </div>
  );
}
