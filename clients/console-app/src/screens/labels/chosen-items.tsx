import { hrefWith, replaceAddress } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';
import { ALL, type Chosen, NONE } from './chosen.ts';
import type { Labelled } from './label-item.ts';

/** Lines that are drawn; the others are printed all the same. */
const SHOWN = 200;

export function ChosenItems({ rows, chosen }: { rows: readonly Labelled[] | undefined; chosen: Chosen }) {
  const t = texts.value.labels;
  if (rows === undefined) {
    return <p class="loading">{texts.value.shell.loading}</p>;
  }
  if (rows.length === 0) {
    return <p class="hint">{texts.value.items.nothingFound}</p>;
  }
  const count = rows.filter(({ external_key: key }) => chosen.has(key)).length;
  return (
    <fieldset class="label-items">
      <legend>{t.chosen}</legend>
      <div class="buttons">
        <button
          type="button"
          class="small secondary"
          disabled={count === rows.length}
          onClick={() => replaceAddress(hrefWith(ALL))}
        >
          {t.chooseAll}
        </button>
        <button
          type="button"
          class="small secondary"
          disabled={count === 0}
          onClick={() => replaceAddress(hrefWith(NONE))}
        >
          {t.chooseNone}
        </button>
      </div>
      {rows.slice(0, SHOWN).map(({ external_key: key, name }) => (
        <label key={key} class="check">
          <input
            type="checkbox"
            checked={chosen.has(key)}
            onChange={() => replaceAddress(hrefWith(chosen.toggled(key)))}
          />
          <span>
            {name} <span class="mono faint">{key}</span>
          </span>
        </label>
      ))}
      {rows.length > SHOWN && <p class="hint">{t.moreItems(rows.length - SHOWN)}</p>}
    </fieldset>
  );
}
