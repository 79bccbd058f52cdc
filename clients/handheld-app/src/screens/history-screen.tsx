import { useState } from 'preact/hooks';
import { Icon } from '../../../ui/parts/icon.tsx';
import { useApp } from '../app/app-context.ts';
import { ScanRow } from '../parts/scan-row.tsx';
import { dayOf, momentOf, timeOf } from '../parts/titles.ts';
import { waitingIn } from '../parts/waiting-in.ts';
import { type Fold, folded } from '../queue/folded.ts';
import { type BrokenScan, heard } from '../scanning/kept-broken-scans.ts';
import type { StoredSubmission } from '../storage/database.ts';
import type { FinishedSweep } from '../sweep/finished-sweeps.ts';
import { texts } from '../texts/texts.ts';

export function HistoryScreen() {
  const { queue, sender, broken } = useApp();
  const said = texts.value.history;
  const refused = queue.refused.value;
  const trouble = sender.trouble.value;
  const days = byDay(merged(folded(queue.recent.value), broken.recent.value));
  return (
    <div class="stack">
      <h1>{said.title}</h1>
      {trouble !== null && queue.waiting.value > 0 && (
        <section class="advice" aria-label={said.notSent}>
          <h2>{said.notSentYet(waitingIn(queue))}</h2>
          <p>
            {/[.!?]$/.test(trouble) ? trouble : `${trouble}.`} {said.triedAgain}
          </p>
        </section>
      )}
      {refused.map((submission) => (
        <RefusedCard key={submission.submission_id} refused={submission} />
      ))}
      {queue.refusedSweeps.value.map((finished) => (
        <RefusedSweepCard key={finished.sweep_id} refused={finished} />
      ))}
      {days.length === 0 && <p class="hint">{said.empty}</p>}
      {days.map(([day, entries]) => (
        <section key={day}>
          <h2>{day}</h2>
          <ul class="rows">
            {entries.map((entry) =>
              'shown' in entry ? (
                <ScanRow key={entry.scans.at(-1)?.scan.seq} fold={entry} />
              ) : (
                <BrokenRow key={`broken ${entry.at}`} broken={entry} />
              ),
            )}
          </ul>
        </section>
      ))}
    </div>
  );
}

type Entry = Fold | BrokenScan;

/** Scans keep their order, whatever the device's clock did; broken ones are sorted in by time. */
function merged(folds: readonly Fold[], broken: readonly BrokenScan[]): Entry[] {
  const waiting = [...broken];
  return [
    ...folds.flatMap((fold) => {
      const older = waiting.findIndex(({ at }) => at <= timeOfEntry(fold));
      return [...waiting.splice(0, older < 0 ? waiting.length : older), fold];
    }),
    ...waiting,
  ];
}

function byDay(entries: readonly Entry[]): [day: string, entries: Entry[]][] {
  const days = new Map<string, Entry[]>();
  for (const entry of entries) {
    const day = dayOf(timeOfEntry(entry));
    days.set(day, [...(days.get(day) ?? []), entry]);
  }
  return [...days];
}

/** The latest of folded scans. */
function timeOfEntry(entry: Entry): string {
  return 'shown' in entry ? (entry.scans[0] ?? entry.shown).scan.observed_at : entry.at;
}

function BrokenRow({ broken }: { broken: BrokenScan }) {
  return (
    <li class="row" data-broken>
      <span class="dot tone-problem">
        <Icon name="problem" />
      </span>
      <span class="row-text">
        <span class="row-title">{heard(broken)}</span>
        <span class="row-sub">
          {texts.value.broken[broken.why].title}
          {texts.value.notTaken.notSent}
        </span>
      </span>
      <time class="row-time" dateTime={broken.at}>
        {timeOf(broken.at)}
      </time>
    </li>
  );
}

/** A submission that the gateway refuses: the reason, and what the user can do. */
function RefusedCard({ refused }: { refused: StoredSubmission }) {
  const app = useApp();
  const said = texts.value.history;
  const [isSure, setSure] = useState(false);
  const { submission, reason } = refused;
  const here = app.walking.now.value.place;
  const { tree } = app.places;
  // Scans at a location that was deleted since can only be sent from another one.
  const isGone = submission.location !== undefined && tree.value.get(submission.location.id) === undefined;
  const instead = isGone ? here : null;
  const first = submission.scans[0];
  return (
    <section class="refused-card" aria-label={said.refusedScans}>
      <h2>
        <Icon name="refused" />
        {said.refused(texts.value.counts.scans(submission.scans.length))}
      </h2>
      <p class="refused-reason">{reason}</p>
      <p class="hint">
        {said.keptHere(first === undefined ? '' : timeOf(first.observed_at))}
        {isGone && said.placeGone}
      </p>
      <div class="pair">
        {isGone && instead === null ? (
          <a class="secondary" href="#place">
            {said.choosePlace}
          </a>
        ) : (
          <button
            type="button"
            class="secondary"
            onClick={() => void app.refused.sendAgain(refused.submission_id, instead)}
          >
            {instead === null ? said.sendAgain : said.sendAgainAt(instead.name)}
          </button>
        )}
        <button
          type="button"
          class="danger"
          onClick={() => (isSure ? void app.refused.discard(refused.submission_id) : setSure(true))}
        >
          {isSure ? said.yesDiscard : said.discard}
        </button>
      </div>
    </section>
  );
}

/** A finished sweep that the gateway refuses: the reason, and what the user can do. */
function RefusedSweepCard({ refused }: { refused: FinishedSweep }) {
  const app = useApp();
  const said = texts.value.history;
  const [isSure, setSure] = useState(false);
  const { sweep_id, sweep, reason } = refused;
  return (
    <section class="refused-card" aria-label={said.refusedSweep}>
      <h2>
        <Icon name="refused" />
        {said.sweepRefused(sweep.place.name)}
      </h2>
      <p class="refused-reason">{reason}</p>
      <p class="hint">{said.sweepKept(momentOf(sweep.started_at))}</p>
      <div class="pair">
        <button type="button" class="secondary" onClick={() => void app.refused.sendSweepAgain(sweep_id)}>
          {said.sendAgain}
        </button>
        <button
          type="button"
          class="danger"
          onClick={() => (isSure ? void app.refused.discardSweep(sweep_id) : setSure(true))}
        >
          {isSure ? said.yesDiscard : said.discard}
        </button>
      </div>
    </section>
  );
}
