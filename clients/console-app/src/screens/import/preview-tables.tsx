import { Icon } from '../../../../ui/parts/icon.tsx';
import type { ImportFault, ImportOutcome, ImportRow } from '../../api/types.ts';
import { saveCsv } from '../../parts/save-file.ts';
import { ServerText } from '../../parts/server-text.tsx';
import { PlainTable } from '../../parts/table.tsx';
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
          onClick={() =>
            saveCsv('faults', [COLUMNS, ...faults.map((fault) => COLUMNS.map((name) => fault[name]))])
          }
        >
          <Icon name="download" /> {t.saveFaults}
        </button>
      </div>
      <PlainTable
        label={t.parts.faulty}
        class="import-rows"
        rows={faults}
        columns={[
          { title: t.line, isNumber: true, cell: ({ line }) => line },
          {
            title: t.column,
            class: 'mono',
            cell: ({ column }) => (column === 'file' ? '–' : column),
          },
          {
            title: t.cell,
            class: 'mono wrap',
            cell: ({ value }) => (value === null || value === '' ? <span class="none">–</span> : value),
          },
          { title: t.fault, cell: (fault) => <Fault fault={fault} /> },
        ]}
      />
      {leftOut > 0 && <p class="hint table-foot">{t.moreFaults(leftOut)}</p>}
    </div>
  );
}

function Fault({ fault }: { fault: ImportFault }) {
  const remedy = remedyOf(fault);
  return (
    <>
      <ServerText text={fault.message} />
      {remedy !== null && <p class="hint">{remedy}</p>}
    </>
  );
}

const COLUMNS = ['line', 'column', 'value', 'code', 'message'] as const;

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
      <PlainTable
        label={title}
        class="import-rows"
        rows={rows}
        rowKey={({ line }) => line}
        columns={[
          { title: t.line, isNumber: true, weight: 3, cell: ({ line }) => line },
          {
            title: texts.value.items.key,
            class: 'mono',
            cell: ({ external_key: key }) => key ?? <span class="none">{t.newKey}</span>,
          },
          { title: texts.value.items.name, weight: 2, class: 'title', cell: ({ name }) => name },
          {
            title: t.fields,
            cell: ({ fields }) => (
              <ul class="import-fields">
                {fields.map(({ field, from, to }) => (
                  <li key={field}>
                    <span class="mono faint">{field}</span> {from !== null && <del>{valueText(from)}</del>}{' '}
                    <ins>{valueText(to)}</ins>
                  </li>
                ))}
              </ul>
            ),
          },
        ]}
      />
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
