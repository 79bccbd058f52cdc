import type { Reader } from '../../api/reader.ts';
import { Instant } from '../../parts/instant.tsx';
import { href } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';
import { perMinute } from './per-minute.ts';

/** What becomes of reads; together they are all reads. */
const OUTCOMES = ['recorded', 'duplicates', 'unknown', 'unplaced', 'rejected'] as const;

/** What became of everything it sent, and the rest that is known of it. */
export function Outcomes({ reader }: { reader: Reader }) {
  const t = texts.value.readers;
  const { counters, clock } = reader;
  return (
    <section class="reader-figures" aria-label={t.outcomes}>
      <dl class="figures">
        <Figure word={t.counters.messages} value={t.number(counters.messages)} />
        <Figure
          word={t.counters.messages_rejected}
          value={t.number(counters.messages_rejected)}
          to={href('inbox', 'rejected', { reader_id: reader.id })}
        />
        <Figure word={t.rate} value={perMinute(reader, t)} />
        <Figure word={t.clock} value={clock === null ? '–' : t.clockOffset(clock.behind_seconds)} />
      </dl>
      <div class="card">
        <h2>{t.readsAre(counters.reads)}</h2>
        <div class="shares" aria-hidden="true">
          {OUTCOMES.filter((outcome) => counters[outcome] > 0).map((outcome) => (
            <span key={outcome} class={`share share-${outcome}`} style={{ flexGrow: counters[outcome] }} />
          ))}
        </div>
        <dl class="outcomes">
          {OUTCOMES.map((outcome) => (
            <div key={outcome} title={t.outcomeHints[outcome]}>
              <dt>
                <span class={`swatch share-${outcome}`} aria-hidden="true" />
                {outcome === 'unknown' ? (
                  <a class="reader-inbox" href={href('inbox', 'tags', { reader_id: reader.id })}>
                    {t.counters.unknown}
                  </a>
                ) : (
                  t.counters[outcome]
                )}
              </dt>
              <dd>{t.number(counters[outcome])}</dd>
            </div>
          ))}
          <div title={t.outcomeHints.ignored}>
            <dt class="faint">{t.counters.ignored}</dt>
            <dd class="faint">{t.number(counters.ignored)}</dd>
          </div>
        </dl>
        <p class="hint">
          {t.madeAt} <Instant at={reader.created_at} /> · {t.user}{' '}
          <span class="mono">{reader.mqtt_username}</span> · {t.format}{' '}
          <span class="mono">{reader.format}</span>
        </p>
      </div>
    </section>
  );
}

function Figure({ word, value, to }: { word: string; value: string; to?: string }) {
  return (
    <div class="card">
      <dt class="hint">
        {to === undefined ? (
          word
        ) : (
          <a class="reader-inbox" href={to}>
            {word}
          </a>
        )}
      </dt>
      <dd>{value}</dd>
    </div>
  );
}
