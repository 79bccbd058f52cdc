import { READER_STATES, type Reader } from '../../api/reader.ts';
import { useList } from '../../api/use-list.ts';
import { useRepeat } from '../../api/use-repeat.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Filter } from '../../parts/filter.tsx';
import { NothingFound } from '../../parts/nothing-found.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { Table } from '../../parts/table.tsx';
import { href } from '../../router/router.ts';
import { may } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';
import { NewReader } from './new-reader.tsx';
import { OwnFormats } from './own-formats.tsx';
import { readerColumns } from './reader-columns.tsx';
import { ReaderPage } from './reader-page.tsx';

/** Milliseconds between two looks at the counters. */
const EVERY_MS = 5_000;

/** `#/readers?state=silent`, `#/readers/7`, `#/readers/new`, `#/readers/formats` */
export function ReadersScreen({ rest: [id] }: { rest: readonly string[] }) {
  if (id === 'new') {
    return <NewReader />;
  }
  if (id === 'formats' && may('admin')) {
    return <OwnFormats />;
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
