import { type Html, html } from './html.ts';

/** JSON, indented and coloured. If it overflows, it can be scrolled by keyboard, too. */
export function json(value: unknown): Html {
  const text = JSON.stringify(value, null, 2);
  return html`<pre tabindex="0"><code>${[...text.matchAll(TOKEN)].map(([token, key, string, literal]) => {
    if (key !== undefined) {
      return html`<b>${key}</b>:`;
    }
    if (string !== undefined) {
      return html`<i>${string}</i>`;
    }
    return literal === undefined ? token : html`<u>${literal}</u>`;
  })}</code></pre>`;
}

const TOKEN = /("(?:[^"\\]|\\.)*"):|("(?:[^"\\]|\\.)*")|(-?\d[\d.eE+-]*|true|false|null)|[^"\d\-tfn]+|./g;

export interface CurlRequest {
  method: string;
  path: string;
  body: { type: string; example: unknown } | null;
}

export function curl({ method, path, body }: CurlRequest): Html {
  const verb = method === 'GET' || (method === 'POST' && body !== null) ? '' : `-X ${method} `;
  const lines = [`curl ${verb}"$BASE_URL${path}"`, '-H "Authorization: Bearer $API_KEY"'];
  if (body !== null) {
    lines.push(`-H "Content-Type: ${body.type}"`, `-d ${quoted(JSON.stringify(body.example))}`);
  }
  return html`<pre class="line"><code>${lines.join(' \\\n  ')}</code></pre>`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
