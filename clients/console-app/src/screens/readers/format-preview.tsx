import { texts } from '../../texts/texts.ts';

export interface Tried {
  faults: readonly { pointer: string; message: string; line: number | null; column: number | null }[];
  run: {
    scans: readonly {
      tag_type: string;
      value: string;
      antenna: number;
      rssi: number | null;
      observed_at: string | null;
    }[];
    ignored: readonly { reason: string }[];
    rejected: readonly { item: number | null; reason: string }[];
  } | null;
}

/** Of many reads. */
const SHOWN = 20;

/** What a format makes of the message, or what is wrong with the format and where. */
export function FormatPreview({ tried }: { tried: Tried | undefined }) {
  const t = texts.value.readers;
  if (tried === undefined) {
    return <p class="hint">{t.previewHint}</p>;
  }
  const { faults, run } = tried;
  return (
    <div class="preview" role="status">
      {faults.map(({ pointer, message, line }) => (
        <p class="note note-refused" key={`${pointer} ${message}`}>
          <span>
            {line !== null && <strong>{t.line(line)} </strong>}
            {pointer !== '' && <span class="mono">{pointer} </span>}
            {message}
          </span>
        </p>
      ))}
      {run !== null && (
        <>
          <p>{t.wouldRead(run.scans.length, run.rejected.length, run.ignored.length)}</p>
          <ul class="lines">
            {run.scans.slice(0, SHOWN).map((scan, index) => (
              <li key={index}>
                <span class="mono">{scan.value}</span>
                <span class="hint">
                  {t.antenna(scan.antenna)}
                  {scan.rssi !== null && ` · ${t.dbm(scan.rssi)}`} · {scan.observed_at ?? t.atReceipt}
                </span>
              </li>
            ))}
          </ul>
          {[...run.rejected, ...run.ignored].slice(0, SHOWN).map(({ reason }, index) => (
            <p class="hint" key={index}>
              {reason}
            </p>
          ))}
        </>
      )}
    </div>
  );
}
