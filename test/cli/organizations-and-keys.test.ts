import { expect } from 'chai';
import { useApi } from '../support/api.ts';
import { commandLineOn } from '../support/command-line.ts';

describe('the command line on organizations and keys', () => {
  const api = useApi();
  const { tagtrail, json, fails } = commandLineOn(() => api.database);
  const me = (key: string) => api.call({ path: '/api/v1/orgs/me', key });

  describe('org list', () => {
    it('lists those that were not deleted', async () => {
      const { orgId } = await api.organization('Beta');
      const gone = await api.organization('Gone');
      await json('org', 'delete', '--org', String(gone.orgId));
      expect(await json('org', 'list')).to.deep.equal([
        { id: api.orgId, name: 'Acme' },
        { id: orgId, name: 'Beta' },
      ]);
    });

    it('shows people a table', async () => {
      const { status, stdout } = await tagtrail('org', 'list');
      expect(status).to.equal(0);
      expect(stdout.split('\n').slice(0, 3)).to.deep.equal(['id  name', '--  ----', `${api.orgId}   Acme`]);
    });
  });

  describe('org rename', () => {
    it('gives an organization another name, and none that nobody could read', async () => {
      const { orgId, key } = await api.organization('Before');
      const rename = ['org', 'rename', '--org', String(orgId), '--name'];
      expect(await json(...rename, 'After')).to.deep.equal({ id: orgId, name: 'After' });
      expect((await me(key)).body).to.have.nested.property('data.name', 'After');
      await fails(2, '1 to 255 characters', ...rename, '');
      await json('org', 'delete', '--org', String(orgId));
      await fails(1, `Organization ${orgId} not found`, ...rename, 'Again');
    });
  });

  describe('org delete', () => {
    it('has a running API refuse its keys from the next request on', async () => {
      const { orgId, key } = await api.organization('Closing');
      expect((await me(key)).status).to.equal(200);
      expect(await json('org', 'delete', '--org', String(orgId))).to.deep.equal({
        id: orgId,
        name: 'Closing',
      });
      expect((await me(key)).body).to.have.nested.property('error.type', 'missing_org_context');
    });

    it('says that there is no such organization, also of one that is deleted', async () => {
      await fails(1, 'Organization 999 not found', 'org', 'delete', '--org', '999');
      const { orgId } = await api.organization('Twice');
      await json('org', 'delete', '--org', String(orgId));
      await fails(1, `Organization ${orgId} not found`, 'org', 'delete', '--org', String(orgId));
    });

    it('wants a whole number', () => fails(2, 'whole number', 'org', 'delete', '--org', 'acme'));
  });

  describe('key list', () => {
    it('shows every key of the organization, in order, and no secret', async () => {
      const { orgId, key } = await api.organization('Keys');
      await me(key);
      const made = await json(
        ...['key', 'create', '--org', String(orgId), '--name', 'erp', '--scopes', 'assets:read'],
        ...['--expires-at', '2100-01-01T00:00:00Z'],
      );
      const [first, second, ...others] = await json('key', 'list', '--org', String(orgId));
      expect(others).to.deep.equal([]);
      expect(first).to.include({ name: 'test', id: key.split('_')[1], expires_at: null, revoked_at: null });
      expect(second).to.have.all.keys(
        'id',
        'name',
        'scopes',
        'created_at',
        'expires_at',
        'revoked_at',
        'last_used_at',
      );
      expect(second).to.deep.include({
        id: made.id,
        name: 'erp',
        scopes: ['assets:read'],
        expires_at: '2100-01-01T00:00:00.000Z',
        last_used_at: null,
      });
      expect((await tagtrail('key', 'list', '--org', String(orgId))).stdout).to.match(
        /^id +name.*\n-.*\n.*\btest\b.*\berp\b/s,
      );
    });

    it('says that there is no such organization', () =>
      fails(1, 'Organization 999 not found', 'key', 'list', '--org', '999'));
  });

  describe('key create', () => {
    const create = (...more: string[]) => [
      'key',
      'create',
      '--org',
      String(api.orgId),
      '--name',
      'any',
      ...more,
    ];
    const keys = async () => (await json('key', 'list', '--org', String(api.orgId))).length;

    it('gives no scope of devices, and says which there are', async () => {
      const before = await keys();
      await fails(
        2,
        'Unknown scope scans:write; there are assets:read',
        ...create('--scopes', 'assets:read,scans:write'),
      );
      expect(await keys()).to.equal(before);
      expect((await tagtrail('key', 'create', '--help')).stdout).not.to.include('scans:write');
      await json(...create('--scopes', 'keys:admin'));
    });

    it('issues none that has expired already, by the clock of the database', async () => {
      const before = await keys();
      for (const time of ['2020-01-01T00:00:00Z', new Date().toISOString(), '1970-01-01T00:00:00Z']) {
        const message = `--expires-at ${time} must be in the future`;
        await fails(2, message, ...create('--scopes', '', '--expires-at', time));
      }
      await fails(2, 'not an RFC 3339 timestamp', ...create('--scopes', '', '--expires-at', 'tomorrow'));
      expect(await keys()).to.equal(before);
      await json(...create('--scopes', '', '--expires-at', '2100-01-01T00:00:00+02:00'));
    });
  });

  describe('key revoke', () => {
    it('has a running API refuse the key, and says since when', async () => {
      const { key } = await api.organization('Revoking');
      const id = key.split('_')[1] ?? '';
      expect((await me(key)).status).to.equal(200);
      const revoked = await json('key', 'revoke', '--id', id);
      expect(revoked).to.have.all.keys('id', 'revoked_at');
      expect((await me(key)).body).to.have.nested.property('error.detail', 'API key has been revoked');
      expect(await json('key', 'revoke', '--id', id), 'once more').to.deep.equal(revoked);
    });

    it('says that there is no such key', () =>
      fails(1, 'not found', 'key', 'revoke', '--id', '01KQSA8N2V6T4W8XJY3ZB5D7FH'));

    it('does not repeat a whole key given for its id', async () => {
      const { stderr, status } = await tagtrail('key', 'revoke', '--id', api.key);
      expect(status).to.equal(2);
      expect(stderr).to.include('26 letters').and.not.include(api.key.slice(30));
    });
  });
});
