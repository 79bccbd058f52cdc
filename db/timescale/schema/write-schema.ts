/** `npm run schema`: regenerates `schema.sql` from the migrations. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '../connections/client.ts';
import { connectionConfig } from '../connections/connection.ts';
import { withDatabase } from '../connections/database-url.ts';
import { startEmbedded } from '../embedded/server.ts';
import { createDatabase } from './create-database.ts';
import { describeSchema } from './describe-schema.ts';
import { migrate } from './migrate.ts';

const folder = mkdtempSync(join(tmpdir(), 'tagtrail-schema-'));
chmodSync(folder, 0o711);
const server = await startEmbedded({ data: folder, durable: false });
try {
  const url = withDatabase(server.url, 'tagtrail');
  await createDatabase(url);
  await migrate(url);
  const client = new Client(connectionConfig(url));
  await client.connect();
  writeFileSync(new URL('schema.sql', import.meta.url), await describeSchema(client));
  await client.end();
} finally {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
