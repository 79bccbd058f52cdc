import { NO_FORMAT, READER_STATES, type Reader } from '../../api/types.ts';
import { useList } from '../../api/use-list.ts';
import { useRepeat } from '../../api/use-read.ts';
import { Badge } from '../../parts/badge.tsx';
import { EmptyState, NoScreen, NothingFound } from '../../parts/empty-state.tsx';
import { Filter } from '../../parts/filter.tsx';
import { Instant } from '../../parts/instant.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { href } from '../../router/router.ts';
import { may } from '../../session/session.ts';
import { type Texts, texts } from '../../texts/texts.ts';
import { NewReader } from './new-reader.tsx';
import { OwnFormats } from './own-formats.tsx';
import { perMinute } from './per-minute.ts';
import { ReaderBadge, Silence } from './reader-badge.tsx';
import { ReaderPage } from './reader-page.tsx';

/** Milliseconds between two looks at the counters. */
const EVERY_MS = 5_000;

/** `#/readers?state=silent`, `#/readers/7`, `#/readers/new`, `#/readers/formats` */
export function ReadersScreen({ rest: [id] }: { rest: readonly string[] }) {
  if (id === 'new' || id === 'formats') {
    return !may('admin') ? <NoScreen /> : id === 'new' ? <NewReader /> : <OwnFormats />;
  }
  return id === undefined ? <ReaderList /> : <ReaderPage id={id} />;
}

function ReaderList() {
  const t = texts.value.readers;
  const list = useList<Reader>('/readers', { filters: ['state'], sort: 'name' });
  useRepeat(list.reload, EVERY_MS);
  const add = may('admin') && (
    <a class="primary" href={href('readers', 'new')}>
      {t.add}
    </a>
  );
  return (
    <div class="page">
      <PageHead
        title={texts.value.screens.readers}
        {...(list.total === undefined ? {} : { sub: t.sub(list.total) })}
      >
        {may('admin') && (
          <a class="secondary" href={href('readers', 'formats')}>
            {t.formats}
          </a>
        )}
        {add}
      </PageHead>
      <div class="filters">
        <SearchField label={t.search} />
        <Filter
          name="state"
          label={t.state}
          options={[
            { value: '', word: t.allStates },
            ...READER_STATES.map((value) => ({
              value,
              word: t.states[value],
            })),
          ]}
        />
      </div>
      <Table
        label={texts.value.screens.readers}
        list={list}
        columns={readerColumns(t)}
        rowKey={({ id }) => id}
        rowHref={({ id }) => href('readers', id)}
        empty={
          list.isFiltered ? (
            <NothingFound title={t.nothingFound} hint={t.nothingFoundHint} allHref={list.allHref} />
          ) : (
            <EmptyState icon="reader" title={t.none} hint={may('admin') ? t.noneHint : t.noneHintOthers}>
              {add}
            </EmptyState>
          )
        }
      />
    </div>
  );
}

function readerColumns(t: Texts['readers']): readonly Column<Reader>[] {
  return [
    {
      title: t.name,
      sortBy: 'name',
      cell: ({ name }) => <span class="title">{name}</span>,
      saved: ({ name }) => name,
    },
    {
      title: t.state,
      cell: (reader) => <ReaderBadge reader={reader} />,
      saved: ({ state }) => t.states[state],
    },
    {
      title: t.lastMessage,
      sortBy: 'last_message_at',
      cell: (reader) => <Silence reader={reader} />,
      saved: ({ last_message_at: at }) => at,
    },
    {
      title: t.rate,
      weight: 3,
      isNumber: true,
      cell: (reader) => (reader.unheard_since !== null ? <span class="none">–</span> : perMinute(reader, t)),
      saved: (reader) => (reader.unheard_since === null ? perMinute(reader, t) : null),
    },
    {
      title: t.counters.reads,
      weight: 2,
      isNumber: true,
      cell: ({ counters }) => t.number(counters.reads),
      saved: ({ counters }) => counters.reads,
    },
    {
      title: t.antennas,
      weight: 2,
      cell: (reader) => <AntennaCount reader={reader} />,
      saved: ({ antennas }) => antennas.length,
    },
    {
      title: t.format,
      weight: 3,
      cell: ({ format }) =>
        format === NO_FORMAT ? <span class="none">–</span> : <span class="mono">{format}</span>,
      saved: ({ format }) => (format === NO_FORMAT ? null : format),
    },
    {
      ...{ title: t.lastSignIn, weight: 3 },
      cell: ({ last_used_at: at }) => <Instant at={at} />,
      saved: ({ last_used_at: at }) => at,
    },
  ];
}

function AntennaCount({ reader: { antennas } }: { reader: Reader }) {
  const unmapped = antennas.filter((each) => each.enabled && each.location_external_key === null).length;
  return (
    <span class="with-badge">
      {antennas.length}
      {unmapped > 0 && <Badge tone="problem">{texts.value.readers.unmapped(unmapped)}</Badge>}
    </span>
  );
}
