import { useApp } from '../app/app-context.ts';
import { BrokenRow } from '../parts/broken-row.tsx';
import { RefusedCard } from '../parts/refused-card.tsx';
import { ScanRow } from '../parts/scan-row.tsx';
import { counted, dayOf } from '../parts/titles.ts';
import type { ShownScan } from '../queue/queue.ts';
import type { BrokenScan } from '../scanning/kept-broken-scans.ts';

export function HistoryScreen() {
  const { queue, sender, broken } = useApp();
  const refused = queue.refused.value;
  const trouble = sender.trouble.value;
  const days = byDay(merged(queue.recent.value, broken.recent.value));
  return (
    <div class="stack">
      <h1>History</h1>
      {trouble !== null && queue.waiting.value > 0 && (
        <section class="advice" aria-label="Not sent">
          <h2>{counted(queue.waiting.value, 'scan')} not sent yet</h2>
          <p>
            {/[.!?]$/.test(trouble) ? trouble : `${trouble}.`} Nothing is lost, and it is tried again and
            again.
          </p>
        </section>
      )}
      {refused.map((submission) => (
        <RefusedCard key={submission.submission_id} refused={submission} />
      ))}
      {days.length === 0 && <p class="hint">What you scan is listed here, with what became of it.</p>}
      {days.map(([day, entries]) => (
        <section key={day}>
          <h2>{day}</h2>
          <ul class="rows">
            {entries.map((entry) =>
              'scan' in entry ? (
                <ScanRow key={entry.scan.seq} shown={entry} />
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

type Entry = ShownScan | BrokenScan;

/** Scans keep their order, whatever the device's clock did; broken ones are sorted in by time. */
function merged(scans: readonly ShownScan[], broken: readonly BrokenScan[]): Entry[] {
  const waiting = [...broken];
  return [
    ...scans.flatMap((shown) => {
      const older = waiting.findIndex(({ at }) => at <= shown.scan.observed_at);
      return [...waiting.splice(0, older < 0 ? waiting.length : older), shown];
    }),
    ...waiting,
  ];
}

function byDay(entries: readonly Entry[]): [day: string, entries: Entry[]][] {
  const days = new Map<string, Entry[]>();
  for (const entry of entries) {
    const day = dayOf('scan' in entry ? entry.scan.observed_at : entry.at);
    days.set(day, [...(days.get(day) ?? []), entry]);
  }
  return [...days];
}
