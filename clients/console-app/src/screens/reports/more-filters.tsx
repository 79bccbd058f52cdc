import type { ComponentChildren } from 'preact';
import { address } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';
import { FlagFilter } from './item-filter.tsx';
import { TimeField } from './time-field.tsx';

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

/** As it was known then, and with what was deleted. */
export function KnownFilters() {
  const t = texts.value.reports;
  return (
    <MoreFilters names={KNOWN}>
      <TimeField name="known_at" label={t.knownAt} hint={t.knownAtHint} />
      <FlagFilter name="include_deleted" label={t.includeDeleted} />
    </MoreFilters>
  );
}
