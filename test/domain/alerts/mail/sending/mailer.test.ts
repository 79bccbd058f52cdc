import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect } from 'chai';
import { escaped, htmlOf, subjectOf } from '../../../../../domain/alerts/mail/letter/letter.ts';
import type { MailServer } from '../../../../../domain/alerts/mail/sending/mail-server.ts';
import { openMailer } from '../../../../../domain/alerts/mail/sending/mailer.ts';
import { LOGIN, type MailServerHere, startMailServer } from '../../../../support/mail-server.ts';

describe('one e-mail', () => {
  let server: MailServerHere;
  let strict: MailServerHere;

  before(async () => {
    server = await startMailServer();
    strict = await startMailServer({ login: true });
  });

  after(() => Promise.all([server.close(), strict.close()]));

  const name = 'Küche <b>"1"</b>\r\nBcc: all@example.com';
  const letter = {
    subject: subjectOf(name),
    text: `Palette in ${name}\n.\nEnde`,
    html: htmlOf(`<p>${escaped(name)}</p>`),
  };
  const sendTo = (
    to: string,
    { host, port }: { host: string; port: number },
    login: MailServer['login'] = null,
  ) =>
    openMailer({ host, port, isSecure: false, login }, { name: 'Lager', address: 'alerts@example.com' }).send(
      { name: 'Ada "A" <x>', address: to },
      letter,
    );

  it('arrives as text and as HTML, with names as they are and no header of theirs', async () => {
    expect(await sendTo('ada@example.com', server)).to.deep.equal({ outcome: 'sent', error: null });
    const mail = server.received.at(-1);
    expect(mail).to.deep.include({ from: 'alerts@example.com', to: ['ada@example.com'] });
    expect(mail?.text).to.equal('Palette in Küche <b>"1"</b>\nBcc: all@example.com\n.\nEnde');
    expect(mail?.html).to.include('<p>Küche &lt;b&gt;&quot;1&quot;&lt;/b&gt;');
    expect([...(mail?.headers.keys() ?? [])])
      .to.include.members(['subject', 'message-id', 'date'])
      .and.not.include('bcc');
    expect(mail?.headers.get('auto-submitted')).to.equal('auto-generated');
  });

  it('logs in, if a login is given', async () => {
    expect((await sendTo('ada@example.com', strict, LOGIN)).outcome).to.equal('sent');
    expect(strict.received.at(-1)?.user).to.equal(LOGIN.user);
  });

  it('is refused for good by a reply 5yz, and may be tried again after 4yz', async () => {
    server.refusal = () => 550;
    expect(await sendTo('gone@example.com', server)).to.deep.include({ outcome: 'refused' });
    server.refusal = () => 451;
    const later = await sendTo('busy@example.com', server);
    expect(later.outcome).to.equal('failed');
    expect(later.error).to.include('451');
    server.refusal = () => null;
  });

  it('may be tried again where the sender is refused, or a login is asked for', async () => {
    server.senderRefusal = 550;
    expect(await sendTo('ada@example.com', server)).to.deep.include({ outcome: 'failed' });
    server.senderRefusal = null;
    server.refusal = () => 530;
    expect(await sendTo('ada@example.com', server)).to.deep.include({ outcome: 'failed' });
    server.refusal = () => null;
  });

  it('may be tried again where nobody listens, or the login is wrong, and never tells the password', async () => {
    const closed = await startMailServer();
    await closed.close();
    expect((await sendTo('ada@example.com', closed)).error).to.include('ECONNREFUSED');
    const wrong = await sendTo('ada@example.com', strict, { user: 'alerts', password: 'sesame-open' });
    expect(wrong.outcome).to.equal('failed');
    expect(wrong.error).to.include('535').and.not.include('sesame');
  });

  it('tells its password to no server beyond this machine without TLS, and smtps:// speaks nothing else', async () => {
    const told = strict.logins.length;
    // Another name of this machine than those that stand for nothing else.
    const elsewhere = { host: '0.0.0.0', port: strict.port };
    expect((await sendTo('ada@example.com', elsewhere, LOGIN)).outcome).to.equal('failed');
    expect(strict.logins).to.have.length(told);
    const received = server.received.length;
    const { host, port } = server;
    const sender = { name: '', address: 'alerts@example.com' };
    const secure = openMailer({ host, port, isSecure: true, login: null }, sender);
    expect((await secure.send({ name: '', address: 'ada@example.com' }, letter)).outcome).to.equal('failed');
    expect(server.received).to.have.length(received);
  });

  it('goes to no server whose certificate nobody trusts', async () => {
    const untrusted = await startMailServer({ offersTls: true });
    expect((await sendTo('ada@example.com', untrusted)).outcome).to.equal('failed');
    expect(untrusted.received).to.have.length(0);
    await untrusted.close();
  });

  it('fails, and leaves no connection, where the server goes on for ever with its greeting', async () => {
    const endless = createServer((socket) => {
      socket.on('error', () => {});
      const timer = setInterval(() => socket.write('220-mail.example.com\r\n'), 10);
      socket.on('close', () => clearInterval(timer));
    });
    await once(endless.listen(0, '127.0.0.1'), 'listening');
    const { port } = endless.address() as AddressInfo;
    const connected = once(endless, 'connection') as Promise<[Socket]>;
    const mailer = openMailer(
      { host: '127.0.0.1', port, isSecure: false, login: null },
      { name: '', address: 'alerts@example.com' },
      undefined,
      300,
    );
    const sent = mailer.send({ name: '', address: 'ada@example.com' }, letter);
    const [socket] = await connected;
    const closed = once(socket, 'close');
    expect(await sent).to.deep.equal({ outcome: 'failed', error: 'Not taken within 0.3 s' });
    await closed;
    endless.close();
  });
});
