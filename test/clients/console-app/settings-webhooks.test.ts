import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { sealBatch } from '../../../domain/moves/sealing/seal-batch.ts';
import { faultsOf, useConsoleApp } from '../../support/console-app.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { aRead, record } from '../../support/recording.ts';
import { Site } from '../../support/site.ts';
import { until } from '../../support/subscribed-ingest.ts';
import { SETTINGS } from '../../support/webhooks.ts';

describe('webhooks in the console', () => {
  const app = useConsoleApp({ SECRETS_KEY: SETTINGS.keys, WEBHOOK_NETWORKS: SETTINGS.networks });
  let site: Site;
  let token: string;
  let receiver: Receiver;

  before(async () => {
    site = await Site.create(app.database, 'Acme');
    token = await app.as('admin', site.orgId);
    receiver = await startReceiver();
    const locationId = await site.location('DOCK');
    const readerId = await site.reader('gate', [locationId]);
    await site.asset('PALLET', 'E28011');
    const at = Date.now() * 1_000;
    await record(app.database, [
      aRead({ orgId: site.orgId, readerId, value: 'E28011', locationId, at, rssi: -50 }),
    ]);
    await sealBatch(app.database.pool, [{ orgId: site.orgId, after: 0, share: 1_000 }]);
  });

  after(() => receiver.close());

  it('are made, tested, switched off, replayed from a time, given another secret, and deleted', async () => {
    const page = await app.open('#/settings/webhooks', token);
    await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor();
    await page.getByRole('link', { name: 'Add webhook' }).press('Enter');
    const sheet = page.locator('dialog.side');
    await sheet.getByLabel('Name', { exact: true }).fill('ERP');
    await sheet.getByLabel('Address', { exact: true }).fill('http://169.254.169.254/');
    await sheet.getByLabel('Corrections of history').uncheck();
    await sheet.getByRole('button', { name: 'Create webhook' }).click();
    await sheet.locator('.fault').waitFor();
    await sheet.getByLabel('Address', { exact: true }).fill(receiver.url);
    expect(await sheet.getByLabel('Wait (seconds)').inputValue()).to.equal('0');
    await sheet.getByLabel('Wait (seconds)').fill('5');
    await sheet.getByLabel('Address', { exact: true }).press('Enter');
    const secret = await page.getByLabel('Secret of ERP').inputValue();
    const faults = await faultsOf(page, 'settings-webhooks');

    await page.getByRole('link', { name: 'ERP' }).press('Enter');
    await sheet.getByRole('button', { name: 'Send a test event' }).click();
    await sheet.getByText('answered with 204').first().waitFor();
    const { body, headers } = receiver.received[0] ?? expect.fail('nothing came');
    new Webhook(secret).verify(body, headers as Record<string, string>);
    receiver.answer = (response) => response.writeHead(500).end('out of paper');
    await sheet.getByRole('button', { name: 'Send a test event' }).click();
    await sheet.getByText('out of paper').first().waitFor();
    await sheet.getByRole('listitem').filter({ hasText: '500' }).getByText('Test event').waitFor();
    faults.push(...(await faultsOf(page, 'settings-webhook')));

    await sheet.getByRole('button', { name: 'Switch off' }).click();
    await sheet.getByText('Off', { exact: true }).waitFor();
    await sheet.getByLabel('Recorded since').fill('2020-01-01T00:00');
    await sheet.getByRole('button', { name: 'Send again' }).click();
    const sure = page.getByRole('alertdialog');
    await sure.getByRole('heading', { name: 'Send 1 event again?' }).waitFor();
    await sure.getByRole('button', { name: 'Send again' }).click();
    await sheet.getByText('1 event: delivered up to 0 of 1').waitFor();

    await sheet.getByRole('button', { name: 'Create a new secret' }).click();
    expect(await sheet.getByLabel('Secret of ERP').inputValue())
      .to.match(/^whsec_/)
      .and.not.equal(secret);
    await sheet.getByRole('button', { name: 'End the old secret' }).click();
    await sheet.getByRole('button', { name: 'Create a new secret' }).waitFor();
    expect(await sheet.getByLabel('Wait (seconds)').inputValue()).to.equal('5');
    await sheet.getByLabel('Wait (seconds)').fill('0');
    await sheet.getByLabel('Name', { exact: true }).fill('Old ERP');
    // Somebody else changes another field meanwhile.
    const path = `/webhooks/${new URL(page.url()).hash.match(/open=(\d+)/)?.[1]}`;
    const theirs = { url: `${receiver.url}?by=them` };
    await app.call({ method: 'PATCH', path, json: theirs, token });
    await sheet.getByRole('button', { name: 'Save' }).click();
    await sheet.getByRole('heading', { name: 'Old ERP', level: 2 }).waitFor();
    expect((await app.call({ path, token })).body.data).to.include({ name: 'Old ERP', ...theirs });
    expect(await page.content()).not.to.include(secret.slice(10));

    await sheet.getByRole('button', { name: 'Delete' }).click();
    await sure.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor();
    expect(faults).to.deep.equal([]);
  });

  it('are suggested to wait where antennas are weighed against each other', async () => {
    const other = await Site.create(app.database, 'Weighed');
    await app.database.rows(
      `insert into location_settings (org_id, procedure, certainty, valid_from) values ($1, 'strength', 1, now())`,
      [other.orgId],
    );
    const page = await app.open('#/settings/webhooks?open=new', await app.as('admin', other.orgId));
    const wait = page.locator('dialog.side').getByLabel('Wait (seconds)');
    await until(async () => (await wait.inputValue()) === '5');
  });
});
