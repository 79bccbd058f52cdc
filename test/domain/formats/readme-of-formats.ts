import { readFileSync } from 'node:fs';

/** What the guide to formats shows: a user's own format with its payload, and the whole language. */
export function readmeOfFormats() {
  const text = readFileSync(new URL('../../../domain/formats/built-in/README.md', import.meta.url), 'utf8');
  const [payload = '', definition = '', language = ''] = blocks(text, 'json');
  return { payload, definition, language };
}

function blocks(text: string, language: string): string[] {
  return [...text.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))].map(
    ([, block = '']) => block,
  );
}
