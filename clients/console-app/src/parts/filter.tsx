import { address, go, hrefWith } from '../router/router.ts';

/** A choice kept in the address under `name`; its first option means none. */
export function Filter({
  name,
  label,
  options,
}: {
  name: string;
  label: string;
  options: readonly { value: string; word: string }[];
}) {
  const value = address.value.query.get(name) ?? '';
  return (
    <label class={value === '' ? 'filter' : 'filter filter-on'}>
      <span class="unseen">{label}</span>
      <select
        value={value}
        onChange={(event) => go(hrefWith({ [name]: event.currentTarget.value, page: null, cursor: null }))}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.word}
          </option>
        ))}
      </select>
    </label>
  );
}
