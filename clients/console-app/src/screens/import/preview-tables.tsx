import { Icon } from '../../../../ui/parts/icon.tsx';
import type { ImportFault, ImportOutcome, ImportRow } from '../../api/types.ts';
import { saveFile } from '../../parts/save-file.ts';
import { texts } from '../../texts/texts.ts';

/** Every fault with its cell and what to do about it; as a file, to be mended beside the original. */
export function FaultTable({ outcome: { faults, faults_left_out: leftOut } }: { outcome: ImportOutcome }) {
  const t = texts.value.imports;
  return (
    <div class="table-box">
      <div class="table-tools">
        <button
          type="button"
          class="small secondary"
          onClick={() => saveFile('faults.csv', faultsAsCsv(faults))}
        >
          <Icon name="download" /> {t.saveFaults}
        </button>
      </div>
      <table class="table import-rows">
        <caption class="unseen">{t.parts.faulty}</caption>
        <thead>
          <tr>
            <th scope="col" class="number weight-3">
              {t.line}
            </th>
            <th scope="col">{t.column}</th>
            <th scope="col">{t.cell}</th>
            <th scope="col">{t.fault}</th>
          </tr>
        </thead>
        <tbody>
          {faults.map((fault, index) => (
            <FaultLine key={index} fault={fault} />
          ))}
        </tbody>
      </table>
      {leftOut > 0 && <p class="hint table-foot">{t.moreFaults(leftOut)}</p>}
    </div>
  );
}

function FaultLine({ fault }: { fault: ImportFault }) {
  const { line, column, value, message } = fault;
  const remedy = remedyOf(fault);
  return (
    <tr>
      <td class="number weight-3">{line}</td>
      <td class="mono">{column === 'file' ? '–' : column}</td>
      <td class="mono wrap">{value === null || value === '' ? <span class="none">–</span> : value}</td>
      <td>
        {message}
        {remedy !== null && <p class="hint">{remedy}</p>}
      </td>
    </tr>
  );
}

const COLUMNS = ['line', 'column', 'value', 'code', 'message'] as const;

function faultsAsCsv(faults: readonly ImportFault[]): string {
  const separator = texts.value.common.csv.separator === 'comma' ? ',' : ';';
  const lines = faults.map((fault) => COLUMNS.map((name) => cellOf(String(fault[name] ?? ''))));
  return [COLUMNS, ...lines].map((cells) => `${cells.join(separator)}\r\n`).join('');
}

/** A cell of somebody's file, escaped as in our exports: no formula, not even after a semicolon. */
function cellOf(text: string): string {
  const marked = text.replace(/([;\t\r\n])(?=['"]*[=+\-@＝＋－＠])/g, "$1'");
  const harmless = /^'*[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${marked}` : marked;
  return /[",;\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** The remedy for a fault, where its message does not give one. */
function remedyOf({ code, column, message }: ImportFault): string | null {
  const t = texts.value.imports.remedies;
  if (column === 'tags' && message.includes('attached elsewhere')) {
    return t.tagTaken;
  }
  if (column === 'tags' && /which line \d+ has too/.test(message)) {
    return t.tagTwice;
  }
  if (column === 'parent_external_key') {
    return t.parent;
  }
  if (column === 'metadata') {
    return t.metadata;
  }
  if (column === 'external_key' && message.includes('already')) {
    return t.keyTwice;
  }
  if (column === 'external_key') {
    return t.key;
  }
  switch (code) {
    case 'required':
      return t.required;
    case 'unknown_field':
      return t.unknownColumn;
    case 'too_long':
      return t.tooLong;
    default:
      return column.startsWith('valid_') ? t.time : null;
  }
}

/** Rows of one kind, with every field before and after. */
export function RowTable({
  title,
  rows,
  count,
}: {
  title: string;
  rows: readonly ImportRow[];
  count: number;
}) {
  const t = texts.value.imports;
  return (
    <div class="table-box">
      <table class="table import-rows">
        <caption class="unseen">{title}</caption>
        <thead>
          <tr>
            <th scope="col" class="number weight-3">
              {t.line}
            </th>
            <th scope="col">{texts.value.items.key}</th>
            <th scope="col" class="weight-2">
              {texts.value.items.name}
            </th>
            <th scope="col">{t.fields}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ line, external_key: key, name, fields }) => (
            <tr key={line}>
              <td class="number weight-3">{line}</td>
              <td class={key === null ? 'none' : 'mono'}>{key ?? t.newKey}</td>
              <td class="title weight-2">{name}</td>
              <td>
                <ul class="import-fields">
                  {fields.map(({ field, from, to }) => (
                    <li key={field}>
                      <span class="mono faint">{field}</span> {from !== null && <del>{valueText(from)}</del>}{' '}
                      <ins>{valueText(to)}</ins>
                    </li>
                  ))}
                </ul>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {count > rows.length && <p class="hint table-foot">{t.more(count - rows.length)}</p>}
    </div>
  );
}

interface Tag {
  tag_type: string;
  value: string;
}

/** A value as a cell of the file has it. */
function valueText(value: unknown): string {
  if (value === null || value === '') {
    return '–';
  }
  if (Array.isArray(value)) {
    const tags = (value as readonly Tag[]).map(({ tag_type, value: text }) => `${tag_type}:${text}`);
    return tags.length === 0 ? '–' : tags.join('; ');
  }
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
