import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { describeSchema } from '../../../db/timescale/schema/describe-schema.ts';
import { useDatabase } from '../../support/database.ts';

describe('schema.sql', () => {
  const database = useDatabase();

  it('says what the migrations make (npm run schema writes it anew)', async () => {
    const written = readFileSync(new URL('../../../db/timescale/schema/schema.sql', import.meta.url), 'utf8');
    const client = await database.pool.connect();
    const described = await describeSchema(client).finally(() => client.release());
    expect(described).to.equal(written);
  });

  it('starts every key of a tenant table with the organization', async () => {
    const keys = await database.rows<{ name: string; first: string }>(
      `select conname as name, attname as first from pg_constraint
       join pg_class on pg_class.oid = conrelid
       join pg_attribute on attrelid = conrelid and attnum = conkey[1]
       where contype in ('p', 'f') and relnamespace = 'public'::regnamespace
         and exists (select from pg_attribute where attrelid = conrelid and attname = 'org_id')`,
    );
    const strays = keys.filter(({ first }) => first !== 'org_id').map(({ name }) => name);
    expect(keys).to.have.length.above(20);
    expect(strays.sort()).to.deep.equal([
      // Users belong to the installation.
      'alert_mail_recipients__user_id',
      // Readers have formats by name, and some are the installation's.
      'formats__name',
      // Users belong to the installation, and links may be for a user of no organization.
      'memberships__user_id',
      // Messages on a topic that nobody has belong to no organization.
      'rejected_messages__id',
      'user_links__id',
      'user_links__made_by',
      'user_links__made_in',
      'user_links__user_id',
    ]);
  });
});
