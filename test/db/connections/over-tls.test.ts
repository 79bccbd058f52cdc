import { expect } from 'chai';
import { Client } from '../../../db/timescale/connections/client.ts';
import { type ConnectionConfig, connectionConfig } from '../../../db/timescale/connections/connection.ts';
import { certificateFile } from '../../support/certificates.ts';
import { useDatabase } from '../../support/database.ts';
import { targetOf } from '../../support/link.ts';
import { openTlsProxy, type TlsProxy } from '../../support/tls-proxy.ts';

describe('connections with sslmode=verify-full', () => {
  const database = useDatabase();
  let proxy: TlsProxy;
  before(async () => {
    proxy = await openTlsProxy(targetOf(database.url), true);
  });
  beforeEach(() => {
    proxy.certificate = 'broker';
    proxy.secret.length = 0;
  });
  database.beforeDrop(() => proxy.close());

  /** The address of the database by way of the proxy, at one or several hosts. */
  const addressOf = (hosts: readonly string[], more: Readonly<Record<string, string>>) => {
    const { pathname, username, password } = new URL(database.url);
    const places = hosts.map((name) => `${name}:${proxy.port}`).join(',');
    return `postgres://${username}:${password}@${places}${pathname}?${new URLSearchParams(more)}`;
  };
  const VERIFIED = { sslmode: 'verify-full', sslrootcert: certificateFile('ca.crt') };
  const faultOf = async (
    hosts: readonly string[],
    more: Readonly<Record<string, string>>,
    config: Partial<ConnectionConfig> = {},
  ) => {
    const client = new Client({ ...connectionConfig(addressOf(hosts, more)), ...config });
    try {
      await client.connect();
      expect((await client.query('select 1 as one')).rows).to.deep.equal([{ one: 1 }]);
      return null;
    } catch (error) {
      return (error as { code?: string }).code ?? String(error);
    } finally {
      await client.end();
    }
  };

  it('lead to a server of that name that the authority vouches for', async () => {
    for (const host of ['localhost', '127.0.0.1']) {
      expect(await faultOf([host], VERIFIED)).to.equal(null);
    }
    expect(proxy.secret.map((socket) => socket.encrypted)).to.deep.equal([true, true]);
  });

  it('read a long answer a piece at a time, in whatever records it comes', async () => {
    const client = new Client(connectionConfig(addressOf(['localhost'], VERIFIED)));
    await client.connect();
    // As PostgreSQL sends them.
    proxy.secret.at(-1)?.setMaxSendFragment(8_192);
    let [inTurn, most] = [0, 0];
    client.connection.stream.on('data', ({ length }: Buffer) => {
      if (inTurn === 0) {
        setImmediate(() => {
          inTurn = 0;
        });
      }
      inTurn += length;
      most = Math.max(most, inTurn);
    });
    const { rows } = await client.query(`select repeat('x', 1000) from generate_series(1, 20000)`);
    expect(rows).to.have.length(20_000);
    await client.end();
    expect(most).to.be.at.most(2 * 16_384);
  });

  it('find the primary among several such servers', async () => {
    const wanted = { ...VERIFIED, target_session_attrs: 'read-write' };
    expect(await faultOf(['localhost', '127.0.0.1'], wanted)).to.equal(null);
    expect(proxy.secret).to.have.length.of.at.least(2);
  });

  it('refuse a server whose certificate is of another authority', async () => {
    expect(await faultOf(['localhost'], { sslmode: 'verify-full' })).to.equal(
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    );
    const other = { ...VERIFIED, sslrootcert: certificateFile('impostor.crt') };
    expect(await faultOf(['localhost'], other)).to.equal('UNABLE_TO_VERIFY_LEAF_SIGNATURE');
  });

  it('refuse a server of another name, which the authority vouches for', async () => {
    proxy.certificate = 'elsewhere';
    for (const host of ['localhost', '127.0.0.1']) {
      expect(await faultOf([host], VERIFIED)).to.equal('ERR_TLS_CERT_ALTNAME_INVALID');
    }
    const wanted = { ...VERIFIED, target_session_attrs: 'read-write' };
    expect(await faultOf(['localhost', '127.0.0.1'], wanted, { connectionTimeoutMillis: 500 })).to.not.equal(
      null,
    );
  });

  it('refuse a server that speaks no TLS', async () => {
    const { hostname, port } = new URL(database.url);
    const plain = addressOf(['plain'], VERIFIED).replace(`plain:${proxy.port}`, `${hostname}:${port}`);
    const client = new Client(connectionConfig(plain));
    const refused = await client.connect().catch((error: Error) => error.message);
    expect(refused).to.equal('The server does not support SSL connections');
  });
});
