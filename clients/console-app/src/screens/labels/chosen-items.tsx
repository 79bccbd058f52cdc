import { address, hrefWith, replaceAddress } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';
import type { Labelled } from './label-item.ts';

/** Lines that are drawn; the others are printed all the same. */
const SHOWN = 200;

export function ChosenItems({
  rows,
  without,
}: {
  rows: readonly Labelled[] | undefined;
  without: ReadonlySet<string>;
}) {
  const t = texts.value.labels;
  if (rows === undefined) {
    return <p class="loading">{texts.value.shell.loading}</p>;
  }
  if (rows.length === 0) {
    return <p class="hint">{texts.value.items.nothingFound}</p>;
  }
  const toggle = (key: string) => {
    const kept = address.value.query.getAll('without');
    const changed = without.has(key) ? kept.filter((one) => one !== key) : [...kept, key];
    replaceAddress(hrefWith({ without: changed }));
  };
  return (
    <fieldset class="label-items">
      <legend>{t.chosen}</legend>
      {rows.slice(0, SHOWN).map(({ external_key: key, name }) => (
        <label key={key} class="check">
          <input type="checkbox" checked={!without.has(key)} onChange={() => toggle(key)} />
          <span>
            {name} <span class="mono faint">{key}</span>
          </span>
        </label>
      ))}
      {rows.length > SHOWN && <p class="hint">{t.moreItems(rows.length - SHOWN)}</p>}
    </fieldset>
  );
}
