import type { ApiError } from '../../api/api-error.ts';
import type { Trial, TriedFormat } from '../../api/inbox.ts';
import { useRead } from '../../api/use-read.ts';
import { Select } from '../../parts/field.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { texts } from '../../texts/texts.ts';

const SHOWN = 10;

/** What a format would make of the message; the others are a choice away. */
export function FormatTrial({
  path,
  formats,
  problem,
  format,
  readerFormat,
  onFormat,
}: {
  path: string;
  formats: readonly TriedFormat[];
  problem: ApiError | null;
  format: string | null;
  readerFormat: string | null;
  onFormat: (format: string) => void;
}) {
  const t = texts.value.inbox;
  const trial = useRead<{ data: Trial }>(
    format === null ? null : `${path}/formats/${encodeURIComponent(format)}`,
  );
  if (problem !== null) {
    return <ProblemNote problem={problem} />;
  }
  if (format === null) {
    return <p class="loading">{texts.value.shell.loading}</p>;
  }
  const found = trial.answer?.data.format === format ? trial.answer.data : undefined;
  return (
    <section class="stack">
      <Select
        label={t.tryFormat}
        options={formats.map((each) => ({
          value: each.format,
          word: `${each.format} · ${t.reads(each.scans)}${each.format === readerFormat ? ` · ${t.ofReader}` : ''}`,
        }))}
        value={format}
        onValue={onFormat}
      />
      <div aria-live="polite">{found !== undefined && <Outcome trial={found} />}</div>
      {found !== undefined && found.scans > 0 && readerFormat !== null && format !== readerFormat && (
        <p class="hint">{t.setFormatHint(format)}</p>
      )}
    </section>
  );
}

function Outcome({ trial: { reads, scans, rejected, ignored, reason } }: { trial: Trial }) {
  const t = texts.value.inbox;
  return (
    <>
      <p>
        <strong>{t.would(scans, rejected, ignored)}</strong>
      </p>
      {reason !== null && <p class="hint">{reason}</p>}
      {reads.length > 0 && (
        <ul class="trial-reads">
          {reads.slice(0, SHOWN).map((read, index) => (
            <li key={index}>
              <span class="mono">{read.value}</span>
              <span class="faint">
                {t.port(read.antenna_port)}
                {read.rssi !== null && ` · ${t.dbm(read.rssi)}`}
              </span>
            </li>
          ))}
          {scans > SHOWN && <li class="faint">{t.moreReads(scans - SHOWN)}</li>}
        </ul>
      )}
    </>
  );
}
