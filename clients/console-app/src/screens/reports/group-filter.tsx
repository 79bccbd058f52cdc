import { Select } from '../../parts/field.tsx';
import { address, go, hrefWith } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';

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
