/**
 * A receiver of webhooks as a process of its own, to be killed: `node receiver-process.ts <port> <journal>`. It notes what
 * it gets in the order of arrival, before it answers, as lines of `path asset position body`.
 */
import { openSync, writeSync } from 'node:fs';
import { createServer } from 'node:http';

const [port = '0', journal = ''] = process.argv.slice(2);
const file = openSync(journal, 'a');

createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body = Buffer.concat(chunks).toString('utf8');
    const { data } = JSON.parse(body);
    writeSync(file, `${request.url} ${data.asset.id} ${data.position} ${body}\n`);
    // Some answers take a while, so that something is under way whenever somebody is killed.
    setTimeout(() => response.writeHead(204).end(), data.position % 7 === 0 ? 20 : 0);
  });
}).listen(Number(port), '127.0.0.1', () => process.stdout.write('listening\n'));
