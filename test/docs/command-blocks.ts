import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Commands that a document shows, and what its author says of them in a comment right in front. */
export interface CommandBlock {
  /** `docs/integrators.md:31`. */
  place: string;
  commands: string;
  /** Why they cannot be run here: `<!-- not run here: reason -->`. */
  notRunBecause: string | null;
  /** That the API refuses them, and with what: `<!-- answers 404 -->`. */
  refusal: number | null;
}

/** The documents that may have commands, in the order in which a newcomer meets them. */
export function documents(): string[] {
  const first = ['README.md', 'docs/readers/README.md'];
  const all = globSync(
    ['README.md', 'docs/**/*.md', 'domain/**/README.md', 'db/**/*.md', 'clients/*/*.md', 'deploy/**/*.md'],
    { cwd: ROOT, exclude: (name) => name.endsWith('node_modules') },
  );
  return [...first, ...all.filter((file) => !first.includes(file)).sort()];
}

/** Documents whose commands are typed beside systems of their own; the others are typed beside one. */
export const [OF_READERS, OF_GUIDES] = ['docs/readers/', 'docs/guides/'];

export function commandBlocks(document: string): CommandBlock[] {
  const text = readFileSync(ROOT + document, 'utf8');
  const pattern = /(?:<!-- (.*?) -->\n)?^```sh\n(.*?)^```$/gms;
  return [...text.matchAll(pattern)].map(({ 1: remark = '', 2: commands = '', index }) => ({
    place: `${document}:${text.slice(0, index).split('\n').length}`,
    commands,
    notRunBecause: /^not run here: (.+)$/.exec(remark)?.[1] ?? null,
    refusal: Number(/^answers (\d{3})$/.exec(remark)?.[1] ?? 0) || null,
  }));
}

/** The files that a document has its reader write: what follows a line that ends with the name, `` `scan.json`: ``. */
export function filesToWrite(document: string): { name: string; content: string }[] {
  const text = readFileSync(ROOT + document, 'utf8');
  return [...text.matchAll(/`([\w-]+\.json)`:\n\n^```json\n(.*?)^```$/gms)].map(
    ({ 1: name = '', 2: content = '' }) => ({ name, content }),
  );
}
