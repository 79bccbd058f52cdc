import type { ComponentChildren } from 'preact';
import { Select } from '../../parts/field.tsx';
import { address, go, hrefWith } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';
import { FlagFilter } from './item-filter.tsx';
import { SPANS } from './spans.ts';
import { TimeField } from './time-field.tsx';
import type { ReportWindow } from './use-report-window.ts';

/** Rarely used filters: open if the address has any of them. */
export function MoreFilters({ names, children }: { names: readonly string[]; children: ComponentChildren }) {
  return (
    <details class="report-more" open={names.some((name) => address.value.query.has(name))}>
      <summary>{texts.value.reports.more}</summary>
      <div class="report-filters">{children}</div>
    </details>
  );
}

export const KNOWN = ['known_at', 'include_deleted'];

/** Filters for *As known at*, and for deleted assets. */
export function KnownFilters() {
  const t = texts.value.reports;
  return (
    <MoreFilters names={KNOWN}>
      <TimeField name="known_at" label={t.knownAt} hint={t.knownAtHint} />
      <FlagFilter name="include_deleted" label={t.includeDeleted} />
    </MoreFilters>
  );
}

/** The groups of rows; the first is the default. */
export function GroupFilter<Group extends keyof typeof texts.value.reports.groups>({
  groups,
}: {
  groups: readonly Group[];
}) {
  const t = texts.value.reports;
  return (
    <Select
      label={t.groupBy}
      value={groupIn(groups)}
      options={groups.map((value) => ({ value, word: t.groups[value] }))}
      onValue={(group) =>
        go(hrefWith({ group_by: group === groups[0] ? null : group, sort: null, page: null }))
      }
    />
  );
}

export function groupIn<Group extends string>(groups: readonly Group[]): Group {
  const asked = address.value.query.get('group_by');
  return groups.find((group) => group === asked) ?? (groups[0] as Group);
}

/** A window by name, or from when to when. */
export function WindowFilter({ window: { span, from, to } }: { window: ReportWindow }) {
  const t = texts.value.reports;
  return (
    <>
      <Select
        label={t.window}
        value={span ?? 'own'}
        options={[
          ...SPANS.map((value) => ({ value, word: t.spans[value] })),
          { value: 'own' as const, word: t.spans.own },
        ]}
        onValue={(chosen) =>
          go(
            hrefWith(
              chosen === 'own'
                ? { span: null, from, to, page: null }
                : { span: chosen, from: null, to: null, page: null },
            ),
          )
        }
      />
      {span === null && (
        <>
          <TimeField name="from" label={t.from} />
          <TimeField name="to" label={t.to} />
        </>
      )}
    </>
  );
}
