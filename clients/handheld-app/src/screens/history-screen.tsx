import { useApp } from '../app/app-context.ts';
import { BrokenRow } from '../parts/broken-row.tsx';
import { RefusedCard } from '../parts/refused-card.tsx';
import { RefusedSweepCard } from '../parts/refused-sweep-card.tsx';
import { ScanRow } from '../parts/scan-row.tsx';
import { dayOf } from '../parts/titles.ts';
import { waitingIn } from '../parts/waiting-in.ts';
import { type Fold, folded } from '../queue/folded.ts';
import type { BrokenScan } from '../scanning/kept-broken-scans.ts';
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

/** Of scans that are folded, the latest. */
function timeOfEntry(entry: Entry): string {
  return 'shown' in entry ? (entry.scans[0] ?? entry.shown).scan.observed_at : entry.at;
}
