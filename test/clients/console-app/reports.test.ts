import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { sealBatch } from '../../../domain/moves/sealing/seal-batch.ts';
import { until } from '../../support/browser.ts';
import { faultsOf, useConsoleApp } from '../../support/console-app.ts';
import { at, PresenceSite } from '../../support/presence-site.ts';
import { itByNight } from '../../support/random-sets.ts';
import { aRead, record } from '../../support/recording.ts';
import { Site } from '../../support/site.ts';
import { storeSweepBy } from '../../support/stored-sweep.ts';

const HOUR = 3_600_000_000;

describe('reports and presence in the console, in a browser', () => {
  const app = useConsoleApp();
  let site: Site;
  let page: Page;
  const now = Date.now() * 1_000;

  before(async () => {
    site = await Site.create(app.database, 'Acme');
    const hall = await site.location('HALL');
    const places = [
      await site.location('DOCK', hall),
      await site.location('YARD'),
      await site.location('WASH'),
    ];
    const readerId = await site.reader('gate', places);
    const assets = [];
    for (let asset = 0; asset < 4; asset += 1) {
      assets.push(await site.asset(`CRATE-${asset}`, `CRATE${asset}`));
      for (let step = 0; step < 12; step += 1) {
        await record(app.database, [
          aRead({
            ...{ orgId: site.orgId, readerId, value: `CRATE${asset}` },
            locationId: places[(asset + step) % places.length] ?? null,
            at: now - (60 - 5 * step + asset) * HOUR,
          }),
        ]);
      }
    }
    await site.asset('SPARE');
    await storeSweepBy(
      app.database,
      { orgId: site.orgId, handheld: 'Early shift' },
      {
        ...{ id: '01KQSB3M8R0E5T9V2W4X6Y8Z1B', locationId: places[0] ?? 0 },
        ...{ endedAt: new Date(now / 1_000 - 3_600_000).toISOString(), expected: assets },
        ...{ found: assets.slice(1), missing: assets.slice(0, 1) },
      },
    );
    await sealBatch(app.database.pool, [{ orgId: site.orgId, after: 0, share: 1_000 }]);
    page = await app.open('#/reports', await app.as('viewer', site.orgId));
  });

  const row = (text: string) => page.locator('tbody tr', { hasText: text });

  it('show whether assets are there, and where everything was', async () => {
    await row('SPARE').getByText('Never seen').waitFor();
    await row('CRATE-1').getByText('Present').waitFor();
    const found = await faultsOf(page, 'reports-presence');
    await page.getByLabel('State').selectOption('never_seen');
    await row('CRATE-1').waitFor({ state: 'detached' });
    await row('SPARE').waitFor();
    await page.getByRole('link', { name: 'Positions' }).click();
    await row('CRATE-3').waitFor();
    expect(await row('SPARE').count()).to.equal(0);
    found.push(...(await faultsOf(page, 'reports-positions')));
    expect(found).to.deep.equal([]);
  });

  it('show stays of one asset as lanes, and take the asset and the time from one report to the next', async () => {
    await page.evaluate("location.hash = '#/reports/stays?span=days30&asset_external_key=CRATE-2'");
    await page.locator('.reports .lane .bar').first().waitFor();
    expect(await row('CRATE-2').count()).to.equal(12);
    const found = await faultsOf(page, 'reports-stays');
    await page.getByRole('link', { name: 'Sweeps' }).click();
    await row('Early shift').getByText('75 %').waitFor();
    expect(await page.evaluate<string>('location.hash'))
      .to.include('asset_external_key=CRATE-2')
      .and.include('days30');
    found.push(...(await faultsOf(page, 'reports-sweeps')));
    expect(found).to.deep.equal([]);
  });

  it('say on paper which asset and time they are about', async () => {
    await page.evaluate("location.hash = '#/reports/stays?span=today&asset_external_key=CRATE-2'");
    await until(
      page,
      `[...document.querySelectorAll('.report-filters [role=combobox]')].some(({ value }) => value.includes('CRATE-2'))`,
    );
    await page.evaluate("dispatchEvent(new Event('beforeprint'))");
    expect(await page.locator('.print-head').textContent()).to.match(/Acme · When: Today · .*: .*CRATE-2 · /);
    await page.evaluate("dispatchEvent(new Event('afterprint'))");
  });

  it('show dwell as bars by place and by day', async () => {
    await page.evaluate("location.hash = '#/reports/dwell'");
    await page.locator('.report-bars li', { hasText: 'YARD' }).waitFor();
    await row('Not yet seen').waitFor();
    const found = await faultsOf(page, 'reports-dwell');
    await page.getByLabel('By', { exact: true }).selectOption('day');
    await page.locator('.report-columns li').first().waitFor();
    expect(await page.evaluate<string>('location.hash')).to.include('group_by=day');
    found.push(...(await faultsOf(page, 'reports-days')));
    // The list below saves itself as CSV.
    expect(await page.getByRole('button', { name: 'Save all of it as CSV' }).count()).to.equal(0);
    expect(found).to.deep.equal([]);
  });

  it('save all of a report as CSV where the list would save a part of it', async () => {
    const long = await Site.create(app.database, 'Long');
    const [asset, here, there] = [
      await long.asset('BUSY'),
      await long.location('HERE'),
      await long.location('THERE'),
    ];
    await app.database.rows(
      `insert into location_transitions (org_id, asset_id, observed_at, location_id, duration_seconds)
       select $1, $2, now() - (n + 60) * interval '1 second', case when n % 2 = 0 then $3::integer else $4 end, 1
       from generate_series(1, 20001) n`,
      [long.orgId, asset, here, there],
    );
    await app.database.rows(
      `insert into positions (org_id, asset_id, location_id, since, last_seen)
       select org_id, asset_id, location_id, observed_at, observed_at from location_transitions
       where org_id = $1 order by observed_at desc limit 1`,
      [long.orgId],
    );
    const stays = await app.open('#/reports/stays?span=days7', await app.as('viewer', long.orgId));
    await stays.getByRole('button', { name: 'Export the first 20,000 of 20,001 rows as CSV' }).waitFor();
    const saved = stays.waitForEvent('download');
    await stays.getByRole('button', { name: 'Save all of it as CSV' }).click();
    const file = await saved;
    expect(file.suggestedFilename()).to.equal('stays.csv');
    expect(readFileSync(await file.path(), 'utf8').split('\r\n')).to.have.length(20_003);
  });

  it('stop saving when the screen is left', async () => {
    await page.route('**/exports/dwell*', () => {});
    const broken = page.waitForEvent('requestfailed', (request) => request.url().includes('/exports/dwell'));
    await page.getByRole('button', { name: 'Save all of it as Parquet' }).click();
    await page.getByText('Saving: 0 MB so far').waitFor();
    await page.getByRole('link', { name: 'Turns' }).click();
    await broken;
  });

  it('show how long trips took once two places are chosen, by keys', async () => {
    await page.getByRole('heading', { name: 'Choose two places' }).waitFor();
    const found = await faultsOf(page, 'reports-turns-empty');
    for (const [label, key] of [
      ['From place', 'DOCK'],
      ['To place', 'WASH'],
    ] as const) {
      await page.getByRole('combobox', { name: label }).focus();
      await page.keyboard.type(key);
      await page.getByRole('option', { name: key }).first().waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL(new RegExp(`=${key}`));
    }
    await page.getByLabel('By', { exact: true }).selectOption('asset');
    await page.locator('.report-bars li', { hasText: 'CRATE-0' }).waitFor();
    await row('CRATE-0').getByText('5 h').first().waitFor();
    found.push(...(await faultsOf(page, 'reports-turns')));
    expect(found).to.deep.equal([]);
  });

  itByNight('leads from what is unknown now to the assets, and to when nobody was listening', async () => {
    const watched = await PresenceSite.create(app.database, { places: 1, readerPlaces: [0], assets: 2 });
    await watched.watch(0, { from: -1_000, mode: 'continuous', maxGap: 60, coverage: 'all' });
    await watched.deliver(
      [0, 60, 120, 900, 960].map((second) => ({ reader: 0, at: second, receivedAt: second, assets: [0] })),
    );
    await sealBatch(app.database.pool, [{ orgId: watched.orgId, after: 0, share: 1_000 }]);
    const own = await app.open('#/now', await app.as('viewer', watched.orgId));
    await own.getByRole('link', { name: '1 Never seen' }).waitFor();
    const found = await faultsOf(own, 'now-states');
    await own.setViewportSize({ width: 1280, height: 800 });
    await own.getByRole('link', { name: '1 Unknown' }).click();
    const line = own.locator('tbody tr', { hasText: 'ASSET-000' });
    await line.getByText('cannot be heard').waitFor();
    expect(await own.locator('tbody tr').count()).to.equal(1);
    await line.getByRole('link', { name: 'ASSET-000' }).click();
    await own.locator('.where').getByText('Not read, and nothing was listening').waitFor();
    const iso = (second: number) => new Date(at(second) / 1_000).toISOString();
    await own.evaluate(
      `location.hash = '#/asset/${watched.assets[0]}?from=${iso(0)}&to=${iso(1_000)}&org=${watched.orgId}'`,
    );
    await own.locator('.lane-gap').first().waitFor();
    await own.getByText('nothing was listening at the place').waitFor();
    found.push(...(await faultsOf(own, 'asset-gaps')));
    await own.route('**/coverage*', async (route) => {
      const response = await route.fetch();
      const { data } = await response.json();
      await route.fulfill({ response, json: { data: { ...data, is_cut: true } } });
    });
    await own.evaluate(
      `location.hash = '#/asset/${watched.assets[0]}?from=${iso(0)}&to=${iso(1_100)}&org=${watched.orgId}'`,
    );
    await own.getByText('Only the longest gaps').waitFor();
    expect(found).to.deep.equal([]);
  });

  it('say of an empty time what is true of it, and know what was read a moment ago', async () => {
    const about = (query: string) => page.evaluate(`location.hash = '#/reports/stays?${query}'`);
    await about('from=2026-05-02T00:00:00.000Z&to=2026-05-01T00:00:00.000Z');
    await page.getByRole('heading', { name: '“From” is not before “To”' }).waitFor();
    await about('from=2001-01-01T00:00:00.000Z&to=2001-01-02T00:00:00.000Z');
    await page.getByRole('heading', { name: 'Nothing in this time' }).waitFor();
    expect(await faultsOf(page, 'reports-nothing')).to.deep.equal([]);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('link', { name: 'Last 30 days' }).click();
    await row('CRATE-1').first().waitFor();

    const [place] = await app.database.rows<{ id: number }>(
      `select id from locations where org_id = $1 and external_key = 'WASH'`,
      [site.orgId],
    );
    const [reader] = await app.database.rows<{ id: number }>('select id from readers where org_id = $1', [
      site.orgId,
    ]);
    const ago = aRead({
      ...{ orgId: site.orgId, readerId: reader?.id ?? 0, value: 'SPARE1', locationId: place?.id ?? null },
      at: Date.now() * 1_000 - 2_000_000,
    });
    await site.tag({ assetId: await site.asset('FRESH') }, 'SPARE1');
    await record(app.database, [ago]);
    await about('span=today');
    await row('FRESH').waitFor();
  });

  it('say in words what is wrong, and lead to a narrower window', async () => {
    await page.evaluate(
      "location.hash = '#/reports/dwell?group_by=day&from=2001-01-01T00:00:00.000Z&to=2026-01-01T00:00:00.000Z'",
    );
    await page.getByText('must be at most').waitFor();
    await page.getByText('Choose a shorter window:').getByRole('link', { name: 'Today' }).click();
    await page.locator('tbody tr').first().waitFor();
    await page.evaluate(
      "location.hash = '#/reports/positions?known_at=2020-01-01T00:00:00.000Z&at=2019-01-01T00:00:00.000Z'",
    );
    await page.getByText('The earliest possible time:').getByRole('link').click();
    await page.getByText('Nothing matches').waitFor();
  });
});
