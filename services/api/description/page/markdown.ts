import { Marked, type Token, type Tokens } from 'marked';
import { Html, html } from './html.ts';

export interface Section {
  id: string;
  title: string;
  body: Html;
}

/** HTML in Markdown is shown as plain text; scrollable parts can be reached by keyboard. */
const MARKDOWN = new Marked({
  tokenizer: { html: () => undefined, tag: () => undefined },
  renderer: {
    code: ({ text }) => html`<pre tabindex="0"><code>${text}</code></pre>`.text,
    table({ header, rows }) {
      const row = (cells: readonly Tokens.TableCell[]) =>
        `<tr>${cells.map((cell) => this.tablecell(cell)).join('')}</tr>`;
      return `<div class="wide" tabindex="0"><table>
<thead>${row(header)}</thead>
<tbody>${rows.map(row).join('')}</tbody>
</table></div>`;
    },
    tablecell({ header, tokens }) {
      const text = this.parser.parseInline(tokens);
      return header ? `<th scope="col">${text}</th>` : `<td>${text}</td>`;
    },
  },
});

/** Second-level headings begin sections; text before the first is the introduction. */
export function readMarkdown(text: string): { introduction: Html; sections: Section[] } {
  const introduction: Token[] = [];
  const sections: { title: string; tokens: Token[] }[] = [];
  for (const token of MARKDOWN.lexer(text)) {
    if (token.type === 'heading' && token['depth'] === 2) {
      sections.push({ title: token['text'], tokens: [] });
    } else {
      (sections.at(-1)?.tokens ?? introduction).push(token);
    }
  }
  return {
    introduction: blocks(introduction),
    sections: sections.map(({ title, tokens }) => ({ id: idOf(title), title, body: blocks(tokens) })),
  };
}

export function inline(text: string): Html {
  return new Html(MARKDOWN.parseInline(text, { async: false }));
}

function blocks(tokens: Token[]): Html {
  return new Html(MARKDOWN.parser(tokens));
}

function idOf(title: string): string {
  return title.toLowerCase().replace(/[^a-z]+/g, '-');
}
