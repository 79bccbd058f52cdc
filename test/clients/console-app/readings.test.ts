import { expect } from 'chai';
import { inTransaction } from '../../../db/timescale/connections/transaction.ts';
import { recordReadings } from '../../../domain/tracking/tag-readings.ts';
import { faultsOf, useConsoleApp } from '../../support/console-app.ts';
import { aRead, record } from '../../support/recording.ts';
import { Site } from '../../support/site.ts';

describe('what tags measure, in the console, in a browser', () => {
  const app = useConsoleApp();
  const { database } = app;
  let token: string;
  let fridge: number;
  let plain: number;
  before(async () => {
    const site = await Site.create(database, 'Acme');
    token = await app.as('viewer', site.orgId);
    const locationId = await site.location('COLD');
    const readerId = await site.reader('Cold room', [locationId]);
    fridge = await site.asset('FRIDGE', 'F1');
    plain = await site.asset('PLAIN', 'P1');
    const minute = 60_000_000;
    const now = Math.floor(Date.now() / 60_000) * minute;
    await record(
      database,
      ['F1', 'P1'].flatMap((value) =>
        [55, 5].map((minutes) =>
          aRead({ orgId: site.orgId, readerId, value, locationId, at: now - minutes * minute }),
        ),
      ),
    );
    const [tag] = await database.rows<{ id: number }>('select id from tags where asset_id = $1', [fridge]);
    const found = [50, 40, 30, 20, 10].map((minutes, index) => ({
      ...{ orgId: site.orgId, assetId: fridge, tagId: tag?.id ?? 0, observedAt: now - minutes * minute },
      readings: { temperature_c: 4 + index, ...(index === 0 ? { battery_percent: 88 } : {}) },
    }));
    await inTransaction(database.pool, (client) => recordReadings(client, found, { isCareful: false }));
  });

  it('shows the newest values, a picture of one kind, and the same as a table', async () => {
    const page = await app.open(`#/asset/${fridge}`, token);
    const card = page.getByRole('region', { name: 'Readings of its tags' });
    await card.getByRole('button', { name: 'Temperature: 8 °C' }).click();
    await card.getByRole('img', { name: 'Temperature, from 4 °C to 8 °C' }).waitFor();
    await card.getByText('As a table').click();
    const cells = await card.locator('tbody tr').first().locator('td.number').allInnerTexts();
    expect(cells).to.deep.equal(['8 °C', '8 °C', '8 °C', '1']);
    expect(await faultsOf(page, 'readings')).to.deep.equal([]);
    await card.getByRole('button', { name: 'Battery: 88 %' }).click();
    await card.getByRole('img', { name: 'Battery, from 88 % to 88 %' }).waitFor();
  });

  it('shows nothing of an asset whose tags never measured anything', async () => {
    const page = await app.open(`#/asset/${plain}`, token);
    await page.getByRole('heading', { name: 'Where it was' }).waitFor();
    expect(await page.getByText('Readings of its tags').count()).to.equal(0);
  });
});
