import type { Rule } from '../../api/rule.ts';
import { Badge } from '../../parts/badge.tsx';
import { Instant } from '../../parts/instant.tsx';
import type { Column } from '../../parts/table.tsx';
import { texts } from '../../texts/texts.ts';
import { ruleWords, selectionWords } from './rule-words.ts';

export function ruleColumns(names: ReadonlyMap<string, string>): readonly Column<Rule>[] {
  const t = texts.value.rules;
  const nameOf = (key: string | null) => (key === null ? null : (names.get(key) ?? key));
  return [
    { title: t.name, cell: ({ name }) => <span class="title">{name}</span> },
    { title: t.saysTitle, cell: (rule) => ruleWords(rule, nameOf(rule.location_external_key)) },
    {
      title: t.about,
      weight: 2,
      cell: (rule) => selectionWords(rule, nameOf(rule.within_location_external_key)),
    },
    { title: t.told, weight: 3, cell: ({ mail_count: count }) => (count === 0 ? '–' : t.people(count)) },
    {
      title: t.since,
      weight: 3,
      cell: ({ valid_from: from, ends_at: end, location_deleted_at: gone }) =>
        gone !== null ? (
          <Badge tone="problem">{t.placeGone}</Badge>
        ) : end === null ? (
          <Instant at={from} />
        ) : (
          <Badge tone="problem">
            {t.ends} <Instant at={end} />
          </Badge>
        ),
    },
  ];
}
