import { NO_FORMAT, type OneReader } from '../../api/reader.ts';
import { useRead } from '../../api/use-read.ts';
import { useRepeat } from '../../api/use-repeat.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Instant } from '../../parts/instant.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { address, go, href, hrefWith } from '../../router/router.ts';
import { may } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';
import { AntennaMap } from './antenna-map.tsx';
import { EditReaderSheet } from './edit-reader-sheet.tsx';
import { ListenSheet } from './listen-sheet.tsx';
import { Outcomes } from './outcomes.tsx';
import { ReaderBadge, Silence } from './reader-badge.tsx';
import { SpansPicture } from './spans-picture.tsx';

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
      <Outcomes reader={reader} />
      <SpansPicture reader={reader} />
      <AntennaMap reader={reader} />
      {listen !== null && may('operator') && (
        <ListenSheet
          reader={reader}
          antenna={Number(listen)}
          onClose={() => go(hrefWith({ listen: null }))}
        />
      )}
      {isEditing && may('admin') && (
        <EditReaderSheet reader={reader} onClose={() => go(hrefWith({ edit: null }))} />
      )}
    </div>
  );
}

/** What is amiss with a reader, and what to do about it. */
function Hints({ reader }: { reader: OneReader }) {
  const t = texts.value.readers;
  const { counters, clock, format, state, sign_in_faults: faults } = reader;
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
    </>
  );
}
