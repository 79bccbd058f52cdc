export interface Bar {
  key: string | number;
  word: string;
  value: number;
  /** The value in words. */
  text: string;
}

/** Values as bars. The table has the same in words. */
export function Bars({ bars }: { bars: readonly Bar[] }) {
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

/** Values day by day, side by side. */
export function Columns({ bars }: { bars: readonly Bar[] }) {
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
