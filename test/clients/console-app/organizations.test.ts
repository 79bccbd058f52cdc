import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { invite } from '../../../domain/administration/users/links/make-link.ts';
import { TEST_ACTOR } from '../../support/actor.ts';
import { faultsOf, useConsoleApp } from '../../support/console-app.ts';
import { PASSWORD } from '../../support/people.ts';
import { itByNight } from '../../support/random-sets.ts';

describe('a console of several organizations', () => {
  const app = useConsoleApp();
  let harbour: number;
  let mill: number;
  /** A member of both, and one of the first only. */
  let ofBoth: string;
  let ofHarbour: string;
  let crane: number;
  let silo: number;

  const addAsset = async (orgId: number, name: string) => {
    const token = await app.as('operator', orgId);
    const { body } = await app.call({ method: 'POST', path: '/assets', json: { name }, token });
    return body.data.id as number;
  };
  const join = (userId: number, orgId: number) =>
    app.database.rows(`insert into memberships (org_id, user_id, role) values ($1, $2, 'viewer')`, [
      orgId,
      userId,
    ]);
  const asset = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });

  before(async () => {
    harbour = await app.people.organization('Harbour');
    mill = await app.people.organization('Mill');
    const both = await app.people.user('both@example.com', { orgId: harbour, role: 'viewer' });
    await join(both.userId, mill);
    ofBoth = both.token;
    ofHarbour = (await app.people.user('harbour@example.com', { orgId: harbour, role: 'viewer' })).token;
    crane = await addAsset(harbour, 'Crane');
    silo = await addAsset(mill, 'Silo');
  });

  it('has the organization in every address of a member of several, and opens links there', async () => {
    const sender = await app.open('#/assets', ofBoth);
    await sender.waitForURL(`**/#/assets?org=${harbour}`);
    await sender.getByRole('combobox', { name: 'Organization' }).selectOption('Mill');
    await sender.getByText('Silo').waitFor();
    await sender.waitForURL(`**/#/assets?org=${mill}`);
    await sender.getByRole('searchbox').first().fill('sil');
    await sender.waitForURL(`**/#/assets?q=sil&org=${mill}`);
    await sender.goto(`${app.url}/#/asset/${silo}?org=${mill}`);
    await asset(sender, 'Silo').waitFor();
    await sender.goto(`${app.url}/#/asset/${crane}?org=${harbour}`);
    await asset(sender, 'Crane').waitFor();
    await sender.goBack();
    await asset(sender, 'Silo').waitFor();
    expect(sender.url()).to.equal(`${app.url}/#/asset/${silo}?org=${mill}`);

    const receiver = await app.open(`#/asset/${silo}?org=${mill}`, ofBoth);
    await asset(receiver, 'Silo').waitFor();
    expect(await receiver.getByRole('combobox', { name: 'Organization' }).inputValue()).to.equal(
      String(mill),
    );
  });

  itByNight(
    'says so to who is not a member, whether there is such an organization or not, and leads back',
    async () => {
      const page = await app.open(`#/asset/${silo}?org=${mill}`, ofHarbour);
      const heading = page.getByRole('heading', { name: 'This link belongs to another organization' });
      await heading.waitFor();
      expect(await page.getByText('harbour@example.com is not a member of it').count()).to.equal(1);
      expect(await page.getByText('Silo').count()).to.equal(0);
      expect(await faultsOf(page, 'foreign-organization')).to.deep.equal([]);
      const text = await page.getByRole('main').textContent();
      await page.goto(`${app.url}/#/asset/1?org=999999`);
      await heading.waitFor();
      expect(await page.getByRole('main').textContent()).to.equal(text);
      await page.getByRole('link', { name: 'Go to Harbour' }).click();
      await heading.waitFor({ state: 'detached' });
      await page.goto(`${app.url}/#/asset/${crane}?org=${harbour}`);
      await asset(page, 'Crane').waitFor();
      await page.getByRole('link', { name: 'Assets', exact: true }).first().click();
      await page.waitForURL(`${app.url}/#/assets`);
    },
  );

  it('asks who is not signed in to do so, and then opens the link there', async () => {
    const page = await app.open(`#/asset/${silo}?org=${mill}`, null);
    await page.getByLabel('E-mail').fill('both@example.com');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await asset(page, 'Silo').waitFor();
  });

  it('takes somebody with an account in, who is not signed in here', async () => {
    const email = 'has-account@example.com';
    await app.people.user(email, { orgId: harbour, role: 'viewer' });
    const { token } = await invite(app.people.db, TEST_ACTOR, { orgId: mill, email, role: 'viewer' });
    const page = await app.open(`#/link/${token}`, null);
    await page.getByLabel('Your name').waitFor();
    await page.getByRole('button', { name: 'I already have an account here' }).click();
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByLabel('New password').fill(`${PASSWORD}, another one`);
    expect(await faultsOf(page, 'invited-with-account')).to.deep.equal([]);
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`org=${mill}$`));
  });

  it('begins in the organization that somebody was just invited to', async () => {
    const { token } = await app.people.user('invited@example.com', { orgId: harbour, role: 'viewer' });
    const link = await invite(app.people.db, TEST_ACTOR, {
      ...{ orgId: mill, email: 'invited@example.com', role: 'viewer' },
    });
    const page = await app.open(`#/link/${link.token}`, token);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByLabel('New password').fill(`${PASSWORD}, another one`);
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`org=${mill}$`));
    expect(await page.getByRole('combobox', { name: 'Organization' }).inputValue()).to.equal(String(mill));
  });
});
