import type { ComponentChildren } from 'preact';
import type { ItemResource } from '../../api/use-names.ts';
import { Field, localText, Select } from '../../parts/field.tsx';
import { ItemPicker } from '../../parts/item-picker.tsx';
import { address, go, hrefWith, replaceAddress } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';
import { SPANS } from './spans.ts';
import type { ReportWindow } from './use-report.ts';

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

/** An instant kept in the address under `name`, shown in the viewer's zone. Empty means none. */
export function TimeField({
  name,
  label,
  hint,
  value,
}: {
  name: string;
  label: string;
  hint?: string;
  /** Shown if the address has none. */
  value?: string;
}) {
  const at = Date.parse(address.value.query.get(name) ?? value ?? '');
  return (
    <Field
      label={label}
      hint={hint}
      type="datetime-local"
      step={60}
      value={localText(at)}
      onValue={(text) => {
        const typed = Date.parse(text);
        if (text === '' || Number.isFinite(typed)) {
          const iso = text === '' ? null : new Date(typed).toISOString();
          replaceAddress(hrefWith({ [name]: iso, page: null }));
        }
      }}
    />
  );
}

/** An asset or a place whose key is in the address under `name`. */
export function ItemFilter({
  name,
  resource,
  label,
  none,
}: {
  name: string;
  resource: ItemResource;
  label: string;
  none: string;
}) {
  const key = address.value.query.get(name);
  return (
    <ItemPicker
      resource={resource}
      label={label}
      none={none}
      picked={key === null ? null : { id: 0, external_key: key }}
      onPick={(item) => go(hrefWith({ [name]: item?.external_key, page: null }))}
    />
  );
}

export function PlaceFilter() {
  const t = texts.value.reports;
  return (
    <div class="report-place">
      <ItemFilter name="location_external_key" resource="locations" label={t.place} none={t.anyPlace} />
      {address.value.query.has('location_external_key') && (
        <FlagFilter name="include_descendants" label={t.andBelow} />
      )}
    </div>
  );
}

export function AssetFilter() {
  const t = texts.value.reports;
  return <ItemFilter name="asset_external_key" resource="assets" label={t.asset} none={t.anyAsset} />;
}

/** A flag that is in the address under `name`. */
export function FlagFilter({ name, label }: { name: string; label: string }) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={address.value.query.get(name) === 'true'}
        onChange={(event) => go(hrefWith({ [name]: event.currentTarget.checked, page: null }))}
      />
      {label}
    </label>
  );
}
