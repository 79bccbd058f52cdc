import type { ItemResource } from '../../api/use-names.ts';
import { ItemPicker } from '../../parts/item-picker.tsx';
import { address, go, hrefWith } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';

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
