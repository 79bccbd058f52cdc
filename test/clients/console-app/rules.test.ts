import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { faultsOf, useConsoleApp } from '../../support/console-app.ts';
import { itByNight } from '../../support/random-sets.ts';
import { aRead, record } from '../../support/recording.ts';
import { Site } from '../../support/site.ts';

const DESK = { width: 1280, height: 800 };

describe('rules in the console, in a browser', () => {
  const app = useConsoleApp();
  const { database } = app;
  let site: Site;

  before(async () => {
    site = await Site.create(database, 'Acme');
    const dock = await site.location('DOCK-1');
    await site.asset('CART-7', 'CART7');
    // It came two hours ago, and stayed.
    const at = (Date.now() - 7_200_000) * 1_000;
    const readerId = await site.reader('dock', [dock]);
    await record(database, [aRead({ orgId: site.orgId, value: 'CART7', at, readerId, locationId: dock })]);
    await site.reader('gate', []);
  });

  it('shows a viewer what there is, and nothing to change it', async () => {
    const page = await app.open('#/rules', await app.as('viewer', site.orgId));
    await page.getByRole('heading', { name: 'No rules yet' }).waitFor();
    expect(await page.getByRole('link', { name: 'Add rule' }).count()).to.equal(0);
    await page.close();
  });

  it('makes a rule by keys, shows it in words, changes and ends it', async () => {
    const page = await app.open('#/rules', await app.as('admin', site.orgId));
    await page.getByRole('link', { name: 'Add rule' }).first().waitFor();
    const found = await faultsOf(page, 'rules-none');
    await page.setViewportSize(DESK);
    await page.getByRole('link', { name: 'Add rule' }).first().press('Enter');
    // Nothing is missed at a gate, nor in a room without antennas.
    await page.getByText('No place of this rule is a room').waitFor();
    const within = await site.location('STORE');
    await database.rows(
      `insert into location_watches (org_id, location_id, valid_from, mode, max_gap_seconds, is_learned, coverage)
       values ($1, $2, now(), 'continuous', 60, false, 'all')`,
      [site.orgId, within],
    );
    await page.reload();
    await page.getByText('No room of this rule has an antenna').waitFor();
    await site.reader('store', [within]);
    await page.reload();
    await page
      .getByLabel('Not read for', { exact: true })
      .or(page.getByLabel('Overdue after', { exact: true }))
      .waitFor();
    await page.getByText('No room of this rule').waitFor({ state: 'detached' });
    await page.getByLabel('Kind').selectOption('dwell');
    await page.waitForURL(/kind=dwell/);
    await page.getByRole('combobox', { name: 'Place', exact: true }).fill('DOCK');
    await page.getByRole('option', { name: 'DOCK-1' }).waitFor();
    await page.getByRole('combobox', { name: 'Place', exact: true }).press('Enter');
    await page.getByLabel('Too long after', { exact: true }).fill('30');
    await page.getByLabel('Alarm after', { exact: true }).fill('20');
    await page
      .getByText('An asset stays at DOCK-1 for longer than 30 min (warning), or 20 min (alarm).')
      .waitFor();
    await page.getByText('About all assets').click();
    found.push(...(await faultsOf(page, 'rules-new')));
    await page.setViewportSize(DESK);
    await page.getByRole('button', { name: 'Create rule' }).click();
    await page.locator('.fault', { hasText: 'The second time must be longer' }).waitFor();
    await page.getByLabel('Only these', { exact: true }).fill('CART-7, NOPE');
    await page.getByRole('button', { name: 'Try', exact: true }).press('Enter');
    await page.locator('.note-refused', { hasText: 'No asset has the key NOPE.' }).waitFor();
    await page.getByLabel('Only these', { exact: true }).fill('');
    await page.getByLabel('Alarm after', { exact: true }).fill('1');
    await page.getByLabel('Unit: Alarm after').selectOption('hours');
    await page.getByRole('button', { name: 'Create rule' }).press('Enter');
    await page.getByRole('heading', { name: 'dwell DOCK-1' }).waitFor();
    await page.getByRole('button', { name: 'Try', exact: true }).press('Enter');
    await page.getByText('It would have raised 1 alert').first().waitFor();
    await page.getByRole('cell', { name: 'CART-7' }).waitFor();
    found.push(...(await faultsOf(page, 'rules-one')));
    await page.setViewportSize(DESK);

    // The form shows it as another path, and somebody else has set it meanwhile.
    const metadata = [{ path: ['load.kind'], value: 'steel' }];
    await database.rows('update rules set metadata = $2 where org_id = $1', [
      site.orgId,
      JSON.stringify(metadata),
    ]);
    await page.getByLabel('Name').fill('Dock is no store');
    await page.getByRole('button', { name: 'Save' }).press('Enter');
    await page.getByRole('heading', { name: 'Dock is no store' }).waitFor();
    const [stored] = await database.rows<{ metadata: object }>(
      'select metadata from rules where org_id = $1 order by version desc limit 1',
      [site.orgId],
    );
    expect(stored?.metadata).to.deep.equal(metadata);
    await goBack(page, 'Dock is no store');
    await page
      .getByText('An asset stays at DOCK-1 for longer than 30 min (warning), or 1 h (alarm).')
      .waitFor();
    found.push(...(await faultsOf(page, 'rules-list')));
    await page.setViewportSize(DESK);
    await page.getByRole('link', { name: 'Dock is no store' }).press('Enter');
    await page.getByRole('button', { name: 'End rule' }).waitFor();

    // Its end is planned, and its place deleted.
    await database.rows(
      `insert into rules
       select org_id, id, version + 1, now() + interval '1 day', true, now(), kind, name, after_seconds, then_seconds,
         location_id, hours, time_zone, asset_ids, within_location_id, metadata, reader_ids, mail_to
       from rules where org_id = $1 order by version desc limit 1`,
      [site.orgId],
    );
    await database.rows('update locations set deleted_at = now() where org_id = $1', [site.orgId]);
    await goBack(page, 'Dock is no store');
    await page.getByText('Its place is gone').waitFor();
    await page.getByRole('link', { name: 'Dock is no store' }).press('Enter');
    await page.getByText('it has raised nothing since').waitFor();
    found.push(...(await faultsOf(page, 'rules-gone')));
    await page.setViewportSize(DESK);
    const goOn = page.getByRole('button', { name: 'Keep it' });
    await goOn.press('Enter');
    await goOn.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'End rule' }).press('Enter');
    await page.getByRole('alertdialog').getByRole('button', { name: 'End rule' }).press('Enter');
    await page.getByRole('heading', { name: 'No rules yet' }).waitFor();
    expect(found).to.deep.equal([]);
  });

  itByNight('makes a rule about what tags measure, and says which value raised its alert', async () => {
    const page = await app.open('#/rules/new', await app.as('admin', site.orgId));
    await page.getByLabel('Kind').selectOption('battery_low');
    await page.getByLabel('What is measured').selectOption('battery_volts');
    await page.getByText('is below ….').waitFor();
    await page.getByLabel('Kind').selectOption('reading');
    await page.getByLabel('Which side').selectOption('below');
    await page.getByText('Temperature is below ….').waitFor();
    await page.getByText('No tag has measured this yet (Temperature)').waitFor();
    await page.getByLabel('Which side').selectOption('above');
    await page.getByLabel('Bound in °C').fill('8');
    await page.getByText('Temperature is above 8 °C.').waitFor();
    await page.getByLabel('Bound in °C').fill('-');
    await page.getByText('Temperature is above ….').waitFor();
    await page.getByLabel('Bound in °C').fill('-18,5');
    await page.getByLabel('For longer than', { exact: true }).fill('10');
    await page.getByText('Temperature is above −18.5 °C for longer than 10 min.').waitFor();
    const found = await faultsOf(page, 'rules-reading');
    await page.setViewportSize(DESK);
    await page.getByLabel('Ends when back within the bound by').fill('9999');
    await page.getByRole('button', { name: 'Create rule' }).click();
    await page.getByLabel('Ends when back within the bound by').fill('0.25');
    await page.getByRole('button', { name: 'Create rule' }).press('Enter');
    await page.getByRole('heading', { name: 'temperature_c above -18.5' }).waitFor();
    await page.getByRole('button', { name: 'Try', exact: true }).press('Enter');
    await page.getByText('It would have raised nothing.').first().waitFor();
    await page.getByLabel('Which side').selectOption('below');
    await page.getByRole('button', { name: 'Save' }).press('Enter');
    await page.getByText('Rule changed').waitFor();
    await page.getByText('Temperature is below −18.5 °C for longer than 10 min.').waitFor();
    await database.rows(
      `insert into alerts (org_id, id, rule_id, rule_valid_from, rule_name, kind, asset_id, opened_at, because)
       select rule.org_id, rule.id, rule.id, rule.valid_from, rule.name, rule.kind, asset.id, now(), json_build_object(
         'reading', 'temperature_c', 'above', null, 'below', -18.5, 'value', -20.25, 'tag_id', 1, 'from', now())
       from rules rule join assets asset using (org_id) where org_id = $1 and rule.version = 1 and rule.kind = 'reading'`,
      [site.orgId],
    );
    await page.evaluate("location.hash = '#/alerts'");
    await page.getByText('Temperature below −18.5 °C').first().waitFor();
    await page.getByRole('link', { name: 'CART-7' }).first().click();
    await page.getByText('The first value beyond the bound: −20.25 °C').waitFor();
    expect(found).to.deep.equal([]);
  });
});

async function goBack(page: Page, name: string): Promise<void> {
  await page.evaluate("location.hash = '#/rules'");
  await page.getByRole('link', { name }).waitFor();
}
