import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect } from 'chai';
import { pino } from 'pino';
import { useDatabase } from '../support/database.ts';
import { startWorker } from '../support/worker.ts';
import { raiseAlert } from './raise-alert.ts';

describe('a process that ends while a mail server lets it wait', () => {
  const database = useDatabase();
  // It greets, and answers nothing.
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.write('220 mail.example.com\r\n');
  });
  after(() => server.close());

  it('ends before the server does anything, and the message is tried again', async () => {
    await raiseAlert(database);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line) => lines.push(line) });
    const connected = once(server, 'connection') as Promise<[Socket]>;
    const settings = {
      SMTP_URL: { host: '127.0.0.1', port, isSecure: false, login: null },
      MAIL_FROM: { name: 'Lager', address: 'alerts@example.com' },
    };
    const worker = await startWorker(database, settings, log);
    const [socket] = await connected;
    await worker.stop();
    expect(lines.join('')).to.include('Not taken before the process ended').and.to.include('will retry');
    expect(await worker.metrics()).to.include('tagtrail_mail_messages_total{outcome="failed"} 1');
    socket.destroy();
  });
});
