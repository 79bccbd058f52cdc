import { useRead } from '../../api/use-read.ts';
import { Instant } from '../../parts/instant.tsx';
import { texts } from '../../texts/texts.ts';

interface Sweep {
  id: string;
  ended_at: string;
  handheld: string;
  expected: number;
  found: number;
  moved_here: number;
  missing: number;
  unknown: number;
}

/** What people found when they checked this place; nothing where they never did. */
export function SweepList({ id }: { id: number }) {
  const t = texts.value.place;
  const { answer } = useRead<{ data: readonly Sweep[] }>(`/locations/${id}/sweeps`);
  if (answer === undefined || answer.data.length === 0) {
    return null;
  }
  return (
    <section class="card" aria-labelledby="sweeps">
      <h2 id="sweeps">{t.sweeps}</h2>
      <ul class="facts">
        {answer.data.map((sweep) => (
          <li key={sweep.id}>
            <span>
              <Instant at={sweep.ended_at} /> <span class="faint">{sweep.handheld}</span>
            </span>
            <span class="hint">
              {t.sweep(sweep.found, sweep.expected, sweep.missing, sweep.moved_here, sweep.unknown)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
