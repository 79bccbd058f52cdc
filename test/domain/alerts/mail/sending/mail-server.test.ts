import { expect } from 'chai';
import {
  isAddress,
  needsTls,
  parseMailServer,
  parseSender,
} from '../../../../../domain/alerts/mail/sending/mail-server.ts';

describe('SMTP_URL and MAIL_FROM', () => {
  it('name a server, with the ports of submission unless another is given', () => {
    expect(parseMailServer('smtp://mail.example.com')).to.deep.equal({
      ...{ host: 'mail.example.com', port: 587, isSecure: false, login: null },
    });
    expect(parseMailServer('smtps://mail.example.com/')).to.deep.include({ port: 465, isSecure: true });
    expect(parseMailServer('smtp://[::1]:2525')).to.deep.include({ host: '::1', port: 2525 });
  });

  it('may have a login, in which any character can be escaped', () => {
    expect(parseMailServer('smtp://me%40example.com:a%2Fb%3Ac@mail.example.com')?.login).to.deep.equal({
      user: 'me@example.com',
      password: 'a/b:c',
    });
  });

  it('is refused if it is anything else', () => {
    const wrong = [
      ...['', 'mail.example.com', 'http://mail.example.com', 'smtp://', 'smtp://:secret@mail.example.com'],
      ...[
        'smtp://mail.example.com/path',
        'smtp://mail.example.com?tls=off',
        'smtp://a:%E0%A4@mail.example.com',
      ],
    ];
    for (const text of wrong) {
      expect(parseMailServer(text), text).to.equal(undefined);
    }
  });

  it('sends a password over TLS only, unless to this machine', () => {
    const isNeeded = (text: string) => {
      const server = parseMailServer(text);
      return server !== undefined && needsTls(server);
    };
    expect(isNeeded('smtp://a:b@mail.example.com')).to.equal(true);
    for (const text of ['smtp://mail.example.com', 'smtps://a:b@mail.example.com', 'smtp://a:b@[::1]']) {
      expect(isNeeded(text), text).to.equal(false);
    }
  });

  it('name a sender, with a name or without', () => {
    expect(parseSender('alerts@example.com')).to.deep.equal({ name: '', address: 'alerts@example.com' });
    expect(parseSender('Lager Süd <alerts@example.com>')).to.deep.equal({
      name: 'Lager Süd',
      address: 'alerts@example.com',
    });
    for (const text of ['', 'alerts', 'a@b@c', 'a@b.c\nBcc: d@e.f', 'X\r\nY <a@b.c>', 'a@b.c, d@e.f']) {
      expect(parseSender(text), text).to.equal(undefined);
      expect(isAddress(text), text).to.equal(false);
    }
  });
});
