import { useLayoutEffect, useRef } from 'preact/hooks';
import { Choice } from '../../../ui/parts/choice.tsx';
import { Icon, type IconName } from '../../../ui/parts/icon.tsx';
import { useApp } from '../app/app-context.ts';
import { PlaceBar } from '../parts/place-bar.tsx';
import { ScanActions } from '../parts/scan-actions.tsx';
import { HEAPS, isShown, Shelf } from '../parts/shelf.tsx';
import { momentOf, timeOf } from '../parts/titles.ts';
import { VerdictStrip } from '../parts/verdict-strip.tsx';
import type { SweepOutcome } from '../sweep/outcome.ts';
import type { Sweep } from '../sweep/sweep.ts';
import { texts } from '../texts/texts.ts';

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
  const said = texts.value.sweep;
  const { sweeping } = app;
  const { place } = app.walking.now.value;
  const { sweep } = app.settings.now.value;
  return (
    <div class="sweep">
      <h1>{said.title}</h1>
      <PlaceBar />
      <ul class="rows" aria-label={said.tells}>
        {HEAPS.filter(
          ({ kind }) => kind === 'toCheck' || isShown(kind, sweeping.outcome.value, sweep === 'check'),
        ).map(({ kind, tone, icon }) => (
          <li class="row" key={kind}>
            <span class={`dot tone-${tone}`}>
              <Icon name={icon} />
            </span>
            <span class="row-text">
              <span class="row-title">{texts.value.heaps[kind].word}</span>
              <span class="row-sub row-sub-long">{texts.value.heaps[kind].means}</span>
            </span>
          </li>
        ))}
      </ul>
      <div class="thumb">
        <Choice
          label={said.finds}
          options={[
            { value: 'move', word: said.moveHere },
            { value: 'check', word: said.onlyCheck },
          ]}
          value={sweep}
          onChoose={(way) => void app.settings.change({ sweep: way })}
        />
        <button
          type="button"
          class="primary"
          disabled={place === null}
          onClick={() => place !== null && void app.sweeps.start(place)}
        >
          {place === null ? said.choosePlaceFirst : said.begin(place.name)}
        </button>
      </div>
    </div>
  );
}

function UnderWay({ sweep }: { sweep: Sweep }) {
  const app = useApp();
  const said = texts.value.sweep;
  const { found } = app.sweeping.outcome.value;
  const top = useRef<HTMLDivElement>(null);
  // People who scrolled to the button that began it see the scans.
  useLayoutEffect(() => top.current?.scrollIntoView(), []);
  const last = app.queue.recent.value.find(({ scan }) => scan.sweep === sweep.id);
  return (
    <div class="sweep" ref={top}>
      <h1 class="unseen">{said.of(sweep.place.name)}</h1>
      <div class="sweep-head">
        <Ring part={found.length} whole={app.sweeping.expectedCount.value} />
        <div>
          <p class="sweep-label">{sweep.isCheck ? said.onlyChecking : said.sweeping}</p>
          <p class="sweep-place">{sweep.place.name}</p>
          <ListAge sweep={sweep} expected={app.sweeping.expectedCount.value} />
        </div>
      </div>
      <VerdictStrip shown={last} notice={app.notice.value} />
      <Shelf isOver={false} />
      <div class="thumb">
        <ScanActions />
        <button type="button" class="primary" onClick={() => void app.sweeps.finish()}>
          {said.finish}
        </button>
      </div>
    </div>
  );
}

function Finished({ sweep }: { sweep: Sweep }) {
  const app = useApp();
  const said = texts.value.sweep;
  const outcome = app.sweeping.outcome.value;
  const { tone, icon, title, says } = verdictOfSweep(sweep, app.sweeping.expectedCount.value, outcome);
  return (
    <div class="sweep">
      <h1>{sweep.place.name}</h1>
      <div class={`tag tone-${tone}`} role="status">
        <p class="tag-word">
          <Icon name={icon} />
          {said.finished}
        </p>
        <p class="tag-title">{title}</p>
        <p class="tag-says">
          {said.fromTo(timeOf(sweep.started_at), sweep.finished_at === null ? '' : timeOf(sweep.finished_at))}
          {says !== null && `. ${says}`}
        </p>
      </div>
      <Shelf isOver />
      <div class="thumb pair">
        <button type="button" class="secondary" onClick={() => void app.sweeps.resume()}>
          {said.goOn}
        </button>
        <button type="button" class="primary" onClick={() => void app.sweeps.end()}>
          {said.done}
        </button>
      </div>
    </div>
  );
}

