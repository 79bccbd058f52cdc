import type { Alert } from '../../api/alert.ts';
import { Instant } from '../../parts/instant.tsx';
import type { Column } from '../../parts/table.tsx';
import type { Texts } from '../../texts/texts.ts';
import { AlertBadge } from './alert-badge.tsx';
import { alertSubject, alertWords } from './alert-words.ts';

export function alertColumns(
  t: Texts['alerts'],
  names: Readonly<Record<'assets' | 'locations', ReadonlyMap<string, string>>>,
): readonly Column<Alert>[] {
  return [
    {
      title: t.subject,
      cell: (alert) => <span class="title">{alertSubject(alert, names.assets)}</span>,
    },
    { title: t.whatTitle, cell: alertWords },
    {
      title: t.place,
      weight: 2,
      cell: ({ location }) =>
        location === null ? (
          <span class="none">–</span>
        ) : (
          (names.locations.get(location.external_key) ?? location.external_key)
        ),
    },
    { title: t.since, sortBy: 'opened_at', cell: ({ opened_at: at }) => <Instant at={at} /> },
    { title: t.state, weight: 2, cell: (alert) => <AlertBadge alert={alert} /> },
    { title: t.rule, weight: 3, cell: ({ rule }) => rule.name },
  ];
}
