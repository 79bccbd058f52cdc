import type { ApiError } from '../../api/api-error.ts';
import type { List } from '../../api/use-list.ts';
import { EmptyState, NothingFound } from '../../parts/empty-state.tsx';
import { Instant } from '../../parts/instant.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { hrefWith } from '../../router/router.ts';
import { type Texts, texts } from '../../texts/texts.ts';
import { secondsText } from './report-words.ts';
import type { ReportWindow } from './use-report.ts';

export function ReportTable<Row>({
  label,
  report,
  columns,
  rowKey,
  window,
}: {
  label: string;
  report: List<Row>;
  columns: readonly Column<Row>[];
  rowKey: (row: Row) => string | number;
  /** For a report about a window. */
  window?: ReportWindow;
}) {
  const t = texts.value.reports;
  return (
    <>
      <Table
        label={label}
        list={report}
        columns={columns}
        rowKey={rowKey}
        empty={
          report.isFiltered ? (
            <NothingFound hint={t.nothingFoundHint} allHref={report.allHref} />
          ) : (
            <NothingToReport window={window} />
          )
        }
      />
      <Narrower problem={report.problem} />
    </>
  );
}

/** A column of lengths of time, to sort by. */
export function secondsColumn<Field extends keyof Texts['reports']['seconds']>(
  field: Field,
  weight: 1 | 2 | 3,
): Column<Readonly<Record<`${Field}_seconds`, number | null>>> {
  return {
    ...{ title: texts.value.reports.seconds[field], sortBy: `${field}_seconds`, isNumber: true, weight },
    cell: (row) => secondsText(row[`${field}_seconds`]),
    saved: (row) => ({
      [texts.value.common.seconds(texts.value.reports.seconds[field])]: row[`${field}_seconds`],
    }),
  };
}

/** A column of numbers, to sort by. */
export function countColumn<Field extends keyof Texts['reports']['counts']>(
  field: Field,
  weight: 1 | 2 | 3,
): Column<Readonly<Record<Field, number>>> {
  const t = texts.value.reports;
  return {
    ...{ title: t.counts[field], sortBy: field, isNumber: true, weight },
    cell: (row) => t.number(row[field]),
    saved: (row) => row[field],
  };
}

/** A window says nothing about other times, in which there may be reads. */
function NothingToReport({ window }: { window: ReportWindow | undefined }) {
  const t = texts.value.reports;
  if (window === undefined) {
    return <EmptyState icon="chart" title={t.none} hint={t.noneHint} />;
  }
  const isBackwards = Date.parse(window.from) >= Date.parse(window.to);
  return (
    <EmptyState
      icon="chart"
      title={isBackwards ? t.backwards : t.noneInTime}
      hint={isBackwards ? t.backwardsHint : t.noneInTimeHint}
    >
      <a class="secondary" href={hrefWith({ span: 'days30', from: null, to: null, page: null })}>
        {t.spans.days30}
      </a>
    </EmptyState>
  );
}

/** An alternative to a request that a report cannot answer: a shorter time, or a later knowledge. */
function Narrower({ problem }: { problem: ApiError | null }) {
  const t = texts.value.reports;
  const earliest = problem?.fields.find(({ field }) => field === 'known_at')?.params?.['earliest'];
  if (typeof earliest === 'string') {
    return (
      <p class="hint">
        {t.knownSince}{' '}
        <a class="plain" href={hrefWith({ known_at: earliest, page: null })}>
          <Instant at={earliest} isLong />
        </a>
      </p>
    );
  }
  return problem?.fields.some(({ field }) => field === 'from') === true ? (
    <p class="hint">
      {t.narrower}{' '}
      <a class="plain" href={hrefWith({ span: 'today', from: null, to: null, page: null })}>
        {t.spans.today}
      </a>
    </p>
  ) : null;
}
