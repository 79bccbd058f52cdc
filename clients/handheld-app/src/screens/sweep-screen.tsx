import { useApp } from '../app/app-context.ts';
import { Icon } from '../parts/icon.tsx';
import { PlaceBar } from '../parts/place-bar.tsx';
import { ScanActions } from '../parts/scan-actions.tsx';
import { HEAPS, Shelf } from '../parts/shelf.tsx';
import { counted, momentOf, timeOf } from '../parts/titles.ts';
import { noteOfList, verdictOfSweep } from '../parts/verdict-of-sweep.ts';
import { VerdictStrip } from '../parts/verdict-strip.tsx';
import type { Sweep } from '../sweep/sweep.ts';

/** Checks whether everything that should be at a place is there. */
export function SweepScreen() {
  const { sweeping } = useApp();
  const sweep = sweeping.now.value;
  if (sweep === null) {
    return <Beginning />;
  }
  return sweep.finished_at === null ? <UnderWay sweep={sweep} /> : <Finished sweep={sweep} />;
}

function Beginning() {
  const app = useApp();
  const { place } = app.walking.now.value;
  return (
    <div class="sweep">
      <h1>Sweep</h1>
      <PlaceBar />
      <ul class="rows" aria-label="What a sweep tells">
        {HEAPS.map(({ word, tone, icon, means }) => (
          <li class="row" key={word}>
            <span class={`dot tone-${tone}`}>
              <Icon name={icon} />
            </span>
            <span class="row-text">
              <span class="row-title">{word}</span>
              <span class="row-sub row-sub-long">{means}</span>
            </span>
          </li>
        ))}
      </ul>
      <div class="thumb">
        <button
          type="button"
          class="primary"
          disabled={place === null}
          onClick={() => place !== null && void app.startSweep(place)}
        >
          {place === null ? 'Choose a place first' : `Sweep ${place.name}`}
        </button>
      </div>
    </div>
  );
}

function UnderWay({ sweep }: { sweep: Sweep }) {
  const app = useApp();
  const { found } = app.sweeping.outcome.value;
  const last = app.queue.recent.value.find(({ scan }) => scan.sweep === sweep.id);
  return (
    <div class="sweep">
      <h1 class="unseen">Sweep of {sweep.place.name}</h1>
      <div class="sweep-head">
        <Ring part={found.length} whole={app.sweeping.expectedCount.value} />
        <div>
          <p class="sweep-label">Sweeping</p>
          <p class="sweep-place">{sweep.place.name}</p>
          <ListAge sweep={sweep} expected={app.sweeping.expectedCount.value} />
        </div>
      </div>
      <VerdictStrip shown={last} notice={app.notice.value} />
      <Shelf isOver={false} />
      <div class="thumb">
        <ScanActions />
        <button type="button" class="primary" onClick={() => void app.sweeping.finish()}>
          Finish
        </button>
      </div>
    </div>
  );
}

function Finished({ sweep }: { sweep: Sweep }) {
  const app = useApp();
  const outcome = app.sweeping.outcome.value;
  const { tone, icon, title, says } = verdictOfSweep(sweep, app.sweeping.expectedCount.value, outcome);
  return (
    <div class="sweep">
      <h1>{sweep.place.name}</h1>
      <div class={`tag tone-${tone}`} role="status">
        <p class="tag-word">
          <Icon name={icon} />
          Sweep finished
        </p>
        <p class="tag-title">{title}</p>
        <p class="tag-says">
          {timeOf(sweep.started_at)} to {sweep.finished_at === null ? '' : timeOf(sweep.finished_at)}
          {says !== null && `. ${says}`}
        </p>
      </div>
      <Shelf isOver />
      <div class="thumb pair">
        <button type="button" class="secondary" onClick={() => void app.sweeping.resume()}>
          Go on
        </button>
        <button type="button" class="primary" onClick={() => void app.sweeping.clear()}>
          Done
        </button>
      </div>
    </div>
  );
}

/** Age of the list that the sweep is compared with: without a network it may be yesterday's, or missing. */
function ListAge({ sweep, expected }: { sweep: Sweep; expected: number | null }) {
  const note = noteOfList(sweep);
  if (expected === null || sweep.fetched_at === null) {
    return <p class="hint">{note ?? 'What should be here is not known.'}</p>;
  }
  return (
    <p class="hint">
      {counted(expected, 'asset')} expected, as of {momentOf(sweep.fetched_at)}
      {note !== null && `. ${note}`}
    </p>
  );
}

/** Share of the expected assets that were found. */
function Ring({ part, whole }: { part: number; whole: number | null }) {
  const around = 2 * Math.PI * 42;
  const share = whole === null || whole === 0 ? 0 : part / whole;
  return (
    <svg
      class="ring"
      viewBox="0 0 100 100"
      role="img"
      aria-label={`${part} of ${whole ?? 'nobody knows how many'} found`}
    >
      <circle class="ring-whole" cx="50" cy="50" r="42" />
      <circle class="ring-part" cx="50" cy="50" r="42" stroke-dasharray={`${around * share} ${around}`} />
      <text x="50" y="53" class="ring-count">
        {part}
      </text>
      <text x="50" y="71" class="ring-of">
        of {whole ?? '?'}
      </text>
    </svg>
  );
}
