/**
 * Ingestion as a process of its own, to be killed: `node ingest-process.ts <database url> <port>`. Says `ready` on
 * standard output when readers can connect.
 */
import { startEmbeddedIngest } from '../../services/mqtt-ingest/ingest.ts';
import { TIME_RULES } from '../support/ingest.ts';

const [databaseUrl = '', port = '0'] = process.argv.slice(2);
const print = (context: object, message: string) => console.error(message, context);
await startEmbeddedIngest({
  databaseUrl,
  host: '127.0.0.1',
  port: Number(port),
  rules: TIME_RULES,
  log: { info: print, warn: print, error: print },
});
console.log('ready');
