import type { ImportRow } from '../../api/types.ts';
import { texts } from '../../texts/texts.ts';

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
