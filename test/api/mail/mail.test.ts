import { expect } from 'chai';
import { useApi } from '../../support/api.ts';
import { type MailServerHere, startMailServer } from '../../support/mail-server.ts';
import { raiseAlert } from './raise-alert.ts';

describe('the API with SMTP_URL', () => {
  let server: MailServerHere;
  before(async () => {
    server = await startMailServer();
  });
  after(() => server.close());
  const api = useApi({
    get SMTP_URL() {
      return { host: server.host, port: server.port, isSecure: false, login: null };
    },
    MAIL_FROM: { name: 'Lager', address: 'alerts@example.com' },
    CONSOLE_URL: 'https://tracking.example.com',
  });

  it('sends an alert to whom its rule names, and counts it', async () => {
    await raiseAlert(api.database);
    await server.got(1);
    expect(server.received[0]).to.deep.include({ from: 'alerts@example.com', to: ['ada@example.com'] });
    expect(server.received[0]?.headers.get('to')).to.equal('Ada <ada@example.com>');
    const metrics = await (await fetch(`${api.url}/metrics`)).text();
    expect(metrics).to.include('tagtrail_mail_messages_total{outcome="refused"} 0');
  });
});
