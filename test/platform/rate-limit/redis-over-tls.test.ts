import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { expect } from 'chai';
import { bucketOf } from '../../../platform/rate-limit/bucket.ts';
import { connectRedis } from '../../../platform/rate-limit/redis-store.ts';
import { certificate } from '../../support/certificates.ts';
import { targetOf } from '../../support/link.ts';
import { useRedis } from '../../support/redis-server.ts';
import { openTlsProxy, type TlsProxy } from '../../support/tls-proxy.ts';

describe('buckets on a Redis server over TLS', () => {
  const redis = useRedis();
  const usual = getCACertificates();
  let proxy: TlsProxy;
  before(async () => {
    proxy = await openTlsProxy(targetOf(redis.url), false);
  });
  after(() => proxy?.close());
  afterEach(() => setDefaultCACertificates(usual));

  const BUCKET = bucketOf(1, 10);
  const debtAt = async (scheme: string, host: string) => {
    const store = await connectRedis(`${scheme}://${host}:${proxy.port}`, BUCKET, () => {});
    const { debt } = await store.take('key', 1);
    store.close();
    return debt;
  };
  const refused = (scheme: string, host: string) =>
    debtAt(scheme, host).then(
      () => 'let in',
      (error: { code?: string; message: string }) => error.code ?? error.message,
    );

  it('are shared with a server of that name that an authority vouches for', async () => {
    setDefaultCACertificates([...usual, certificate('ca.crt')]);
    proxy.certificate = 'broker';
    const first = await debtAt('rediss', 'localhost');
    expect(await debtAt('rediss', '127.0.0.1')).to.be.above(first);
    expect(proxy.secret.map((socket) => (socket as { servername?: string }).servername)).to.include(
      'localhost',
    );
  });

  it('are not with one that nobody vouches for, or for another name, or in the clear', async () => {
    proxy.certificate = 'broker';
    expect(await refused('rediss', 'localhost')).to.equal('UNABLE_TO_VERIFY_LEAF_SIGNATURE');
    setDefaultCACertificates([...usual, certificate('ca.crt')]);
    proxy.certificate = 'elsewhere';
    expect(await refused('rediss', 'localhost')).to.equal('ERR_TLS_CERT_ALTNAME_INVALID');
    expect(await refused('redis', '127.0.0.1')).to.not.equal('let in');
  });
});
