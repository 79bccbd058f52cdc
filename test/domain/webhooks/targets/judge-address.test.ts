import { expect } from 'chai';
import { type Networks, parseNetworks } from '../../../../base/networks.ts';
import { judgeAddress } from '../../../../domain/webhooks/targets/judge-address.ts';

describe('the addresses that webhooks may reach', () => {
  const named = (text: string) => parseNetworks(text) as Networks;

  it('are the public ones', () => {
    for (const address of ['93.184.216.34', '8.8.8.8', '2606:2800:220:1::1', '::ffff:93.184.216.34']) {
      expect(judgeAddress(address, []), address).to.equal('public');
    }
  });

  it('are not loopback, link-local, private or reserved ones, in whatever form', () => {
    const refused = [
      ...['127.0.0.1', '127.255.255.254', '0.0.0.0', '0.1.2.3', '10.0.0.1', '172.16.0.1', '172.31.255.255'],
      ...['192.168.1.1', '169.254.1.1', '100.64.0.1', '192.0.0.1', '192.0.2.1', '198.18.0.1', '198.51.100.1'],
      ...['203.0.113.1', '224.0.0.1', '240.0.0.1', '255.255.255.255'],
      ...['::', '::1', 'fe80::1', 'fe80::1%eth0', 'fc00::1', 'fd12::1', 'fec0::1', 'ff02::1', '2001:db8::1'],
      ...['::ffff:127.0.0.1', '::ffff:7f00:1', '0:0:0:0:0:ffff:10.0.0.1', '::127.0.0.1', '::7f00:1'],
      ...['64:ff9b::7f00:1', '64:ff9b:1::7f00:1', '2002:7f00:1::', '2001::1', '::ffff:0:127.0.0.1', '100::1'],
      ...['4000::1', 'e000::1'],
    ];
    for (const address of refused) {
      expect(judgeAddress(address, []), address).to.equal('refused');
    }
  });

  it('are those that an operator names, of the same kind of address', () => {
    const networks = named('10.20.0.0/16, fd12:3456::/48,127.0.0.1');
    expect(judgeAddress('10.20.255.1', networks)).to.equal('named');
    expect(judgeAddress('::ffff:10.20.0.1', networks)).to.equal('named');
    expect(judgeAddress('10.21.0.1', networks)).to.equal('refused');
    expect(judgeAddress('fd12:3456::9', networks)).to.equal('named');
    expect(judgeAddress('fd12:3457::9', networks)).to.equal('refused');
    expect(judgeAddress('127.0.0.1', networks)).to.equal('named');
    expect(judgeAddress('127.0.0.2', networks)).to.equal('refused');
    expect(judgeAddress('::ffff:10.20.0.1', named('::ffff:10.20.0.0/112'))).to.equal('named');
  });

  it('are never those at which clouds give credentials away, even if all is named', () => {
    const everything = named('0.0.0.0/0,::/0');
    const metadata = [
      ...['169.254.169.254', '169.254.170.2', '169.254.170.23', '168.63.129.16', '100.100.100.200'],
      ...['192.0.0.192', 'fd00:ec2::254', 'fd00:ec2::23', 'fd20:ce::254'],
      ...[
        '::ffff:169.254.169.254',
        '::ffff:a9fe:a9fe',
        '64:ff9b::a9fe:a9fe',
        '2002:a9fe:a9fe::',
        '::a9fe:a9fe',
        '64:ff9b::a83f:8110',
        '2002:a83f:8110::',
      ],
    ];
    for (const address of metadata) {
      expect(judgeAddress(address, everything), address).to.equal('metadata');
    }
    expect(judgeAddress('169.254.169.253', everything)).to.equal('named');
  });

  it('are named by CIDR blocks, and by nothing that is none', () => {
    for (const text of [
      '',
      '10.0.0.0/33',
      '10/8',
      '10.0.0.0/',
      '10.0.0.0/8/8',
      'erp.example.com',
      '0x7f.1/8',
      '::/129',
      'fe80::1%eth0/64',
      '10.0.0.0/8,',
    ]) {
      expect(parseNetworks(text), text).to.equal(undefined);
    }
  });
});
