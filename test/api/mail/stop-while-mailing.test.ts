import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect } from 'chai';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { Lifecycle } from '../../../platform/runtime/lifecycle.ts';
import { startMail } from '../../../services/api/mail/start-mail.ts';
import { useDatabase } from '../../support/database.ts';
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
    const lifecycle = new Lifecycle(log);
    const connected = once(server, 'connection') as Promise<[Socket]>;
    const registry = new Registry();
    await startMail(
      {
        ...{ DATABASE_URL: database.url, CONSOLE_URL: null },
        SMTP_URL: { host: '127.0.0.1', port, isSecure: false, login: null },
        MAIL_FROM: { name: 'Lager', address: 'alerts@example.com' },
      },
      { log, lifecycle, registry },
    );
    const [socket] = await connected;
    await lifecycle.stop();
    expect(lines.join('')).to.include('Not taken before the process ended').and.to.include('will retry');
    expect(await registry.metrics()).to.include('tagtrail_mail_messages_total{outcome="failed"} 1');
    socket.destroy();
  });
});
