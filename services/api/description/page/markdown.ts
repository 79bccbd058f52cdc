import { type Html, html } from './html.ts';

/** A heading and what stands below it. */
export interface Section {
  id: string;
  title: string;
  body: Html;
}

/**
 * Reads the Markdown that the description is written in: paragraphs, lists, tables, fenced code, and within a line
 * code, bold and links. What stands before the first heading is the introduction.
 */
export function readMarkdown(text: string): { introduction: Html; sections: Section[] } {
  const [introduction = '', ...parts] = text.split(/^## /m);
  const sections = parts.map((part) => {
    const [title = '', ...lines] = part.split('\n');
    return { id: title.toLowerCase().replace(/[^a-z]+/g, '-'), title, body: blocks(lines.join('\n')) };
  });
  return { introduction: blocks(introduction), sections };
}

/** The text of one line or paragraph. */
export function inline(text: string): Html {
  const parts = text.split(/(`[^`]+`|\*\*[^*]+\*\*|\[[^\]]+\]\([^)]+\))/);
  return html`${parts.map((part) => {
    const link = /^\[(.+)\]\((.+)\)$/.exec(part);
    if (link !== null) {
      return html`<a href="${link[2] ?? ''}">${link[1] ?? ''}</a>`;
    }
    if (part.startsWith('`')) {
      return html`<code>${part.slice(1, -1)}</code>`;
    }
    return part.startsWith('**') ? html`<strong>${part.slice(2, -2)}</strong>` : part;
  })}`;
}

function blocks(text: string): Html {
  // Fenced code may hold empty lines, which separate all other blocks.
  const parts = text.split(/^(```\w*\n[\s\S]*?^```$)/m);
  return html`${parts.map((part) =>
    part.startsWith('```')
      ? html`<pre><code>${part.replace(/^```\w*\n|\n?```$/g, '')}</code></pre>`
      : part
          .split(/\n{2,}/)
          .map((block) => block.trim())
          .filter((block) => block !== '')
          .map(block),
  )}`;
}

function block(text: string): Html {
  if (text.startsWith('|')) {
    return table(text.split('\n'));
  }
  if (text.startsWith('- ')) {
    const items = text.slice(2).split(/\n- /);
    return html`<ul>${items.map((item) => html`<li>${inline(unwrapped(item))}</li>`)}</ul>`;
  }
  return html`<p>${inline(unwrapped(text))}</p>`;
}

function table([head = '', , ...rows]: readonly string[]): Html {
  const titles = cells(head);
  return html`<div class="wide"><table>
<thead><tr>${titles.map((title) => html`<th scope="col">${inline(title)}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${cells(row).map((cell) => html`<td>${inline(cell)}</td>`)}</tr>`)}</tbody>
</table></div>`;
}

function cells(row: string): string[] {
  return row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}

function unwrapped(text: string): string {
  return text.replace(/\n\s*/g, ' ');
}
