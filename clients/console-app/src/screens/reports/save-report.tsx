import { Icon } from '../../../../ui/parts/icon.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { Progress } from '../../parts/progress.tsx';
import { texts } from '../../texts/texts.ts';
import type { Report } from './use-report.ts';
import { useSaving } from './use-saving.ts';

/** Saves all of a report, whatever the page shows. */
export function SaveReport({
  name,
  report,
}: {
  name: 'positions' | 'stays' | 'dwell';
  report: Report<unknown>;
}) {
  const t = texts.value.reports;
  const { bytes, problem, save, stop } = useSaving();
  return (
    <div class="report-save">
      {bytes !== null && (
        <>
          <Progress label={t.saving(bytes)} />
          <button type="button" class="secondary" onClick={stop}>
            {t.stop}
          </button>
        </>
      )}
      {bytes === null &&
        (['csv', 'parquet'] as const).map((format) => (
          <button
            key={format}
            type="button"
            class="secondary"
            disabled={!report.total}
            aria-label={t.saveAs(t.formats[format])}
            onClick={() => save(`${name}.${format}`, `/exports/${name}`, { ...report.query, format })}
          >
            <Icon name="download" /> {t.formats[format]}
          </button>
        ))}
      {problem !== null && <ProblemNote problem={problem} />}
    </div>
  );
}
