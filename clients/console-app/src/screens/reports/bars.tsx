interface Bar {
  key: string | number;
  word: string;
  value: number;
  /** The value in words. */
  text: string;
}

/** Bars of the first rows of a report. */
const MOST_BARS = 12;

/** A report's rows as a picture: days side by side, of anything else the first rows. The table has the same in words. */
export function Picture({ title, bars, isByDay }: { title: string; bars: readonly Bar[]; isByDay: boolean }) {
  return bars.length === 0 ? null : (
    <section class="card" aria-label={title}>
      <h2>{title}</h2>
      {isByDay ? <Columns bars={bars} /> : <Bars bars={bars.slice(0, MOST_BARS)} />}
    </section>
  );
}

function Bars({ bars }: { bars: readonly Bar[] }) {
  const most = Math.max(1, ...bars.map(({ value }) => value));
  return (
    <ul class="report-bars" aria-hidden="true">
      {bars.map(({ key, word, value, text }) => (
        <li key={key}>
          <span class="report-bar-word">{word}</span>
          <span class="dwell-bar">
            <span style={{ width: `${(100 * value) / most}%` }} />
          </span>
          <span class="dwell-count">{text}</span>
        </li>
      ))}
    </ul>
  );
}

/** Values day by day. */
function Columns({ bars }: { bars: readonly Bar[] }) {
  const most = Math.max(1, ...bars.map(({ value }) => value));
  const step = Math.max(1, Math.ceil(bars.length / 6));
  return (
    <ul class="report-columns" aria-hidden="true">
      {bars.map(({ key, word, value, text }, index) => (
        <li key={key} title={`${word}: ${text}`}>
          <span class="report-column">
            <span style={{ height: `${(100 * value) / most}%` }} />
          </span>
          <span class="report-column-word">{index % step === 0 ? word : ''}</span>
        </li>
      ))}
    </ul>
  );
}
