import { PageHead } from '../../parts/page-head.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { address } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';
import { chosenIn } from './chosen.ts';
import { ChosenItems } from './chosen-items.tsx';
import { labelItem } from './label-item.ts';
import { CODES, type Codes, layOut } from './label-layout.ts';
import { LabelOptions } from './label-options.tsx';
import { MissingBarcodes } from './missing-barcodes.tsx';
import { print } from './print.ts';
import { Sheets } from './sheets.tsx';
import { perSheet, SIZE_NAMES, SIZES } from './sizes.ts';
import { MOST, useLabelled } from './use-labelled.ts';

/** `#/labels?of=location&q=shelf&without=SHELF-9&size=a4-24&codes=both&first=3` */
export function LabelsScreen() {
  const t = texts.value.labels;
  const { query } = address.value;
  const of = query.get('of') === 'location' ? 'locations' : 'assets';
  const sizeName = SIZE_NAMES.find((name) => name === query.get('size')) ?? 'a4-24';
  const size = SIZES[sizeName];
  const codes: Codes = CODES.find((code) => code === query.get('codes')) ?? 'both';
  const first = Math.min(perSheet(size) - 1, Math.max(0, Math.floor(Number(query.get('first')) || 0)));
  const { rows, total, problem } = useLabelled(of);
  const chosen = chosenIn(query);
  const items = (rows ?? []).filter(({ external_key: key }) => chosen.has(key)).map(labelItem);
  const narrow = items.filter(({ value }) => layOut(value, size, codes).isWithoutBarcode).length;
  const sheets = Math.ceil((items.length + first) / perSheet(size));
  return (
    <div class="page">
      <PageHead title={texts.value.screens.labels} sub={t.sub(items.length, sheets)}>
        <button
          type="button"
          class="primary"
          disabled={items.length === 0}
          onClick={() => print(<Sheets items={items} size={size} codes={codes} first={first} />, size)}
        >
          {t.print}
        </button>
      </PageHead>
      <LabelOptions size={sizeName} codes={codes} first={first} most={perSheet(size) - 1} />
      <div class="filters">
        <SearchField label={texts.value.items.search} />
      </div>
      {problem !== null && <ProblemNote problem={problem} />}
      {total > MOST && (
        <div class="note note-problem">
          <p>{t.tooMany(MOST, total)}</p>
        </div>
      )}
      <MissingBarcodes of={of} items={items.filter(({ isFound }) => !isFound)} />
      {narrow > 0 && (
        <div class="note">
          <p>{t.withoutBarcode(narrow)}</p>
        </div>
      )}
      <div class="label-work">
        <ChosenItems rows={rows} chosen={chosen} />
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll what can have the focus */}
        <section class="label-preview" aria-label={t.preview} tabIndex={0}>
          {items.length > 0 && <Sheets items={items} size={size} codes={codes} first={first} most={1} />}
        </section>
      </div>
    </div>
  );
}
