import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onServer } from './database.ts';
import { notesFolder } from './programs.ts';

/**
 * Does the work unless a test file of this run has done it. Files run in processes of their own: others that want the same
 * wait for a lock on the server that all share, which ends with the process that holds it.
 */
export async function onceARun(name: string, work: () => Promise<unknown>): Promise<void> {
  await onServer(async (client) => {
    await client.query('select pg_advisory_lock(hashtext($1))', [name]);
    const done = join(notesFolder(), name);
    if (!existsSync(done)) {
      await work();
      writeFileSync(done, '');
    }
  });
}
