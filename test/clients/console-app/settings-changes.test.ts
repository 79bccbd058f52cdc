import { expect } from 'chai';
import { faultsOf, useConsoleApp } from '../../support/console-app.ts';

describe('the change log in the console', () => {
  const app = useConsoleApp();
  const write = async (method: string, path: string, json: object, token: string) => {
    const { status, text, body } = await app.call({ method, path, json, token });
    expect(status, text).to.be.within(200, 299);
    return body?.data;
  };

  it('says who changed what, before and after, on the asset’s page and in the settings, filtered by the address', async () => {
    const operator = await app.people.user('kim@example.com', { orgId: app.orgId, role: 'operator' });
    const hall = await write('POST', '/locations', { name: 'Hall', external_key: 'HALL' }, app.token);
    const { id } = await write('POST', '/assets', { name: 'Pallet', external_key: 'P-1' }, app.token);
    for (let round = 1; round <= 6; round++) {
      const name = round === 6 ? '<b>Crate</b>' : `Pallet ${round}`;
      await write('PATCH', `/assets/${id}`, { name }, operator.token);
    }
    const page = await app.open(`#/asset/${id}`, await app.as('viewer'));
    const lines = page.locator('.change');
    await lines.first().getByText('<b>Crate</b>').waitFor();
    expect(await lines.count()).to.equal(5);
    expect(await lines.first().textContent()).to.match(/Somebody changed asset P-1/);
    const faults = await faultsOf(page, 'asset-changes');
    await page.getByRole('link', { name: 'All its changes' }).press('Enter');
    await page.getByText('created asset P-1').waitFor();
    expect(await lines.count()).to.equal(7);
    await page
      .getByText('5 fields')
      .or(page.getByText(/^\d+ fields$/))
      .first()
      .press('Enter');
    await page.getByText('sign-in addresses are removed').waitFor();
    await page.getByText('before:').first().waitFor({ state: 'attached' });
    faults.push(...(await faultsOf(page, 'settings-changes')));

    await page.getByRole('link', { name: /Only asset/ }).press('Enter');
    await page.getByText('created place HALL').waitFor();
    await page.getByLabel('What').selectOption('location');
    await page.getByText('created asset P-1').waitFor({ state: 'detached' });
    expect(await page.evaluate<string>('location.hash')).to.include('type=location');
    await write('POST', '/invitations', { email: 'lee@example.com', role: 'admin' }, app.token);
    const german = await app.open('#/settings/changes?type=link', app.token, { locale: 'de-DE' });
    for (const word of ['Einladung', 'Verwaltung']) {
      await german.locator('.change dd', { hasText: word }).waitFor();
    }
    await page.evaluate(
      `location.hash = '#/settings/changes?actor=user:${operator.userId}&to=2020-01-01T00:00'`,
    );
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor();
    await page.evaluate(`location.hash = '#/place/${hall.id}'`);
    await page.getByText('created place HALL').waitFor();
    expect(faults).to.deep.equal([]);
  });
});
