/**
 * Ingestion as a process of its own, to be killed: `node ingest-process.ts <database url> <port> [<port for HTTP>]`. Says `ready` on
 * standard output when readers can connect.
 */
import { pino } from 'pino';
import { Lifecycle } from '../../platform/runtime/lifecycle.ts';
import { startEmbeddedIngest } from '../../services/mqtt-ingest/ingest.ts';
import { ingestConfig } from '../support/ingest.ts';

const [databaseUrl = '', port = '0', pushPort] = process.argv.slice(2);
const log = pino({ level: 'warn' }, pino.destination(process.stderr.fd));
const config = ingestConfig(databaseUrl, Number(port), pushPort === undefined ? null : Number(pushPort));
await startEmbeddedIngest(config, log, new Lifecycle(log));
console.log('ready');
