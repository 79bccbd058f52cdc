import { useState } from 'preact/hooks';
import { CSV_COLUMNS } from '../../api/answers.ts';
import { Select } from '../../parts/field.tsx';
import { texts } from '../../texts/texts.ts';

/** The beginning of a file, and where its header is, in bytes. */
export interface FileHead {
  header: readonly string[];
  /** The first rows. */
  rows: readonly (readonly string[])[];
  delimiter: string;
  from: number;
  to: number;
}

/** Bytes in which a header is looked for. */
const BEGINNING = 65_536;
const ROWS_SHOWN = 3;

/** Null if it is no text with a header: the server says what it is. */
export async function readHead(file: Blob): Promise<FileHead | null> {
  const text = await textOf(file.slice(0, BEGINNING));
  if (text === null || text.includes('\0')) {
    return null;
  }
  const [named = '', said] = /^\ufeff?"?sep=([^\w"\s]|\t)"?(?:\r\n|\n|\r)/i.exec(text) ?? [];
  const [before = ''] = /^\ufeff?[\r\n]*/.exec(text.slice(named.length)) ?? [];
  const from = named.length + before.length;
  const delimiter = said ?? likeliest(text.slice(from));
  const [first, ...others] = recordsIn(text, from, delimiter);
  const bytes = (end: number) => new TextEncoder().encode(text.slice(0, end)).length;
  return first === undefined
    ? null
    : {
        header: first.cells,
        rows: others.map(({ cells }) => cells),
        ...{ delimiter, from: bytes(from), to: bytes(first.end) },
      };
}

/** Null if it is not UTF-8. */
async function textOf(piece: Blob): Promise<string | null> {
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    return decoder.decode(await piece.arrayBuffer(), { stream: true });
  } catch {
    return null;
  }
}

/** As the server finds it: what the header has most of, outside of quotation marks. */
function likeliest(text: string): string {
  const [line = ''] = text.replace(/"(?:[^"]|"")*"/g, '').split(/[\r\n]/, 1);
  const count = (each: string) => line.split(each).length;
  return [',', ';', '\t'].reduce((most, each) => (count(each) > count(most) ? each : most));
}

function recordsIn(text: string, from: number, delimiter: string) {
  const records: { cells: string[]; end: number }[] = [];
  let [cells, cell, isQuoted]: [string[], string, boolean] = [[], '', false];
  for (let at = from; at <= text.length && records.length <= ROWS_SHOWN; at++) {
    const next = text[at];
    if (isQuoted && next === '"' && text[at + 1] !== '"') {
      isQuoted = false;
    } else if (isQuoted && next !== undefined) {
      cell += next;
      at += next === '"' ? 1 : 0;
    } else if (next === '"' && cell === '') {
      isQuoted = true;
    } else if (next === delimiter) {
      cells.push(cell);
      cell = '';
    } else if (next === undefined || next === '\n' || next === '\r') {
      const all = [...cells, cell];
      if (all.some((each) => each !== '')) {
        records.push({ cells: all, end: at });
      }
      [cells, cell] = [[], ''];
    } else {
      cell += next;
    }
  }
  return records;
}

type Resource = keyof typeof CSV_COLUMNS;

/** The server leaves out what is in a column of this name. */
const LEFT_OUT = '-';

const nameOf = (title: string) => title.trim().toLowerCase();

/** Whether the header has only our names, each once: then there is nothing to ask. */
export function isOurs({ header }: FileHead, of: Resource): boolean {
  const columns: readonly string[] = CSV_COLUMNS[of];
  const names = header.map(nameOf).filter((name) => name !== '' && name !== LEFT_OUT);
  return names.every((name) => columns.includes(name)) && new Set(names).size === names.length;
}

/** The file with the names of our columns in its header. */
export function renamed(file: Blob, { delimiter, from, to }: FileHead, names: readonly string[]): Blob {
  return new Blob([file.slice(0, from), names.join(delimiter), file.slice(to)], { type: 'text/csv' });
}

/** What others call our columns, in either language. */
const ALSO: Readonly<Record<string, RegExp>> = {
  name: /^(title|label|designation|item|asset|location|place|bezeichnung|titel|gegenstand|objekt|ort|benennung)$/,
  external_key:
    /^(key|id|number|no\.?|sku|code|(asset|inventory|item|serial)[ _-]?(key|id|number|no\.?)|schlüssel|nummer|nr\.?|(inventar|anlagen|artikel|serien)[ _-]?(nummer|nr\.?))$/,
  description: /^(comment|remarks?|details|beschreibung|bemerkung|kommentar|anmerkung)$/,
  parent_external_key: /^(parent|within|in|inside|above|übergeordnet|innerhalb|liegt in)$/,
  is_active: /^(active|enabled|aktiv)$/,
  tags: /^(tag|etikett(en)?)$/,
};

function suggested({ header }: FileHead, of: Resource): string[] {
  const fields: Readonly<Record<string, string>> = texts.value.changes.fields;
  const left = new Set<string>(CSV_COLUMNS[of]);
  const take = (column: string | undefined) => {
    left.delete(column ?? '');
    return column;
  };
  const exactly = header.map((title) => take([...left].find((column) => column === nameOf(title))));
  return header.map((title, index) => {
    const name = nameOf(title);
    const likely = [...left].find(
      (column) => fields[column]?.toLowerCase() === name || ALSO[column]?.test(name) === true,
    );
    return exactly[index] ?? take(likely) ?? LEFT_OUT;
  });
}

/** Asks which column of a file is which of ours, with the first rows beside. */
export function MapColumns({
  head,
  of,
  isBusy,
  onMapped,
  onCancel,
}: {
  head: FileHead;
  of: Resource;
  isBusy: boolean;
  onMapped: (names: readonly string[]) => void;
  onCancel: () => void;
}) {
  const { imports: t, changes, common } = texts.value;
  const fields: Readonly<Record<string, string>> = changes.fields;
  const [names, setNames] = useState(() => suggested(head, of));
  const options = [
    { value: LEFT_OUT, word: t.leaveOut },
    ...CSV_COLUMNS[of].map((value) => ({ value, word: `${fields[value] ?? value} (${value})` })),
  ];
  // Each of our columns is taken once: the column that had it before is left out.
  const choose = (index: number, chosen: string) =>
    setNames(
      names.map((name, at) =>
        at === index ? chosen : chosen !== LEFT_OUT && name === chosen ? LEFT_OUT : name,
      ),
    );
  return (
    <form
      class="card stack"
      aria-labelledby="map-columns"
      onSubmit={(event) => {
        event.preventDefault();
        onMapped(names);
      }}
    >
      <h2 id="map-columns">{t.mapTitle}</h2>
      <p class="hint">{t.mapHint}</p>
      <ul class="map-columns">
        {head.header.map((title, index) => (
          <li key={index}>
            <Select
              label={title.trim() === '' ? t.unnamed(index + 1) : title}
              hint={t.such(head.rows.map((row) => row[index] ?? '').filter((cell) => cell.trim() !== ''))}
              options={options}
              value={names[index] ?? LEFT_OUT}
              onValue={(chosen) => choose(index, chosen)}
            />
          </li>
        ))}
      </ul>
      {!names.includes('name') && <p class="fault">{t.nameMissing}</p>}
      <div class="buttons">
        <button type="submit" class="primary" disabled={isBusy || !names.includes('name')}>
          {t.goOn}
        </button>
        <button type="button" class="secondary" onClick={onCancel}>
          {common.cancel}
        </button>
      </div>
    </form>
  );
}
