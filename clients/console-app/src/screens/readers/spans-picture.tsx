import type { Reader, Spans } from '../../api/reader.ts';
import { useRead } from '../../api/use-read.ts';
import { useRepeat } from '../../api/use-repeat.ts';
import { durationText } from '../../parts/duration.ts';
import { instantText } from '../../parts/instant.tsx';
import { ticksOf } from '../../parts/timeline/ticks.ts';
import { texts } from '../../texts/texts.ts';

/** Percent of the width: beyond it a day has no room to the right of its line. */
const LAST = 86;

/** Percent of the width below which a span is not seen. */
const LEAST = 0.4;

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** When it was heard in the last week, or since it was registered, and when it was silent or disconnected. */
export function SpansPicture({
  reader: { id, created_at: createdAt, expect_seconds: set, expected_seconds: expected },
}: {
  reader: Reader;
}) {
  const t = texts.value.readers;
  const made = Date.parse(createdAt);
  // The fewer, the finer is what can be told apart.
  const days = Math.min(7, Math.max(1, Math.ceil((Date.now() - made) / DAY)));
  const { answer, reload } = useRead<{ data: Spans }>(`/readers/${id}/spans`, { days });
  useRepeat(reload, days === 1 ? MINUTE / 6 : MINUTE);
  if (answer === undefined) {
    return null;
  }
  const { from, to, spans } = answer.data;
  const earliest = Date.parse(from);
  const end = Date.parse(to);
  const began = Math.max(earliest, Math.min(made, end - 1));
  // What it read before it was registered may have come later.
  const registered = Math.min(made, end - 10 * MINUTE);
  const first = Math.min(registered, ...spans.map((span) => Date.parse(span.from)));
  const range = { from: Math.max(earliest, first), to: end };
  const share = (at: number) => (100 * (Math.max(at, range.from) - range.from)) / (range.to - range.from);
  const up = spans.filter(({ state, learned_at }) => state === 'up' && learned_at === null);
  const heardMs = up.reduce(
    (sum, span) => sum + Date.parse(span.to ?? to) - Math.max(Date.parse(span.from), began),
    0,
  );
  const away = spans.filter(({ state }) => state === 'disconnected').length;
  const title = days === 7 && first < earliest ? t.week : first < registered ? t.sinceRead : t.sinceMade;
  return (
    <section class="card week" aria-label={title}>
      <h2>{title}</h2>
      <p class="hint">{t.weekInWords(Math.max(0, heardMs) / (end - began), away, first < registered)}</p>
      <p class="hint">
        {expected === null ? t.expectedNot : t.expectedIs(durationText(expected * 1_000), set !== null)}
      </p>
      <div class="week-plot" aria-hidden="true">
        {spans.map((span) => {
          const kind = span.learned_at === null ? span.state : 'late';
          const left = share(Date.parse(span.from));
          const width = Math.max(LEAST, share(Date.parse(span.to ?? to)) - left);
          return (
            <span
              key={`${kind} ${span.from}`}
              class={`week-span week-${kind}`}
              title={t.span(kind, instantText(span.from), instantText(span.to ?? to), span.messages)}
              style={{ left: `${Math.min(left, 100 - width)}%`, width: `${width}%` }}
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
