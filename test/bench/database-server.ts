import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbedded } from '../../db/timescale/embedded/server.ts';

/** The server that `TEST_DATABASE_URL` names (a superuser's address), or an embedded one, thrown away at the end. */
export async function openDatabaseServer(): Promise<{ url: string; close(): Promise<void> }> {
  const url = process.env['TEST_DATABASE_URL'];
  if (url !== undefined) {
    return { url, close: async () => {} };
  }
  const folder = mkdtempSync(join(tmpdir(), 'tagtrail-bench-'));
  chmodSync(folder, 0o711);
  const embedded = await startEmbedded({ data: folder, durable: false });
  return {
    url: embedded.url,
    close: async () => {
      await embedded.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
