import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { Registry } from 'prom-client';
import { Problem } from '../../../platform/http/problem.ts';
import { limitSignInFailures, networkOf } from '../../../platform/rate-limit/sign-in-failures.ts';

describe('failures to sign in', () => {
  const refusal = new Problem('unauthorized', 'Invalid or expired token');

  it('are counted by address, of IPv6 by subscriber', () => {
    for (const [address, network] of [
      ['192.0.2.7', '192.0.2.7'],
      ['::ffff:192.0.2.7', '192.0.2.7'],
      ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
      ['2001:0db8:0001:0002::6', '2001:db8:1:2'],
      ['2001:db8::6', '2001:db8:0:0'],
      ['fe80::1%eth0', 'fe80:0:0:0'],
      ['::1', '0:0:0:0'],
      ['', ''],
    ] as const) {
      expect(networkOf(address), address).to.equal(network);
    }
  });

  it('are told to wait beyond their number, until a part of the minute has passed', () => {
    let now = 0;
    const refuse = limitSignInFailures(6, () => now, new Registry());
    const types = (address: string, count: number) =>
      Array.from({ length: count }, () => refuse(refusal, address).type);
    expect(types('192.0.2.1', 7)).to.deep.equal([...new Array(6).fill('unauthorized'), 'rate_limited']);
    expect(types('192.0.2.2', 1)).to.deep.equal(['unauthorized']);
    const { headers, message } = refuse(refusal, '192.0.2.1');
    expect(headers).to.deep.equal({ 'Retry-After': '10', Connection: 'close' });
    expect(message).to.match(/^Retry after 10 seconds/);
    now = 10_000_000;
    expect(types('192.0.2.1', 2)).to.deep.equal(['unauthorized', 'rate_limited']);
  });

  it('take no more memory for a million addresses than for a hundred thousand', () => {
    const refuse = limitSignInFailures(600, () => 0, new Registry());
    const sizeAfter = (count: number) => {
      for (let index = 0; index < count; index++) {
        refuse(refusal, `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`);
      }
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    const first = sizeAfter(100_000);
    expect(sizeAfter(1_000_000)).to.be.below(first + 60_000_000);
  });
});

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}
