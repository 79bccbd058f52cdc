import { expect } from 'chai';
import { ServerTls } from '../../../platform/runtime/server-tls.ts';
import { certificate } from '../../support/certificates.ts';
import { recordedLog } from '../../support/recorded-log.ts';

describe('a certificate that is replaced', () => {
  const of = (name: string, expiresAt: number) => ({
    ...{ cert: certificate(`${name}.crt`), key: certificate(`${name}.key`), ca: null, expiresAt },
  });

  it('is warned of, once, where the new one has expired', () => {
    const { log, lines } = recordedLog();
    const tls = new ServerTls(of('broker', Date.now() + 1e9), log);
    for (let look = 0; look < 3; look++) {
      tls.reload(() => of('renewed', Date.UTC(2026, 0, 1)));
    }
    expect(lines.map(({ msg }) => msg)).to.deep.equal([
      'TLS certificate reloaded',
      'TLS certificate has expired',
    ]);
    tls.reload(() => of('broker', Date.now() + 1e9));
    expect(lines.at(-1)).to.have.property('msg', 'TLS certificate reloaded');
  });
});
