import { type ComponentChild, render } from 'preact';
import { Icon } from '../../../../ui/parts/icon.tsx';
import { post } from '../../api/send.ts';
import type { WholeImport } from '../../api/types.ts';
import { useAction } from '../../api/use-action.ts';
import { noteWrite } from '../../api/writes.ts';
import { confirm } from '../../parts/confirm.tsx';
import { Field, Select } from '../../parts/field.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { Progress } from '../../parts/progress.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import type { QueryValues } from '../../router/address.ts';
import { address, go, href, hrefWith, replaceAddress } from '../../router/router.ts';
import { may } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';
import { barcodePath, type CodePath, matrixPath, qrPath } from './code-paths.ts';
import { RfidLabels } from './rfid-labels.tsx';
import { type LabelItem, type Labelled, labelItem, MOST, useLabelled } from './use-labelled.ts';

/** `#/labels?of=location&q=shelf&without=SHELF-9&size=a4-24&codes=both&first=3` */
export function LabelsScreen() {
  const t = texts.value.labels;
  const { query } = address.value;
  const of = query.get('of') === 'location' ? 'locations' : 'assets';
  const sizeName = SIZE_NAMES.find((name) => name === query.get('size')) ?? 'a4-24';
  const size = SIZES[sizeName];
  const codes: Codes = CODES.find((code) => code === query.get('codes')) ?? 'gs1';
  const first = Math.min(perSheet(size) - 1, Math.max(0, Math.floor(Number(query.get('first')) || 0)));
  const { rows, total, problem } = useLabelled(of);
  const chosen = chosenIn(query);
  const items = (rows ?? []).filter(({ external_key: key }) => chosen.has(key)).map(labelItem);
  const layouts = items.map((item) => layOut(item, size, codes));
  const narrow = layouts.filter(({ isWithoutBarcode }) => isWithoutBarcode).length;
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
      <MissingBarcodes of={of} items={items.filter((_, index) => layouts[index]?.isFound === false)} />
      {narrow > 0 && (
        <div class="note">
          <p>{t.withoutBarcode(narrow)}</p>
        </div>
      )}
      {of === 'assets' && items.length > 0 && <RfidLabels keys={items.map(({ external_key: key }) => key)} />}
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

/** Lines that are drawn; the others are printed all the same. */
const SHOWN = 200;

function ChosenItems({ rows, chosen }: { rows: readonly Labelled[] | undefined; chosen: Chosen }) {
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

function LabelOptions({
  size,
  codes,
  first,
  most,
}: {
  size: SizeName;
  codes: Codes;
  first: number;
  most: number;
}) {
  const t = texts.value.labels;
  const set = (values: Record<string, string | number>) => replaceAddress(hrefWith(values));
  return (
    <div class="label-options">
      <Select
        label={t.paper}
        value={size}
        options={SIZE_NAMES.map((value) => ({ value, word: t.sizes[value] }))}
        onValue={(value) => set({ size: value })}
      />
      <Select
        label={t.codes}
        value={codes}
        options={CODES.map((value) => ({ value, word: t.codesOf[value] }))}
        onValue={(value) => set({ codes: value })}
      />
      {most > 0 && (
        <Field
          label={t.used}
          type="number"
          min={0}
          max={most}
          value={String(first)}
          onValue={(value) => set({ first: value })}
        />
      )}
    </div>
  );
}

/** Scanners know tags, not keys: an item without a barcode gets its key as one, so that its label can be scanned. */
function MissingBarcodes({ of, items }: { of: 'assets' | 'locations'; items: readonly LabelItem[] }) {
  const t = texts.value.labels;
  const { run, isBusy, problem } = useAction();
  const give = async () => {
    const isSure = await confirm({
      title: t.giveTitle(items.length),
      body: t.giveBody,
      action: t.giveAction,
    });
    if (isSure) {
      await run(() => giveBarcodes(of, items));
    }
  };
  if (items.length === 0) {
    return null;
  }
  return (
    <>
      <div class="note note-problem label-note">
        <Icon name="alert" />
        <p>{t.notFound(items.length)}</p>
        {may('operator') && (
          <button type="button" class="small secondary" disabled={isBusy} onClick={() => void give()}>
            {t.give}
          </button>
        )}
      </div>
      {isBusy && <Progress label={t.giving} />}
      {problem !== null && <ProblemNote problem={problem} />}
    </>
  );
}

/** Attaches keys as barcodes, all or none, by an import; if that cannot be, its page says why. */
async function giveBarcodes(of: 'assets' | 'locations', items: readonly LabelItem[]): Promise<void> {
  const lines = items.map(({ external_key: key }) => `${key},,barcode:${key}\n`);
  const csv = new Blob(['external_key,name,tags\n', ...lines], { type: 'text/csv' });
  const query = new URLSearchParams({ resource: of.slice(0, -1), file_name: 'barcodes.csv' });
  const { data } = await post<{ data: WholeImport }>(`/imports?${query}`, csv);
  const checked = await post<{ data: WholeImport }>(`/imports/${data.id}/check`);
  if (checked.data.outcome?.counts.faulty !== 0) {
    go(href('import', data.id));
    return;
  }
  await post(`/imports/${data.id}/apply`);
  noteWrite(`/${of}`);
}

/**
 * Prints `sheets` by themselves: beside the app, which is not printed (`labels.css`), on paper of their size. A style sheet
 * made by a script is no inline style, so the content security policy has nothing against it.
 */
function print(sheets: ComponentChild, { page }: LabelSize): void {
  const paper = new CSSStyleSheet();
  paper.replaceSync(`@page { size: ${page.width}mm ${page.height}mm; margin: 0 }`);
  const place = document.createElement('div');
  place.className = 'label-print';
  document.body.append(place);
  render(sheets, place);
  document.adoptedStyleSheets.push(paper);
  const done = () => {
    render(null, place);
    place.remove();
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== paper);
  };
  window.addEventListener('afterprint', done, { once: true });
  window.print();
}

/** Sheets of labels in their size on paper. `first`: how many labels of the first sheet are used up. */
function Sheets({
  items,
  size,
  codes,
  first,
  most = Number.POSITIVE_INFINITY,
}: {
  items: readonly LabelItem[];
  size: LabelSize;
  codes: Codes;
  first: number;
  /** Sheets that are drawn. */
  most?: number;
}) {
  const each = perSheet(size);
  const places = [...Array.from({ length: first }, () => null), ...items];
  const sheets = Array.from({ length: Math.min(most, Math.ceil(places.length / each)) }, (_, index) =>
    places.slice(index * each, (index + 1) * each),
  );
  const { page, width, height } = size;
  return (
    <>
      {sheets.map((labels, index) => (
        <div key={index} class="sheet-of-labels" style={{ width: mm(page.width), height: mm(page.height) }}>
          {labels.map((item, place) =>
            item === null ? null : (
              <div
                key={item.id}
                class="label-place"
                style={{
                  left: mm(size.left + (place % size.columns) * size.across),
                  top: mm(size.top + Math.floor(place / size.columns) * size.down),
                  width: mm(width),
                  height: mm(height),
                }}
              >
                <Label item={item} size={size} codes={codes} />
              </div>
            ),
          )}
        </div>
      ))}
    </>
  );
}

function mm(millimetres: number): string {
  return `${Math.round(millimetres * 1_000) / 1_000}mm`;
}

function Label({ item, size, codes }: { item: LabelItem; size: LabelSize; codes: Codes }) {
  const { square, barcode, key } = layOut(item, size, codes);
  return (
    <div class="label">
      <div class="label-head">
        {square !== null && <Code code={square} kind="square" />}
        <div class="label-words">
          <strong>{item.name}</strong>
          <span>{item.external_key}</span>
          {key === null && item.value !== item.external_key && <small>{item.value}</small>}
        </div>
      </div>
      {key !== null && <small>{key}</small>}
      {barcode !== null && <Code code={barcode} kind="barcode" />}
    </div>
  );
}

function Code({ code: { width, height, path }, kind }: { code: CodePath; kind: 'square' | 'barcode' }) {
  return (
    <svg
      class={`label-${kind}`}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio={kind === 'square' ? 'xMidYMid' : 'none'}
      shape-rendering="crispEdges"
      aria-hidden="true"
    >
      <path d={path} fill-rule="evenodd" />
    </svg>
  );
}

/** The found items that are printed. */
interface Chosen {
  has: (key: string) => boolean;
  /** The address after one was chosen or removed. */
  toggled: (key: string) => QueryValues;
}

const ALL: QueryValues = { of_none: null, with: null, without: null };
const NONE: QueryValues = { ...ALL, of_none: true };

/** All except `without`, or after `of_none` only `with`. So the address is short, however many there are. */
function chosenIn(query: URLSearchParams): Chosen {
  const isOfNone = query.has('of_none');
  const name = isOfNone ? 'with' : 'without';
  const named = query.getAll(name);
  const keys = new Set(named);
  return {
    has: (key) => keys.has(key) === isOfNone,
    toggled: (key) => ({ [name]: keys.has(key) ? named.filter((each) => each !== key) : [...named, key] }),
  };
}

/** `gs1` and `link` are for things with a GS1 key; the others get `both` and `qr`. */
const CODES = ['gs1', 'link', 'both', 'qr', 'barcode'] as const;

type Codes = (typeof CODES)[number];

/** Millimetres: around the print, and the narrowest bar that office printers and scanners manage. */
const MARGIN = 2;
const NARROWEST = 0.19;

interface LabelLayout {
  /** A DataMatrix or a QR code. */
  square: CodePath | null;
  barcode: CodePath | null;
  /** The GS1 key, for people, if the code holds that. */
  key: string | null;
  /** Scanners find the thing by its codes. */
  isFound: boolean;
  /** A barcode was asked for, and would be too narrow to be read, or cannot have these characters. */
  isWithoutBarcode: boolean;
}

/** The content of a label: where a barcode does not fit, a QR code replaces it. */
function layOut({ value, isFound, gs1 }: LabelItem, { width }: LabelSize, codes: Codes): LabelLayout {
  if (gs1 !== null && (codes === 'gs1' || codes === 'link')) {
    const square = codes === 'gs1' ? matrixPath(gs1.key) : qrPath(gs1.link);
    return { square, barcode: null, key: gs1.key, isFound: true, isWithoutBarcode: false };
  }
  const isWanted = codes !== 'qr' && codes !== 'link';
  const wanted = isWanted ? barcodePath(value) : null;
  const barcode = wanted !== null && (width - MARGIN) / wanted.width >= NARROWEST ? wanted : null;
  const isWithoutBarcode = isWanted && barcode === null;
  const square = codes !== 'barcode' || isWithoutBarcode ? qrPath(value) : null;
  return { square, barcode, key: null, isFound, isWithoutBarcode };
}

/** Labels on a sheet, in millimetres. `across` and `down` are from one label's edge to the same edge of the next. */
interface LabelSize {
  page: { width: number; height: number };
  columns: number;
  rows: number;
  width: number;
  height: number;
  left: number;
  top: number;
  across: number;
  down: number;
}

const A4 = { width: 210, height: 297 };
const LETTER = { width: 215.9, height: 279.4 };

/** One label a page, for label printers. */
function single(width: number, height: number): LabelSize {
  return { page: { width, height }, columns: 1, rows: 1, width, height, left: 0, top: 0, across: 0, down: 0 };
}

/** The usual ones, by the numbers that Avery Zweckform gives them. */
const SIZES = {
  /** L7651 */
  'a4-65': {
    ...{ page: A4, columns: 5, rows: 13, width: 38.1, height: 21.2 },
    ...{ left: 4.75, top: 10.7, across: 40.6, down: 21.2 },
  },
  /** 3657 */
  'a4-40': {
    ...{ page: A4, columns: 4, rows: 10, width: 48.5, height: 25.4 },
    ...{ left: 8, top: 21.5, across: 48.5, down: 25.4 },
  },
  /** L7159 */
  'a4-24': {
    ...{ page: A4, columns: 3, rows: 8, width: 63.5, height: 33.9 },
    ...{ left: 7.25, top: 12.9, across: 66, down: 33.9 },
  },
  /** 3474 */
  'a4-24-full': {
    ...{ page: A4, columns: 3, rows: 8, width: 70, height: 37 },
    ...{ left: 0, top: 0.5, across: 70, down: 37 },
  },
  /** L7160 */
  'a4-21': {
    ...{ page: A4, columns: 3, rows: 7, width: 63.5, height: 38.1 },
    ...{ left: 7.25, top: 15.15, across: 66, down: 38.1 },
  },
  /** L7163 */
  'a4-14': {
    ...{ page: A4, columns: 2, rows: 7, width: 99.1, height: 38.1 },
    ...{ left: 4.65, top: 15.15, across: 101.6, down: 38.1 },
  },
  /** L7173 */
  'a4-10': {
    ...{ page: A4, columns: 2, rows: 5, width: 99.1, height: 57 },
    ...{ left: 4.65, top: 6, across: 101.6, down: 57 },
  },
  /** L7165 */
  'a4-8': {
    ...{ page: A4, columns: 2, rows: 4, width: 99.1, height: 67.7 },
    ...{ left: 4.65, top: 13.1, across: 101.6, down: 67.7 },
  },
  /** 5160 */
  'letter-30': {
    ...{ page: LETTER, columns: 3, rows: 10, width: 66.675, height: 25.4 },
    ...{ left: 4.76, top: 12.7, across: 69.85, down: 25.4 },
  },
  /** 5163 */
  'letter-10': {
    ...{ page: LETTER, columns: 2, rows: 5, width: 101.6, height: 50.8 },
    ...{ left: 3.97, top: 12.7, across: 106.36, down: 50.8 },
  },
  /** Dymo 11352 and alike. */
  'single-54': single(54, 25),
  /** Brother DK-11209 and alike. */
  'single-62': single(62, 29),
  /** Dymo 99012 and alike. */
  'single-89': single(89, 36),
  'single-100': single(100, 50),
} as const satisfies Record<string, LabelSize>;

type SizeName = keyof typeof SIZES;

const SIZE_NAMES = Object.keys(SIZES) as SizeName[];

function perSheet({ columns, rows }: LabelSize): number {
  return columns * rows;
}
