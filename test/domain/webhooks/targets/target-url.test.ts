import { expect } from 'chai';
import { type Networks, parseNetworks } from '../../../../base/networks.ts';
import { faultOfTarget, normalizedTarget } from '../../../../domain/webhooks/targets/target-url.ts';

describe('the URL of a webhook', () => {
  const networks = parseNetworks('127.0.0.0/8,fd12::/16') as Networks;

  it('is https to a public address, or to a name', () => {
    for (const url of [
      'https://example.com/hooks?a=b',
      'https://93.184.216.34:8443/',
      'https://[2606:2800:220:1::1]/',
    ]) {
      expect(faultOfTarget(url, []), url).to.equal(null);
    }
  });

  it('is no metadata address in any spelling, and no setting is promised to change that', () => {
    for (const host of ['169.254.169.254', '0xa9fea9fe', '2852039166', '[fd00:ec2::254]']) {
      for (const allowed of [[], parseNetworks('0.0.0.0/0,::/0') as Networks]) {
        expect(faultOfTarget(`https://${host}/`, allowed), host)
          .to.match(/always refused/)
          .and.not.match(/an operator can allow/);
      }
    }
  });

  it('is no loopback in any spelling, and no private address', () => {
    const hosts = [
      ...[
        '127.0.0.1',
        '2130706433',
        '0x7f000001',
        '0x7f.1',
        '0177.0.0.1',
        '017700000001',
        '127.1',
        '127.0.0.1.',
      ],
      ...['０x7f.1', '①②⑦.0.0.1', '0', '10.0.0.1'],
      ...[
        '[::1]',
        '[::]',
        '[::ffff:127.0.0.1]',
        '[::ffff:7f00:1]',
        '[0:0:0:0:0:ffff:7f00:0001]',
        '[::127.0.0.1]',
      ],
      ...['[fe80::1]', '[64:ff9b::7f00:1]', '[2002:7f00:1::]'],
    ];
    for (const host of hosts) {
      expect(faultOfTarget(`https://${host}/`, []), host).to.match(/not a public address/);
    }
  });

  it('is plain http only to a network that an operator named', () => {
    expect(faultOfTarget('http://127.0.0.1:8080/', networks)).to.equal(null);
    expect(faultOfTarget('http://[fd12::1]/', networks)).to.equal(null);
    expect(
      faultOfTarget('http://erp.example.com/', networks),
      'a name, judged when it is looked up',
    ).to.equal(null);
    for (const url of ['http://93.184.216.34/', 'http://[2606:2800:220:1::1]/']) {
      expect(faultOfTarget(url, networks), url).to.match(/https:\/\/.*WEBHOOK_NETWORKS/);
    }
    expect(faultOfTarget('http://erp.example.com/', [])).to.match(/WEBHOOK_NETWORKS/);
  });

  it('has no user, no password and no other scheme', () => {
    expect(faultOfTarget('https://user@example.com/', [])).to.match(/user name or password/);
    expect(faultOfTarget('https://:secret@example.com/', [])).to.match(/user name or password/);
    expect(faultOfTarget('https://example.com@10.0.0.1/', [])).to.match(/user name or password/);
    for (const url of [
      'ftp://example.com/',
      'file:///etc/passwd',
      'gopher://127.0.0.1:6379/',
      'data:,',
      'ws://example.com/',
    ]) {
      expect(faultOfTarget(url, networks), url).to.match(/must begin with https/);
    }
    for (const url of ['', 'example.com/hooks', 'https://', 'https://a b/']) {
      expect(faultOfTarget(url, networks), url).to.match(/must be an address/);
    }
    expect(faultOfTarget(`https://example.com/${'a'.repeat(2_048)}`, [])).to.match(/2048 characters/);
  });

  it('is stored as it is called', () => {
    expect(normalizedTarget('HTTPS://Example.COM:443/a/../b#part')).to.equal('https://example.com/b');
    expect(normalizedTarget('http://0x7f.1:80/')).to.equal('http://127.0.0.1/');
  });
});
