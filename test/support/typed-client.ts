import { execFile } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { onServer } from './database.ts';
import { notesFolder } from './programs.ts';

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

/**
 * Does the work unless a test file of this run has done it. Files run in processes of their own: others that want the same
 * wait for a lock on the server that all share, which ends with the process that holds it.
 */
async function onceARun(name: string, work: () => Promise<unknown>): Promise<void> {
  await onServer(async (client) => {
    await client.query('select pg_advisory_lock(hashtext($1))', [name]);
    const done = join(notesFolder(), name);
    if (!existsSync(done)) {
      await work();
      writeFileSync(done, '');
    }
  });
}
