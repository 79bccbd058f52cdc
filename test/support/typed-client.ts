import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { onceARun } from './once-a-run.ts';

const BUILD = fileURLToPath(new URL('../../clients/typescript/build/main.ts', import.meta.url));
const BUILT = new URL('../../clients/typescript/dist/index.js', import.meta.url).href;

/** What the package exports. It is typed by its own program's compilation only: its types are generated. */
// biome-ignore lint/suspicious/noExplicitAny: there are no types before it is built
type Exports = Record<string, any>;

export function buildTypedClient(): Promise<unknown> {
  return promisify(execFile)(process.execPath, [BUILD]);
}

/** Builds the client from the description, if no file of this run has, and loads what was built. */
export function useTypedClient(): () => Exports {
  let exports: Exports = {};
  before(async () => {
    await onceARun('typed-client', buildTypedClient);
    exports = await import(BUILT);
  });
  return () => exports;
}
