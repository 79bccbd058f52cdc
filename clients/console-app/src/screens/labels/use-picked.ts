import type { Selection } from '../../parts/table.tsx';
import { address, hrefWith, replaceAddress } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';
import type { Labelled } from './use-labelled.ts';

/** Rows that are ticked in a list, on whichever page: their keys, as `pick` in the address. */
export function usePicked<Row extends Labelled>(
  rows: readonly Row[],
): { selection: Selection<Row>; keys: readonly string[] } {
  const t = texts.value.labels;
  const keys = address.value.query.getAll('pick');
  const picked = new Set(keys);
  const isAll = rows.length > 0 && rows.every(({ external_key: key }) => picked.has(key));
  const set = (changed: Iterable<string>) => replaceAddress(hrefWith({ pick: [...changed] }));
  const shown = rows.map(({ external_key: key }) => key);
  return {
    keys,
    selection: {
      isSelected: ({ external_key: key }) => picked.has(key),
      toggle: ({ external_key: key }) =>
        set(picked.has(key) ? keys.filter((each) => each !== key) : [...keys, key]),
      isAll,
      toggleAll: () => set(isAll ? keys.filter((key) => !shown.includes(key)) : new Set([...keys, ...shown])),
      label: ({ name }) => t.pick(name),
      allLabel: t.pickAll,
    },
  };
}
