import { EmptyState } from '../../parts/empty-state.tsx';
import { NothingFound } from '../../parts/nothing-found.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { texts } from '../../texts/texts.ts';
import { Narrower } from './narrower.tsx';
import type { Report } from './use-report.ts';

export function ReportTable<Row>({
  label,
  report,
  columns,
  rowKey,
}: {
  label: string;
  report: Report<Row>;
  columns: readonly Column<Row>[];
  rowKey: (row: Row) => string | number;
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
            <EmptyState icon="chart" title={t.none} hint={t.noneHint} />
          )
        }
      />
      <Narrower problem={report.problem} />
    </>
  );
}
