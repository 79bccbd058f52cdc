import { useRead } from '../../api/use-read.ts';
import { durationText } from '../../parts/duration.ts';
import { Instant } from '../../parts/instant.tsx';
import { texts } from '../../texts/texts.ts';

interface Dwell {
  days: number;
  looked_back_to: string | null;
  stays: number;
  median_seconds: number | null;
  bars: readonly { below: number | null; stays: number }[];
}

/** How long things stay here, as bars. */
export function DwellPicture({ id }: { id: number }) {
  const t = texts.value.place;
  const { answer } = useRead<{ data: Dwell }>(`/locations/${id}/dwell`);
  const dwell = answer?.data;
  if (dwell === undefined) {
    return null;
  }
  const most = Math.max(1, ...dwell.bars.map(({ stays }) => stays));
  return (
    <section class="card" aria-labelledby="dwell">
      <h2 id="dwell">{t.dwell}</h2>
      {dwell.stays === 0 || dwell.median_seconds === null ? (
        <p class="hint">{t.noDwell(dwell.days)}</p>
      ) : (
        <>
          <p class="hint">{t.dwellOf(dwell.stays, dwell.days, durationText(dwell.median_seconds * 1_000))}</p>
          <ul class="dwell">
            {dwell.bars.map(({ below, stays }, index) => (
              <li key={below}>
                <span class="dwell-length">
                  {below === null
                    ? t.longer(durationText((dwell.bars[index - 1]?.below ?? 0) * 1_000))
                    : t.shorter(durationText(below * 1_000))}
                </span>
                <span class="dwell-bar" aria-hidden="true">
                  <span style={{ width: `${(100 * stays) / most}%` }} />
                </span>
                <span class="dwell-count">{texts.value.now.count(stays)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      {dwell.looked_back_to !== null && (
        <p class="hint">
          {t.lookedBackTo} <Instant at={dwell.looked_back_to} />
        </p>
      )}
    </section>
  );
}
