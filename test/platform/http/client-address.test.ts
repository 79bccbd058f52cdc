import type { IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { type Networks, parseNetworks } from '../../../base/networks.ts';
import { clientAddress, TRUSTED_PROXIES } from '../../../platform/http/client-address.ts';
import { timeOf } from '../../support/held-loop.ts';

describe('the address that a request comes from', () => {
  const of = (remoteAddress: string, forwarded: string | null, trusted: string | null) =>
    clientAddress(
      {
        socket: { remoteAddress },
        headers: forwarded === null ? {} : { 'x-forwarded-for': forwarded },
      } as unknown as IncomingMessage,
      trusted === null ? [] : (parseNetworks(trusted) as Networks),
    );

  it("is the connection's, whatever the request claims, unless a trusted proxy sent it", () => {
    expect(of('192.0.2.7', '198.51.100.1', null)).to.equal('192.0.2.7');
    expect(of('192.0.2.7', '198.51.100.1', '10.0.0.0/24')).to.equal('192.0.2.7');
    expect(of('10.0.0.5', '198.51.100.1', '10.0.0.0/24')).to.equal('198.51.100.1');
    expect(of('::ffff:10.0.0.5', '2001:db8::9', '10.0.0.0/24')).to.equal('2001:db8::9');
    expect(of('fe80::1%eth0', '198.51.100.1', 'fe80::/64')).to.equal('198.51.100.1');
  });

  it('is what the outermost trusted proxy saw, not what the client wrote in front of it', () => {
    const forged = '203.0.113.9, 127.0.0.1, 198.51.100.1, 10.0.0.6';
    expect(of('10.0.0.5', forged, '10.0.0.0/24')).to.equal('198.51.100.1');
    expect(of('10.0.0.5', '198.51.100.1, 10.0.0.7, 10.0.0.6', '10.0.0.0/24')).to.equal('198.51.100.1');
  });

  it("is the last proxy's where that does not say an address", () => {
    for (const unsaid of ['', 'unknown', '_hidden', '198.51.100.1, x', '300.1.1.1', null]) {
      expect(of('10.0.0.5', unsaid, '10.0.0.0/24'), String(unsaid)).to.equal('10.0.0.5');
    }
    expect(of('10.0.0.5', '10.0.0.6', '10.0.0.0/24')).to.equal('10.0.0.6');
  });

  it('is read with a port, as some proxies write it', () => {
    expect(of('10.0.0.5', '198.51.100.1:4711', '10.0.0.5')).to.equal('198.51.100.1');
    expect(of('10.0.0.5', '[2001:db8::9]:4711', '10.0.0.5')).to.equal('2001:db8::9');
    expect(of('10.0.0.5', '[2001:db8::9]', '10.0.0.5')).to.equal('2001:db8::9');
  });

  it('is found at once, whatever is in the longest header that fits', () => {
    const time = timeOf(() => {
      for (const part of ['10.0.0.6,', ',', '1.1.1.1:1', '[', '1.']) {
        of('10.0.0.5', part.repeat(16_384 / part.length), '10.0.0.0/24');
      }
    });
    expect(time).to.be.below(250);
  });

  it('cannot be left to everybody by the setting', () => {
    for (const text of ['0.0.0.0/0', '::/0', '10.0.0.5,0.0.0.0/1', '::ffff:0.0.0.0/97', 'proxy', '*']) {
      expect(TRUSTED_PROXIES.read(text), text).to.equal(undefined);
    }
    expect(TRUSTED_PROXIES.read('127.0.0.1, 10.0.0.0/8, fd12::/16')).to.have.length(3);
  });
});
