import { expect } from 'chai';
import { useDatabase } from '../support/database.ts';
import { type MailServerHere, startMailServer } from '../support/mail-server.ts';
import { startWorker, type TestWorker } from '../support/worker.ts';
import { raiseAlert } from './raise-alert.ts';

describe('a worker with SMTP_URL', () => {
  let server: MailServerHere;
  let worker: TestWorker;
  const database = useDatabase();
  before(async () => {
    server = await startMailServer();
    worker = await startWorker(database, {
      SMTP_URL: { host: server.host, port: server.port, isSecure: false, login: null },
      MAIL_FROM: { name: 'Lager', address: 'alerts@example.com' },
      CONSOLE_URL: 'https://tracking.example.com',
    });
  });
  after(() => server.close());
  it('sends an alert to whom its rule names, and counts it', async () => {
    await raiseAlert(database);
    await server.got(1);
    expect(server.received[0]).to.deep.include({ from: 'alerts@example.com', to: ['ada@example.com'] });
    expect(server.received[0]?.headers.get('to')).to.equal('Ada <ada@example.com>');
    const metrics = await worker.metrics();
    expect(metrics).to.include('tagtrail_mail_messages_total{outcome="refused"} 0');
  });

  it('sends alerts of another organization while the server says nothing to those of one', async () => {
    const released = Promise.withResolvers<void>();
    server.holds = (address) => (address === 'held@example.com' ? released.promise : null);
    const before = server.received.length;
    await raiseAlert(database, 'held@example.com');
    await server.got(before + 1);
    await raiseAlert(database, 'bo@example.com');
    await server.got(before + 2);
    expect(server.received.at(-1)?.to).to.deep.equal(['bo@example.com']);
    // So nobody has given up the message that is held.
    const metrics = await worker.metrics();
    expect(metrics).to.include('tagtrail_mail_messages_total{outcome="failed"} 0');
    released.resolve();
  });
});
