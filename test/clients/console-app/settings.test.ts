import { expect } from 'chai';
import { faultsOf, useConsoleApp } from '../../support/console-app.ts';
import { PASSWORD } from '../../support/people.ts';
import { Site } from '../../support/site.ts';

describe('the settings in the console', () => {
  const app = useConsoleApp();

  it('change the password, which ends the sessions elsewhere', async () => {
    const { token } = await app.people.user('jo@example.com', { orgId: app.orgId, role: 'viewer' });
    const { body } = await app.call({
      method: 'POST',
      path: '/session',
      token: null,
      json: { email: 'jo@example.com', password: PASSWORD },
    });
    expect(body.data.memberships).to.have.length(1);
    const page = await app.open('#/settings', token);
    await page.getByRole('listitem').filter({ hasText: 'This one' }).waitFor();
    expect(await page.getByRole('button', { name: 'End', exact: true }).count()).to.equal(1);
    await page.getByText('after 12 h without use').waitFor();
    await page.getByLabel('Current password').fill('something else');
    await page.getByLabel('New password').fill('a lamp on a quiet pier at night');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.locator('.fault').waitFor();
    await page.getByLabel('Current password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('your other sessions have ended').waitFor();
    await page.getByRole('button', { name: 'End', exact: true }).waitFor({ state: 'detached' });
  });

  it('give the organization another name, which stands above every screen at once', async () => {
    const { orgId } = await Site.create(app.database, 'Mill');
    const page = await app.open('#/settings/organization', await app.as('admin', orgId));
    const name = page.getByLabel('Name of the organization');
    await name.fill('x'.repeat(2) + String.fromCharCode(7));
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('.fault').waitFor();
    const faults = await faultsOf(page, 'settings-organization');
    await page.setViewportSize({ width: 1280, height: 800 });
    await name.fill('Old mill');
    await name.press('Enter');
    await page.locator('.organization', { hasText: 'Old mill' }).first().waitFor();
    await page.reload();
    await page.locator('.organization', { hasText: 'Old mill' }).first().waitFor();
    expect(faults).to.deep.equal([]);
  });

  it('show a new key once, and revoke it', async () => {
    const page = await app.open('#/settings/keys');
    await page.getByRole('heading', { name: 'No keys yet' }).waitFor();
    await page.getByLabel('Name of the program').fill('ERP');
    const ticked = () => page.locator('.checks label:has(:checked) .mono').allTextContents();
    expect(await ticked()).to.deep.equal(['assets:read', 'locations:read', 'tracking:read', 'changes:read']);
    await page.getByLabel('Change places').check();
    await page.getByLabel('Valid until').fill('2001-01-01T00:00');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.locator('[aria-invalid=true][name=expires_at]').waitFor();
    await page.getByLabel('Valid until').fill('2999-01-01T00:00');
    await page.getByRole('button', { name: 'Create key' }).click();
    const key = await page.getByLabel('Key of ERP').inputValue();
    expect(key).to.match(/^tt_/);
    await page.reload();
    await page.getByRole('button', { name: 'Revoke' }).click();
    expect(await page.content()).not.to.include(key);
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('Revoked', { exact: true }).waitFor();
    const { body } = await app.call({ path: `/orgs/${app.orgId}/api-keys` });
    expect(body.data[0].scopes).to.have.members([
      'assets:read',
      'changes:read',
      'locations:read',
      'locations:write',
      'tracking:read',
    ]);
    expect(body.data[0].revoked_at).to.be.a('string');
    expect(body.data[0].expires_at).to.match(/^(2998|2999)-/);
  });

  it('let an administrator invite somebody by a link, who is then in with the role', async () => {
    const page = await app.open('#/settings/users');
    await page.getByLabel('E-mail').fill('kim@example.com');
    await page.getByLabel('Role', { exact: true }).selectOption('operator');
    await page.getByRole('button', { name: 'Create link' }).click();
    const link = await page.getByLabel('Link for kim@example.com').inputValue();
    await page.getByText(/works once, until \w+ \d+, \d{4}/).waitFor();
    await page.getByText('Only this machine can open this link').waitFor();
    await page.getByRole('heading', { name: 'Open invitations' }).waitFor();
    const guest = await app.open(new URL(link).hash, null);
    await guest.getByRole('heading', { name: 'Welcome to Own' }).waitFor();
    await guest.getByLabel('Your name').fill('Kim');
    await guest.getByLabel('New password').fill(PASSWORD);
    await guest.getByRole('button', { name: 'Go in' }).click();
    await guest.getByRole('button', { name: /Kim.*Operator/ }).waitFor();
    await guest.evaluate(`location.hash = '#/assets'`);
    await guest.getByRole('link', { name: 'Add asset' }).first().waitFor();

    await page.reload();
    const line = page.getByRole('listitem').filter({ hasText: 'kim@example.com' });
    await line.getByLabel('Role of Kim').selectOption('viewer');
    await line.getByRole('button', { name: 'Disable' }).click();
    await line.getByText('Disabled').waitFor();
    await guest.reload();
    await guest.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  it('have somebody who joins from another organization show who it is, and choose another password', async () => {
    const elsewhere = await app.people.organization('Elsewhere');
    await app.people.user('lou@example.com', { orgId: elsewhere, role: 'viewer' });
    const made = await app.call({
      ...{ method: 'POST', path: '/invitations', json: { email: 'lou@example.com', role: 'operator' } },
    });
    const guest = await app.open(new URL(made.body.data.url).hash, null);
    await guest.getByRole('button', { name: 'I already have an account here' }).click();
    await guest.getByLabel('Password', { exact: true }).fill(PASSWORD);
    const faults = await faultsOf(guest, 'link-known');
    await guest.getByLabel('New password').fill('nine ferries in thin fog');
    await guest.getByRole('button', { name: 'Go in' }).click();
    await guest.getByRole('heading', { name: 'No places yet' }).waitFor();
    const roles = await app.database.rows(
      `select org_id, role from memberships join users on users.id = user_id where email = 'lou@example.com' order by 2`,
    );
    expect(roles).to.deep.equal([
      { org_id: app.orgId, role: 'operator' },
      { org_id: elsewhere, role: 'viewer' },
    ]);
    expect(faults).to.deep.equal([]);
  });

  it('list users page by page, however many there are', async () => {
    const site = await Site.create(app.database, 'Large');
    await app.database.rows(
      `with made as (
         insert into users (email, name) select format('u%s@example.com', lpad(i::text, 3, '0')), 'User ' || i
         from generate_series(1, 210) i returning id
       ) insert into memberships (user_id, org_id, role) select id, $1::integer, 'viewer' from made`,
      [site.orgId],
    );
    const page = await app.open('#/settings/users?page=5', await app.as('admin', site.orgId));
    await page.getByText('u210@example.com').waitFor();
    await page.getByText('201 – 211 of 211').waitFor();
    await page.getByRole('link', { name: 'Previous page' }).click();
    await page.getByText('u200@example.com').waitFor();
  });

  it('list handhelds, keys and invitations page by page, each in its own address', async () => {
    const site = await Site.create(app.database, 'Long lists');
    await app.database.rows(
      `insert into handhelds (org_id, name, token_sha256)
       select $1, 'Gun ' || i, sha256(i::text::bytea) from generate_series(1, 60) i`,
      [site.orgId],
    );
    await app.database.rows(
      `insert into user_links (digest, purpose, org_id, role, email, expires_at)
       select sha256(i::text::bytea), 'invite', $1, 'viewer', 'i' || i || '@example.com', now() + interval '1 day'
       from generate_series(1, 60) i`,
      [site.orgId],
    );
    await app.database.rows(
      `insert into api_keys (id, org_id, name, scopes, secret_sha256)
       select lpad(i::text, 26, '0'), $1, 'Key ' || i, '{}', sha256(i::text::bytea) from generate_series(1, 60) i`,
      [site.orgId],
    );
    const token = await app.as('admin', site.orgId);
    const page = await app.open('#/settings/handhelds', token);
    for (const [section, first, last] of [
      ['Handhelds', 'Gun 1', 'Gun 60'],
      ['API keys', 'Key 1', 'Key 60'],
      ['Users', 'i60@example.com', 'i1@example.com'],
    ] as const) {
      await page.getByRole('link', { name: section, exact: true }).click();
      await page.getByText(first, { exact: true }).waitFor();
      await page.getByText('1 – 50 of 60').waitFor();
      await page.getByRole('link', { name: 'Next page' }).click();
      await page.getByText(last, { exact: true }).waitFor();
      await page.getByText('51 – 60 of 60').waitFor();
    }
    expect(new URL(page.url()).hash).to.include('invitations=2');
  });

  it('show who does not administer their own account and the changes only', async () => {
    const page = await app.open('#/settings/keys', await app.as('operator'));
    await page.getByText('Screen not found').waitFor();
    const parts = page.getByRole('navigation', { name: 'Parts of the settings' });
    expect(await parts.getByRole('link').allTextContents()).to.deep.equal(['Your account', 'Changes']);
  });

  it('have nothing against them with axe, and keep to their width', async () => {
    const page = await app.open('#/settings');
    await page.getByText('This one').waitFor();
    const found = await faultsOf(page, 'settings-account');
    await page.evaluate(`location.hash = '#/settings/users'`);
    await page.getByRole('heading', { name: 'Invite somebody' }).waitFor();
    found.push(...(await faultsOf(page, 'settings-users')));
    await page.evaluate(`location.hash = '#/settings/keys'`);
    await page.getByRole('heading', { name: 'New key' }).waitFor();
    found.push(...(await faultsOf(page, 'settings-keys')));
    expect(found).to.deep.equal([]);
    await page.setViewportSize({ width: 360, height: 740 });
    const [width, inner] = await page
      .getByRole('navigation', { name: 'Parts of the settings' })
      .evaluate((tabs) => [tabs.clientWidth, tabs.scrollWidth]);
    expect(inner, 'every part is in sight on a phone').to.equal(width);
  });
});
