import { serverNow } from '../../api/server-clock.ts';
import { NO_FORMAT, type OneReader, type Reader, type Spans } from '../../api/types.ts';
import { useRead, useRepeat } from '../../api/use-read.ts';
import { durationText } from '../../parts/duration.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Instant, instantText } from '../../parts/instant.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { ticksOf } from '../../parts/timeline/ticks.ts';
import { address, go, href, hrefWith, leaveFor } from '../../router/router.ts';
import { may } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';
import { Proposals } from '../locating/proposals.tsx';
import { AntennaMap } from './antenna-map.tsx';
import { EditReaderSheet } from './edit-reader-sheet.tsx';
import { ListenSheet } from './listen-sheet.tsx';
import { perMinute } from './per-minute.ts';
import { ReaderBadge, Silence } from './reader-badge.tsx';

/** `#/readers/7?listen=2` */
export function ReaderPage({ id }: { id: string }) {
  const t = texts.value.readers;
  const { answer, problem, reload } = useRead<{ data: OneReader }>(`/readers/${id}`);
  useRepeat(reload, 3_000);
  const reader = answer?.data;
  if (reader === undefined) {
    return (
      <div class="page">
        {problem?.status === 404 ? (
          <EmptyState icon="reader" title={t.gone} hint={t.goneHint} isPage />
        ) : problem === null ? (
          <p class="loading">{texts.value.shell.loading}</p>
        ) : (
          <ProblemNote problem={problem} onRetry={reload} />
        )}
      </div>
    );
  }
  const { query } = address.value;
  const listen = query.get('listen');
  const isEditing = query.has('edit');
  return (
    <div class="page reader">
      <PageHead
        title={reader.name}
        sub={
          <span class="with-badge">
            <span class="mono">{reader.topic}</span>
            <ReaderBadge reader={reader} />
            <Silence reader={reader} />
          </span>
        }
      >
        {may('operator') && (
          <a class="secondary" href={hrefWith({ listen: 0 })}>
            {t.listen}
          </a>
        )}
        {may('admin') && (
          <a class="secondary" href={hrefWith({ edit: true })}>
            {t.edit}
          </a>
        )}
      </PageHead>
      <Hints reader={reader} />
      <Proposals among={reader.antennas.map(({ location_external_key: key }) => key)} />
      <Outcomes reader={reader} />
      <SpansPicture reader={reader} />
      <AntennaMap reader={reader} />
      {listen !== null && may('operator') && (
        <ListenSheet
          reader={reader}
          antenna={Number(listen)}
          onClose={() => go(hrefWith({ listen: null, asset: null }))}
        />
      )}
      {isEditing && may('admin') && (
        <EditReaderSheet reader={reader} onClose={() => leaveFor(hrefWith({ edit: null }))} />
      )}
    </div>
  );
}

/** Faults of a reader, and their remedies. */
function Hints({ reader }: { reader: OneReader }) {
  const t = texts.value.readers;
  const { counters, clock, flaws, format, state, sign_in_faults: faults } = reader;
  const next = may('admin') && (
    <a class="secondary small" href={href('readers', 'new', { reader: reader.id, step: 'arrivals' })}>
      {t.toArrivals}
    </a>
  );
  return (
    <>
      {format === NO_FORMAT && (
        <div class="note note-problem">
          <p>{state === 'never' ? t.noFormatYet : t.noFormatHint}</p>
          {next}
        </div>
      )}
      {format !== NO_FORMAT && counters.messages > 0 && counters.messages_rejected === counters.messages && (
        <div class="note note-problem">
          <p>{t.allRejected}</p>
          {next}
        </div>
      )}
      {faults.map(({ fault, in_day: times, last_at: at }) => (
        <div key={fault} class="note note-problem">
          <p>
            {t.signInFaults[fault](times)} <Instant at={at} />
          </p>
        </div>
      ))}
      {clock?.wrong === true && (
        <div class="note note-problem">
          <p>{t.clockWrong(clock.behind_seconds)}</p>
        </div>
      )}
      {flaws.clock_is_unset && (
        <div class="note note-problem">
          <p>{t.clockUnset}</p>
        </div>
      )}
      {flaws.near_misses > 0 && (
        <div class="note note-seen">
          <p>
            {t.nearMisses(flaws.near_misses)}{' '}
            <a href={href('inbox', 'rejected', { reader_id: reader.id, kind: 'near_miss' })}>{t.toInbox}</a>.
          </p>
        </div>
      )}
      {doubts(reader).map((said) => (
        <div key={said} class="note note-seen">
          <p>{said}</p>
        </div>
      ))}
    </>
  );
}

function doubts({ clock, flaws: of }: OneReader): string[] {
  const t = texts.value.readers;
  return [
    ...(clock?.doubtful === true ? [t.clockDoubtful(clock.behind_seconds)] : []),
    ...(of.time_unreadable > 0 ? [t.timeUnreadable(of.time_unreadable, of.time_example ?? '')] : []),
    ...(of.rssi_unusable > 0 ? [t.rssiUnusable(of.rssi_unusable, of.rssi_example ?? '')] : []),
    ...(of.readings_unusable > 0
      ? [t.readingsUnusable(of.readings_unusable, of.readings_example ?? '')]
      : []),
    ...(of.pushes_refused > 0 ? [t.pushesRefused(of.pushes_refused)] : []),
  ];
}

/** Outcomes of reads; they add up to all reads. */
const OUTCOMES = ['recorded', 'duplicates', 'unknown', 'unplaced', 'rejected'] as const;

/** Outcomes of everything it sent, and other facts about it. */
function Outcomes({ reader }: { reader: OneReader }) {
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
        {reader.push_url !== null && (
          <p class="hint">
            {t.push} <span class="mono">{reader.push_url}</span> · {t.pushLogin}
          </p>
        )}
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

/** Percent of the width: beyond it a day has no room to the right of its line. */
const LAST = 86;

/** Percent of the width below which a span is invisible. */
const LEAST = 0.4;

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** When it was heard in the last week, or since its registration, and when it was silent or disconnected. */
function SpansPicture({
  reader: { id, created_at: createdAt, expect_seconds: set, expected_seconds: expected },
}: {
  reader: Reader;
}) {
  const t = texts.value.readers;
  const made = Date.parse(createdAt);
  // The fewer, the finer is what can be told apart.
  const days = Math.min(7, Math.max(1, Math.ceil((serverNow() - made) / DAY)));
  const { answer, reload } = useRead<{ data: Spans }>(`/readers/${id}/spans`, { days });
  useRepeat(reload, days === 1 ? MINUTE / 6 : MINUTE);
  if (answer === undefined) {
    return null;
  }
  const { from, to, spans } = answer.data;
  const earliest = Date.parse(from);
  const end = Date.parse(to);
  const began = Math.max(earliest, Math.min(made, end - 1));
  // Reads from before its registration may have arrived later.
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
