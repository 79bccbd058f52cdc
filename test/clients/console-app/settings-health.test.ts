import { expect } from 'chai';
import { faultsOf, useConsoleApp } from '../../support/console-app.ts';
import { Site } from '../../support/site.ts';

describe('the health page of the console', () => {
  const app = useConsoleApp();

  it('says what is wrong, the worst first, what to do about it, and looks again on demand', async () => {
    const site = await Site.create(app.database, 'Acme');
    const reader = await site.reader('North gate', [null], { format: 'gone' });
    await app.database.rows(
      'insert into reader_counters (org_id, reader_id, last_message_at) values ($1, $2, now())',
      [site.orgId, reader],
    );
    const silent = await site.reader('South gate', [await site.location('YARD')]);
    await app.database.rows(
      `insert into reader_counters (org_id, reader_id, last_message_at) values ($1, $2, '2026-05-01T10:00:00Z')`,
      [site.orgId, silent],
    );
    await app.database.rows(
      `insert into reader_spans (org_id, reader_id, state, started_at) values ($1, $2, 'silent', '2026-05-01T10:00:00Z')`,
      [site.orgId, silent],
    );
    const page = await app.open('#/settings/health', await app.as('admin', site.orgId));
    const unheard = page.locator('p', { hasText: 'Cannot be heard: South gate' });
    expect(await unheard.textContent()).to.match(/since May 1, (2026, )?\d\d:00:00$/);
    const own = page.getByRole('region', { name: 'Your organization' });
    const first = own.getByRole('listitem').first();
    await first.getByText('Wrong').waitFor();
    await first.getByText('North gate (reader 1) has the format gone').waitFor();
    await first.getByText('What to do: Choose the format of its messages').waitFor();
    expect(await own.getByText('npx').count(), 'where there is a screen, no command is told').to.equal(0);
    await page
      .getByRole('region', { name: 'The installation' })
      .getByText('Nothing to do.')
      .first()
      .waitFor();
    await page.getByText('30 days').first().waitFor();
    const faults = await faultsOf(page, 'settings-health');
    const looked = page.waitForResponse((response) => response.url().endsWith('/console/v1/health'));
    await page.getByRole('button', { name: 'Look again' }).press('Enter');
    expect((await looked).status()).to.equal(200);
    await page.getByText('Looked at').waitFor();
    expect(faults).to.deep.equal([]);
    await first.getByRole('link', { name: 'Choose its format' }).click();
    await page.getByRole('heading', { level: 1, name: 'New reader' }).waitFor();
    expect(await page.locator('[aria-current="step"]').textContent()).to.include('Format');
  });
});
