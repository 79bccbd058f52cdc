import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { ulid } from 'ulid';
import { sealBatch } from '../../../domain/moves/sealing/seal-batch.ts';
import { until } from '../../support/browser.ts';
import { faultsOf, useConsoleApp } from '../../support/console-app.ts';
import { Site } from '../../support/site.ts';

const DESK = { width: 1280, height: 800 };

describe('alerts in the console, in a browser', () => {
  const app = useConsoleApp();
  const { database } = app;
  let site: Site;
  let dock: number;
  const ruleId = ulid();

  before(async () => {
    site = await Site.create(database, 'Acme');
    dock = await site.location('DOCK-1');
    await database.rows(
      `insert into rules (org_id, id, version, valid_from, is_ended, kind, name, location_id, metadata, mail_to)
       values ($1, $2, 1, now(), false, 'not_allowed', 'Forklifts leave the yard', $3, '[]', '{}')`,
      [site.orgId, ruleId, dock],
    );
  });

  interface Raised {
    kind: string;
    because: object;
    of: { assetId: number } | { readerId: number };
    minutesAgo?: number;
  }

  async function raise({ kind, because, of, minutesAgo = 5 }: Raised): Promise<string> {
    const id = ulid();
    await database.rows(
      `insert into alerts (org_id, id, rule_id, rule_valid_from, rule_name, kind, asset_id, reader_id, location_id, opened_at,
         because)
       values ($1, $2, $3, now(), 'Forklifts leave the yard', $4, $5, $6, $7, now() - make_interval(mins => $8), $9)`,
      [
        ...[site.orgId, id, ruleId, kind],
        ...('assetId' in of ? [of.assetId, null, dock] : [null, of.readerId, null]),
        ...[minutesAgo, JSON.stringify(because)],
      ],
    );
    await seal();
    return id;
  }

  const seal = () => sealBatch(database.pool, [{ orgId: site.orgId, after: 0, share: 1_000 }]);
  const from = new Date(Date.now() - 600_000).toISOString();

  async function beNotified(page: Page): Promise<void> {
    await page.context().grantPermissions(['notifications']);
    await page.getByRole('button', { name: /Viewer/ }).click();
    await page.getByLabel('Notify me of new alerts here').check();
    await page.evaluate(`document.hasFocus = () => false;
      told = [];
      Notification = class extends Notification {
        constructor(title, options) {
          super(title, options);
          told.push(title + ': ' + options.body);
        }
      }`);
  }

  it('does not say that all is well where no rule watches', async () => {
    const other = await Site.create(database, 'Without rules');
    const page = await app.open('#/alerts', await app.as('viewer', other.orgId));
    await page.getByRole('heading', { name: 'No rule raises alerts yet' }).waitFor();
    expect(await page.getByText('All is well').count()).to.equal(0);
    expect(await faultsOf(page, 'alerts-no-rules')).to.deep.equal([]);
  });

  it('says that all is well, shows what is raised as it comes, and why', async () => {
    const page = await app.open('#/alerts', await app.as('viewer', site.orgId));
    await page.getByRole('heading', { name: 'All is well' }).waitFor();
    const found = await faultsOf(page, 'alerts-none');
    await page.setViewportSize(DESK);
    await beNotified(page);
    found.push(...(await faultsOf(page, 'account-notifies')));
    await page.setViewportSize(DESK);
    await page.keyboard.press('Escape');
    await raise({
      kind: 'not_allowed',
      because: { location_id: dock, from },
      of: { assetId: await site.asset('FORKLIFT-2') },
    });
    await page.getByRole('link', { name: 'FORKLIFT-2' }).waitFor();
    await raise({
      kind: 'reader',
      because: { state: 'disconnected', from },
      of: { readerId: await site.reader('gate', []) },
    });
    await page.getByText('is disconnected').waitFor();
    expect(await page.evaluate<string[]>('told')).to.deep.equal([
      'FORKLIFT-2 is where it must not be: Forklifts leave the yard',
      'gate is disconnected: Forklifts leave the yard',
    ]);
    await until(page, "document.title === '(2) Alerts · tagtrail'");
    await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Alerts 2' }).waitFor();
    found.push(...(await faultsOf(page, 'alerts-list')));
    await page.setViewportSize(DESK);

    await page.getByRole('link', { name: 'FORKLIFT-2' }).press('Enter');
    const sheet = page.getByRole('dialog');
    await sheet.getByText('The rule does not allow it there.').waitFor();
    await sheet.getByRole('link', { name: 'DOCK-1' }).waitFor();
    expect(await sheet.getByRole('button', { name: 'Acknowledge' }).count()).to.equal(0);
    found.push(...(await faultsOf(page, 'alerts-one')));
    expect(found).to.deep.equal([]);
    await page.close();
  });

  it('is acknowledged by an operator, which others see at once, and is over when it ends', async () => {
    const asset = await site.asset('CART-7');
    const id = await raise({
      kind: 'overdue',
      because: { state: 'missing', location_id: dock, last_seen: from, sweep_id: null },
      of: { assetId: asset },
    });
    const page = await app.open(`#/alerts?open=${id}`, await app.as('operator', site.orgId));
    const sheet = page.getByRole('dialog');
    await sheet.getByText('until the rule called it missing').waitFor();
    await sheet.getByRole('button', { name: 'Acknowledge' }).press('Enter');
    await sheet.locator('.facts').getByText('Somebody').waitFor();
    await seal();
    await page.evaluate(`location.hash = '#/asset/${asset}'`);
    await page.getByRole('region', { name: 'Alerts' }).getByText('Acknowledged').waitFor();
    const found = await faultsOf(page, 'asset-alerts');
    await page
      .getByRole('region', { name: 'Alerts' })
      .getByRole('link', { name: 'is missing' })
      .press('Enter');
    await sheet.getByText('until the rule called it missing').waitFor();
    await page.evaluate("location.hash = '#/now'");
    await page.getByRole('heading', { name: '2 open alerts' }).waitFor();
    found.push(...(await faultsOf(page, 'alerts-now')));
    await page.setViewportSize(DESK);
    await page.getByRole('link', { name: 'FORKLIFT-2' }).waitFor();
    expect(await page.locator('.now-notice').getByText('CART-7').count()).to.equal(0);
    await database.rows(`update alerts set state = 'closed', closed_at = now() where id = $1`, [id]);
    await seal();
    await page.evaluate(`location.hash = '#/alerts?asset_id=${asset}&state=all'`);
    await page.getByRole('cell', { name: 'Over' }).waitFor();
    await page.evaluate("location.hash = '#/alerts'");
    const all = page.getByRole('button', { name: 'Acknowledge all 2 on this page' });
    await all.waitFor();
    found.push(...(await faultsOf(page, 'alerts-of-a-page')));
    await page.setViewportSize(DESK);
    await all.click();
    await page.locator('.toast', { hasText: '2 acknowledged' }).waitFor();
    await all.waitFor({ state: 'detached' });
    expect(await database.rows("select from alerts where state = 'open'")).to.deep.equal([]);
    expect(found).to.deep.equal([]);
  });

  it('notifies once of many that are opened together', async () => {
    const page = await app.open('#/alerts', await app.as('viewer', site.orgId));
    await page.getByRole('heading', { level: 1, name: 'Alerts' }).waitFor();
    await beNotified(page);
    const readers = [];
    for (let number = 0; number < 5; number++) {
      readers.push(await site.reader(`many-${number}`, []));
    }
    await database.rows(
      `insert into alerts (org_id, id, rule_id, rule_valid_from, rule_name, kind, reader_id, opened_at, because)
       select $1, id, $2, now(), 'Forklifts leave the yard', 'reader', reader, now(), '{"state": "silent"}'
       from unnest($3::text[], $4::integer[]) each (id, reader)`,
      [site.orgId, ruleId, readers.map(() => ulid()), readers],
    );
    await seal();
    await until(page, 'told.length > 0');
    expect(await page.evaluate<string[]>('told')).to.deep.equal(['5 open alerts: undefined']);
  });
});
