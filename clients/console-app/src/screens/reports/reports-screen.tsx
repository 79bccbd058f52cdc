import { EmptyState } from '../../parts/empty-state.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { SectionTabs } from '../../parts/section-tabs.tsx';
import { address } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';
import { DwellReport } from './dwell-report.tsx';
import { PositionsReport } from './positions-report.tsx';
import { PresenceReport } from './presence-report.tsx';
import { StaysReport } from './stays-report.tsx';
import { SweepsReport } from './sweeps-report.tsx';
import { TurnsReport } from './turns-report.tsx';
import { SHARED, TIMES } from './use-report.ts';

/** In the order of the tabs. */
const REPORTS = [
  { path: 'presence', View: PresenceReport, about: 'states' },
  { path: 'positions', View: PositionsReport, about: 'location' },
  { path: 'stays', View: StaysReport, about: 'location' },
  { path: 'dwell', View: DwellReport, about: 'dwell' },
  { path: 'turns', View: TurnsReport, about: 'turns' },
  { path: 'sweeps', View: SweepsReport, about: 'sweeps' },
] as const;

/** `#/reports/dwell?span=days30&location_external_key=HALL&group_by=day` */
export function ReportsScreen({ rest: [path = 'presence'] }: { rest: readonly string[] }) {
  const t = texts.value.reports;
  const { query } = address.value;
  const report = REPORTS.find((each) => each.path === path);
  return (
    <div class="page reports">
      <PageHead
        title={texts.value.screens.reports}
        {...(report === undefined ? {} : { sub: t.subs[report.path], about: report.about })}
      />
      <SectionTabs
        label={t.sectionsLabel}
        screen="reports"
        sections={REPORTS.map((each) => ({ path: each.path, word: t.sections[each.path] }))}
        current={path}
        query={Object.fromEntries([...SHARED, ...TIMES].map((name) => [name, query.getAll(name)]))}
      />
      {report === undefined ? (
        <EmptyState icon="search" title={texts.value.shell.noScreen} hint={texts.value.shell.noScreenHint} />
      ) : (
        <report.View key={path} />
      )}
    </div>
  );
}