/** Age of the list that the sweep is compared with: without a network it may be yesterday's, or missing. */
function ListAge({ sweep, expected }: { sweep: Sweep; expected: number | null }) {
  const note = noteOfList(sweep);
  if (expected === null || sweep.fetched_at === null) {
    return <p class="hint">{note ?? texts.value.sweep.shouldBeNotKnown}</p>;
  }
  return (
    <p class="hint">
      {texts.value.sweep.expected(texts.value.counts.assets(expected), momentOf(sweep.fetched_at))}
      {note !== null && `. ${note}`}
    </p>
  );
}

/** Share of the expected assets that were found. */
function Ring({ part, whole }: { part: number; whole: number | null }) {
  const around = 2 * Math.PI * 42;
  const share = whole === null || whole === 0 ? 0 : part / whole;
  return (
    <svg class="ring" viewBox="0 0 100 100" role="img" aria-label={texts.value.sweep.ring(part, whole)}>
      <circle class="ring-whole" cx="50" cy="50" r="42" />
      <circle class="ring-part" cx="50" cy="50" r="42" stroke-dasharray={`${around * share} ${around}`} />
      <text x="50" y="53" class="ring-count">
        {part}
      </text>
      <text x="50" y="71" class="ring-of">
        {texts.value.sweep.of_(whole)}
      </text>
    </svg>
  );
}

/** The result of a finished sweep in words. It names unknowns, and then nothing counts as fine. */
interface SweepVerdict {
  tone: 'moved' | 'queued' | 'problem';
  icon: IconName;
  title: string;
  /** About the list it is compared with; null if there is nothing to say. */
  says: string | null;
}

/** @param expected number of assets that should be there; null if unknown. */
function verdictOfSweep(sweep: Sweep, expected: number | null, outcome: SweepOutcome): SweepVerdict {
  const { missing, toCheck } = outcome;
  const check = toCheck.length === 0 ? '' : texts.value.outcome.toCheck(toCheck.length);
  const title = presence(sweep.list, expected, outcome) + check;
  const says = noteOfList(sweep);
  if (expected === null || sweep.list === 'gone' || missing.length > 0 || toCheck.length > 0) {
    return { tone: 'problem', icon: 'problem', title, says };
  }
  return sweep.list === 'earlier' || sweep.list === 'awaited'
    ? { tone: 'queued', icon: 'queued', title, says }
    : { tone: 'moved', icon: 'check', title, says };
}

function presence(list: Sweep['list'], expected: number | null, { found, missing }: SweepOutcome): string {
  const said = texts.value.outcome;
  if (list === 'gone') {
    return said.gone;
  }
  if (expected === null) {
    return said.notKnown;
  }
  if (missing.length > 0) {
    return said.missing(missing.length, expected);
  }
  if (expected === 0) {
    return said.nothingExpected;
  }
  return found.length === expected ? said.allHere(expected) : said.someHere(found.length, expected);
}

/** A note on the age of the list; null if it was fetched at the start of the sweep. */
function noteOfList({ expected, fetched_at, list }: Sweep): string | null {
  const said = texts.value.outcome;
  switch (list) {
    case 'asked':
    case 'during':
      return null;
    case 'awaited':
      return fetched_at === null ? said.asked : said.askedWithList(momentOf(fetched_at));
    case 'gone':
      return said.deleted;
    case 'later':
      return said.later(momentOf(fetched_at ?? ''));
    default:
      break;
  }
  if (expected === null || fetched_at === null) {
    return said.noList;
  }
  return list === 'earlier' ? said.earlier(momentOf(fetched_at)) : null;
}
