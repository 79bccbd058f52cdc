import type { Spans } from '../../api/reader.ts';
import { useRead } from '../../api/use-read.ts';
import { instantText } from '../../parts/instant.tsx';
import { ticksOf } from '../../parts/timeline/ticks.ts';
import { texts } from '../../texts/texts.ts';
import { useRepeat } from './use-repeat.ts';

/** Percent of the width: beyond it a day has no room to the right of its line. */
const LAST = 86;

/** When it was heard in the last week, and when it was disconnected; its share is of the time that it is registered. */
export function SpansPicture({ id, createdAt }: { id: number; createdAt: string }) {
  const t = texts.value.readers;
  const { answer, reload } = useRead<{ data: Spans }>(`/readers/${id}/spans`, { days: 7 });
  useRepeat(reload, 60_000);
  if (answer === undefined) {
    return null;
  }
  const { from, to, spans } = answer.data;
  const range = { from: Date.parse(from), to: Date.parse(to) };
  const share = (at: number) => (100 * (Math.max(at, range.from) - range.from)) / (range.to - range.from);
  const began = Math.max(range.from, Math.min(Date.parse(createdAt), range.to - 1));
  const up = spans.filter(({ state }) => state === 'up');
  const heardMs = up.reduce(
    (sum, span) => sum + Date.parse(span.to ?? to) - Math.max(Date.parse(span.from), began),
    0,
  );
  const away = spans.filter(({ state }) => state === 'disconnected').length;
  return (
    <section class="card week" aria-label={t.week}>
      <h2>{t.week}</h2>
      <p class="hint">{t.weekInWords(Math.max(0, heardMs) / (range.to - began), away, began > range.from)}</p>
      <div class="week-plot" aria-hidden="true">
        {spans.map((span) => {
          const left = share(Date.parse(span.from));
          const end = share(Date.parse(span.to ?? to));
          return (
            <span
              key={`${span.state} ${span.from}`}
              class={`week-span week-${span.state}`}
              title={t.span(span.state, instantText(span.from), instantText(span.to ?? to), span.messages)}
              style={{ left: `${left}%`, width: `${Math.max(0.15, end - left)}%` }}
            />
          );
        })}
      </div>
      <div class="week-axis" aria-hidden="true">
        {ticksOf(range, 7).map(({ at, text }) => (
          <span key={at} class={share(at) > LAST ? 'is-last' : ''} style={{ left: `${share(at)}%` }}>
            {text}
          </span>
        ))}
      </div>
    </section>
  );
}
