import { expect } from 'chai';
import { runCommand } from '../support/command-line.ts';
import { LOGIN, startMailServer } from '../support/mail-server.ts';

describe('tagtrail mail test', () => {
  const tagtrail = (settings: Record<string, string>, ...args: string[]) =>
    runCommand(['mail', 'test', '--to', 'ada@example.com', ...args], settings);

  it('sends one e-mail, and says what the server answered', async () => {
    const server = await startMailServer({ login: true });
    const settings = {
      SMTP_URL: `smtp://${LOGIN.user}:${encodeURIComponent(LOGIN.password)}@127.0.0.1:${server.port}`,
      MAIL_FROM: 'Lager <alerts@example.com>',
      CONSOLE_URL: 'https://tracking.example.com',
    };
    expect(await tagtrail(settings)).to.deep.equal({
      status: 0,
      stdout:
        "Sent to ada@example.com: 127.0.0.1 took it. If it does not arrive, look at that server's log\n",
      stderr: '',
    });
    expect(server.received[0]).to.deep.include({ from: 'alerts@example.com', to: ['ada@example.com'] });
    expect(server.received[0]?.text).to.include('https://tracking.example.com');
    server.refusal = () => 550;
    const { status, stdout } = await tagtrail(settings, '--json');
    expect(status).to.equal(1);
    expect(JSON.parse(stdout)).to.deep.include({ sent: false, outcome: 'refused' });
    await server.close();
  });

  it('names the setting that is missing, and tells no password', async () => {
    const none = await tagtrail({});
    expect(none.status).to.equal(1);
    expect(none.stderr).to.include('SMTP_URL is not set');
    const halved = await tagtrail({ SMTP_URL: 'smtp://a:sesame@mail.example.com' });
    expect(halved.stderr).to.include('MAIL_FROM is not set').and.not.include('sesame');
    const wrong = await tagtrail({ SMTP_URL: 'http://a:sesame@mail.example.com' });
    expect(wrong.stderr).to.include('SMTP_URL is not valid').and.not.include('sesame');
  });
});
