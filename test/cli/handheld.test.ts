import { expect } from 'chai';
import { renderUnicodeCompact } from 'uqr';
import { commandLineOn } from '../support/command-line.ts';
import { useGateway } from '../support/gateway.ts';
import { Site } from '../support/site.ts';

describe('the command line for handhelds', () => {
  const gateway = useGateway();
  const { database } = gateway;
  const { tagtrail, json, fails } = commandLineOn(() => database);
  const create = (org: number, name: string) =>
    json('handheld', 'create', '--org', String(org), '--name', name);
  const statusOf = async (token: string) =>
    (await gateway.call({ path: '/handheld/v1/locations', token })).status;

  describe('handheld rename', () => {
    it('changes the name, and leaves the token good', async () => {
      const { id, token } = await create(gateway.site.orgId, 'Old name');
      expect(await json('handheld', 'rename', '--id', String(id), '--name', 'New name')).to.deep.equal({
        id,
        name: 'New name',
      });
      const [row] = await database.rows('select name from handhelds where id = $1', [id]);
      expect(row).to.deep.equal({ name: 'New name' });
      expect(await statusOf(token)).to.equal(200);
    });

    it('refuses a name that cannot be', () =>
      fails(2, '1 to 255', 'handheld', 'rename', '--id', '1', '--name', ''));
    it('says that there is no such handheld', () =>
      fails(1, 'Handheld 999 not found', 'handheld', 'rename', '--id', '999', '--name', 'x'));
  });

  describe('handheld create', () => {
    it('issues a token that works, and of which only a digest is stored', async () => {
      const made = await create(gateway.site.orgId, 'Scanner 1');
      expect(made.token).to.match(new RegExp(`^th_${made.id}_[A-Za-z0-9_-]{43}$`));
      expect(made).to.have.all.keys('id', 'token');
      const [row] = await database.rows(
        `select org_id, name, revoked_at, token_sha256 = sha256(convert_to(right($2, 43), 'UTF8')) as is_digest
         from handhelds where id = $1`,
        [made.id, made.token],
      );
      expect(row).to.deep.equal({
        org_id: gateway.site.orgId,
        name: 'Scanner 1',
        revoked_at: null,
        is_digest: true,
      });
      expect(await statusOf(made.token)).to.equal(200);
    });

    it('shows the token to people too', async () => {
      const { stdout } = await tagtrail(
        ...['handheld', 'create', '--org', String(gateway.site.orgId), '--name', 'Scanner 2'],
      );
      expect(stdout).to.match(/^Handheld \d+; its token, shown only now:\nth_\d+_[\w-]{43}\n$/);
    });

    it('shows a QR code that signs in at the app’s address, with the token where no log sees it', async () => {
      const args = ['handheld', 'create', '--org', String(gateway.site.orgId), '--name', 'Scanner 3'];
      const app = 'https://handhelds.example.com';
      const made = await json(...args, '--qr', app);
      expect(made).to.have.all.keys('id', 'token', 'url');
      expect(made.url).to.equal(`${app}/#sign-in/${made.token}`);
      const { stdout } = await tagtrail(...args, '--qr', app);
      const [, token] = /\n(th_\d+_[\w-]{43})\n/.exec(stdout) ?? [];
      expect(stdout).to.include(renderUnicodeCompact(`${app}/#sign-in/${token}`, { ecc: 'M', border: 2 }));
      expect(stdout).not.to.include('Only this machine');
      expect((await tagtrail(...args, '--qr')).stdout).to.include('Only this machine can open that');
      await fails(2, 'the address of the app', ...args, '--qr', 'handhelds');
    });

    it('issues a token with an end, but none that has expired already', async () => {
      const args = ['handheld', 'create', '--org', String(gateway.site.orgId), '--name', 'Lent'];
      const time = '2020-01-01T00:00:00Z';
      await fails(2, `--expires-at ${time} must be in the future`, ...args, '--expires-at', time);
      await fails(2, 'not an RFC 3339 timestamp', ...args, '--expires-at', 'tomorrow');
      const { id, token } = await json(...args, '--expires-at', '2100-01-01T00:00:00+02:00');
      expect(await statusOf(token)).to.equal(200);
      const listed = await json('handheld', 'list', '--org', String(gateway.site.orgId));
      expect(
        listed
          .filter(({ name }: { name: string }) => name === 'Lent')
          .map((each: object) => ({ ...each, created_at: null, last_used_at: null })),
      ).to.deep.equal([
        {
          ...{ id, org_id: gateway.site.orgId, name: 'Lent', created_at: null, revoked_at: null },
          ...{ expires_at: '2099-12-31T22:00:00.000Z', last_used_at: null, last_submission_at: null },
        },
      ]);
    });

    it('refuses a name that cannot be', () =>
      fails(2, '1 to 255', 'handheld', 'create', '--org', String(gateway.site.orgId), '--name', ''));
    it('says that there is no such organization', () =>
      fails(1, 'Organization 999 not found', 'handheld', 'create', '--org', '999', '--name', 'x'));
    it('asks for the organization', () => fails(2, '--org', 'handheld', 'create', '--name', 'x'));
  });

  describe('handheld list', () => {
    it('lists the handhelds of one organization or of all, and shows no secret', async () => {
      const other = await Site.create(database, 'Other');
      const { id } = await create(other.orgId, 'Theirs');
      const [row, ...none] = await json('handheld', 'list', '--org', String(other.orgId));
      expect(none).to.deep.equal([]);
      expect(row).to.deep.include({
        id,
        org_id: other.orgId,
        name: 'Theirs',
        expires_at: null,
        revoked_at: null,
      });
      expect(row).to.have.all.keys(
        ...['id', 'org_id', 'name', 'created_at', 'expires_at', 'revoked_at', 'last_used_at'],
        'last_submission_at',
      );
      expect(row.created_at).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      const all = await json('handheld', 'list');
      expect(all.map((each: { id: number }) => each.id))
        .to.include(id)
        .and.include(gateway.handheldId);
    });

    it('says so where there are none', async () => {
      const { orgId } = await Site.create(database, 'Empty');
      const { stdout } = await tagtrail('handheld', 'list', '--org', String(orgId));
      expect(stdout).to.equal('There are no handhelds.\n');
    });
  });

  describe('handheld revoke', () => {
    it('ends a token from the next request on, and only that', async () => {
      const { id, token } = await create(gateway.site.orgId, 'Lost');
      expect(await statusOf(token)).to.equal(200);
      const revoked = await json('handheld', 'revoke', '--id', String(id));
      expect(revoked).to.have.all.keys('id', 'revoked_at').and.include({ id });
      expect(await statusOf(token)).to.equal(401);
      expect(await statusOf(gateway.token)).to.equal(200);
      expect(await json('handheld', 'revoke', '--id', String(id))).to.deep.equal(revoked);
    });

    it('says that there is no such handheld', () =>
      fails(1, 'Handheld 4000 not found', 'handheld', 'revoke', '--id', '4000'));
    it('refuses an id that cannot be', () => fails(2, 'whole number', 'handheld', 'revoke', '--id', 'gun'));
  });
});
