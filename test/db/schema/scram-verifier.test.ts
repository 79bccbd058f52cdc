import { expect } from 'chai';
import pg from 'pg';
import { connectionConfig } from '../../../db/timescale/connections/connection.ts';
import { scramVerifier } from '../../../db/timescale/schema/allow-login.ts';
import { serverUrl } from '../../support/database.ts';

describe('what is kept of a password', () => {
  it('is what the server makes of it', async () => {
    const client = new pg.Client(connectionConfig(serverUrl()));
    await client.connect();
    await client.query(`begin; set local password_encryption = 'scram-sha-256'; create role verified login`);
    for (const password of ['plain', "it's $1\\", 'ﬁne\u00a0pässword\u00ad', 'e\u0301', '密码 🔑']) {
      await client.query(`alter role verified password ${client.escapeLiteral(password)}`);
      const { rows } = await client.query<{ kept: string }>(
        `select rolpassword as kept from pg_authid where rolname = 'verified'`,
      );
      const kept = rows[0]?.kept ?? '';
      const salt = Buffer.from(kept.split(/[:$]/)[2] ?? '', 'base64');
      expect(scramVerifier(password, salt), password).to.equal(kept);
    }
    await client.query('rollback');
    await client.end();
  });
});
