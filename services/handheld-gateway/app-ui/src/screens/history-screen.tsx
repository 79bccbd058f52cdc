import { useApp } from '../app.ts';
import { RefusedCard } from '../parts/refused-card.tsx';
import { ScanRow } from '../parts/scan-row.tsx';
import { counted, dayOf } from '../parts/titles.ts';
import type { ShownScan } from '../queue/queue.ts';

/** What was scanned lately, and what the gateway would not take. */
export function HistoryScreen() {
  const { queue, sender } = useApp();
  const refused = queue.refused.value;
  const trouble = sender.trouble.value;
  return (
    <div class="stack">
      <h1>History</h1>
      {trouble !== null && queue.waiting.value > 0 && (
        <section class="advice" aria-label="Not sent">
          <h2>{counted(queue.waiting.value, 'scan')} not sent yet</h2>
          <p>{trouble} Nothing is lost, and it is tried again and again.</p>
        </section>
      )}
      {refused.map((submission) => (
        <RefusedCard key={submission.submission_id} refused={submission} />
      ))}
      {queue.recent.value.length === 0 && (
        <p class="hint">What you scan is listed here, with what became of it.</p>
      )}
      {byDay(queue.recent.value).map(([day, scans]) => (
        <section key={day}>
          <h2>{day}</h2>
          <ul class="rows">
            {scans.map((shown) => (
              <ScanRow key={shown.scan.seq} shown={shown} />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

function byDay(scans: readonly ShownScan[]): [day: string, scans: ShownScan[]][] {
  const days = new Map<string, ShownScan[]>();
  for (const shown of scans) {
    const day = dayOf(shown.scan.observed_at);
    days.set(day, [...(days.get(day) ?? []), shown]);
  }
  return [...days];
}
