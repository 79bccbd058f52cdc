import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { faultsOf, useConsoleApp } from '../../support/console-app.ts';
import { itByNight } from '../../support/random-sets.ts';
import { Site } from '../../support/site.ts';

/** Runs where it is looked at as markup, which it never is. */
const MARKUP = '<img src=x onerror="document.title=\'stolen\'">';

describe('the inbox in the console', () => {
  const app = useConsoleApp();
  let site: Site;
  let reader: number;

  const seen = (...values: readonly string[]) =>
    app.database.rows(
      `insert into unknown_tags (org_id, tag_type, value, tag_key, ambiguous, count, first_seen, last_seen, reader_id, antenna, rssi)
       select $1, 'rfid', value, value, false, place, now(), now() + (100 - place) * interval '1 microsecond', $3, 1, -40 - place
       from unnest($2::text[]) with ordinality as given (value, place)`,
      [app.orgId, values, reader],
    );
  const keep = (...payloads: readonly (string | Buffer)[]) =>
    app.database.rows(
      `insert into rejected_messages (org_id, reader_id, topic, reason, received_at, bytes, payload, payload_sha256, is_whole)
       select $1, $2, 'gate', $4, now(), octet_length(given), given, sha256(given), true
       from unnest($3::bytea[]) as given`,
      [app.orgId, reader, payloads.map((payload) => Buffer.from(payload)), `payload is no ${MARKUP}`],
    );
  const askForNew = (page: Page) => page.evaluate(`window.dispatchEvent(new Event('focus'))`);

  before(async () => {
    site = Site.of(app.database, app.orgId);
    const dock = await site.location('DOCK');
    await site.asset('PALLET-7');
    reader = await site.reader('Gate', [dock], { topic: 'gate', format: 'minew-json' });
  });
  beforeEach(() => app.database.empty('unknown_tags, rejected_messages'));

  it('attaches an unknown tag in two clicks, which can be undone', async () => {
    await seen('E2801160', 'E2809999');
    const page = await app.open('#/inbox');
    await page.getByRole('link', { name: 'E2801160' }).click();
    await page.keyboard.type('pallet');
    await page.getByRole('option', { name: 'PALLET-7' }).click();
    // It tells in the sheet, too, while that is open.
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    // It stays while it is pointed at.
    await page.locator('.toast', { hasText: 'Attached to PALLET-7' }).hover();
    await page.getByRole('link', { name: 'E2801160' }).waitFor({ state: 'detached' });
    const tags = async () => (await app.call({ path: '/assets' })).body.data[0].tags;
    expect(await tags()).to.have.length(1);
    expect((await tags())[0]).to.include({ value: 'E2801160' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Detached from PALLET-7').first().waitFor();
    expect(await tags()).to.deep.equal([]);
  });

  it('attaches to nothing that was not chosen, however early Enter is pressed', async () => {
    await seen('E2801160');
    const page = await app.open('#/inbox');
    await page.getByRole('link', { name: 'E2801160' }).focus();
    await page.keyboard.press('Enter');
    const box = page.getByRole('combobox', { name: 'Attach to' });
    await box.waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('option', { name: 'PALLET-7', selected: false }).waitFor();
    await page.keyboard.press('Enter');
    await box.fill('pallet');
    await page.getByRole('option', { name: 'PALLET-7', selected: true }).waitFor();
    await box.fill('');
    await page.getByRole('option', { name: 'PALLET-7', selected: false }).waitFor();
    await page.keyboard.press('Enter');
    const chosen = page.getByRole('dialog').getByRole('option', { selected: true });
    // Before the newest are listed again an arrow chooses none.
    while ((await chosen.count()) === 0) {
      await box.press('ArrowDown');
    }
    const name = (await chosen.locator('.title').textContent()) ?? '';
    const { total_count: before } = (await app.call({ path: '/unknown-tags' })).body;
    expect(before, 'nothing is attached so far').to.equal(1);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.locator('.toast', { hasText: `Attached to ${name}` }).hover();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText(`Detached from ${name}`).first().waitFor();
  });

  it('makes an asset of one, puts one on a place and ignores one for good, by keys alone', async () => {
    await seen('E2800001', 'E2800002', 'E2800003');
    const page = await app.open('#/inbox/tags');
    await page.getByRole('link', { name: 'E2800001' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type('Crate 12');
    await page.getByText('Nothing is called “Crate 12”.').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('Crate 12 created').first().waitFor();
    await page.getByRole('link', { name: 'E2800001' }).waitFor({ state: 'detached' });

    await page.getByRole('link', { name: 'E2800002' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('combobox', { name: 'Attach to' }).waitFor();
    await page.keyboard.type('dock');
    await page.keyboard.press('Enter');
    await page.getByText('Attached to DOCK').first().waitFor();

    await page.getByRole('button', { name: 'Ignore E2800003' }).click();
    await page.getByRole('heading', { name: 'No unknown tags' }).waitFor();
    const ignored = page.locator('.toast', { hasText: 'is ignored' });
    await ignored.hover();
    await ignored.getByRole('button').click();
    await page.getByRole('link', { name: 'E2800003' }).waitFor();
    const { body } = await app.call({ path: '/assets?q=Crate' });
    expect(body.data[0].tags[0]).to.include({ value: 'E2800001' });
  });

  it('shows what names one thing and is attached twice; detaching the wrong one mends it', async () => {
    const [tray] = [await site.asset('TRAY-1', '4006381333931', 'barcode')];
    await site.asset('TRAY-2', '04006381333931', 'barcode');
    await app.database.rows(
      `insert into normal_key_collisions (org_id, normal_key) select org_id, normal_key from tags where asset_id = $1`,
      [tray],
    );
    const page = await app.open('#/inbox');
    await page.getByRole('heading', { name: 'Attached twice' }).waitFor();
    expect(await faultsOf(page, 'inbox-alike')).to.deep.equal([]);
    await page.getByRole('link', { name: 'TRAY-1' }).waitFor();
    const detach = page.getByRole('button', { name: 'Detach 04006381333931 from TRAY-2' });
    await detach.press('Enter');
    await page.getByRole('heading', { name: 'Attached twice' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await detach.waitFor();
    await detach.click();
    await page.getByRole('heading', { name: 'Attached twice' }).waitFor({ state: 'detached' });
  });

  it('replays a rejected message by another format in three clicks', async () => {
    await keep('[{"value":"FEED01"}]');
    const page = await app.open('#/inbox');
    await page.getByRole('link', { name: 'Rejected messages' }).click();
    await page.getByRole('link', { name: 'payload is no' }).click();
    await page.getByRole('button', { name: 'Replay as tagtrail' }).click();
    await page
      .getByText('Replayed, dated by when it was received: 0 reads recorded, 1 of unknown tags')
      .first()
      .waitFor();
    await page.getByRole('heading', { name: 'Nothing was rejected' }).waitFor();
    const { body } = await app.call({ path: '/unknown-tags' });
    expect(body.data[0]).to.include({ value: 'FEED01' });
  });

  it('shows what each format would make of the bytes, as text and in hexadecimal', async () => {
    await keep('[{"value":"FEED01"},{"value":"FEED02"}]');
    const page = await app.open('#/inbox/rejected');
    await page.getByRole('link', { name: 'payload is no' }).click();
    await page.getByText('2 reads would be recorded').waitFor();
    await page.getByLabel('Read it as').selectOption('minew-json');
    await page.getByText('Nothing would be recorded; 2 rejected.').waitFor();
    await page.getByRole('radio', { name: 'Hex' }).check();
    await page.getByText('0000  5b 7b 22 76').waitFor();
  });

  itByNight('replays and dismisses many, and says how far it is', async () => {
    await keep(...Array.from({ length: 120 }, (_, index) => `[{"value":"CAFE${index}"}]`));
    await app.database.rows(`update readers set format = 'tagtrail'`);
    const page = await app.open('#/inbox/rejected');
    await page.getByRole('checkbox', { name: 'Select all' }).check();
    await page.getByText('50 selected').waitFor();
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await page.getByText('50 dismissed').waitFor();
    await page.getByText('1 – 50 of 70').waitFor();
    await page.getByRole('checkbox', { name: 'Select all' }).check();
    await page.getByRole('button', { name: 'Select all 70 that match' }).click();
    await page.getByText('70 selected').waitFor();
    await page.getByRole('button', { name: 'Replay' }).click();
    await page.getByText('70 replayed (0 reads recorded, 70 of unknown tags)').waitFor();
    await page.getByRole('heading', { name: 'Nothing was rejected' }).waitFor();
    await app.database.rows(`update readers set format = 'minew-json'`);
  });

  itByNight(
    'marks messages that were ignored and hold something like a tag, and lists them by themselves',
    async () => {
      await keep('{"a":', '{"event":"TAG_READ","epc":"E28011600000020912345678"}');
      await app.database.rows(
        `update rejected_messages set kind = 'near_miss', reason = 'Should this have been a read? It holds E28011600000020912345678'
       where payload like '%TAG_READ%'`,
      );
      const page = await app.open('#/inbox/rejected');
      const rows = page.locator('tbody tr');
      const ignored = rows.filter({ has: page.locator('.badge', { hasText: 'Ignored' }) });
      await ignored.getByText('Should this have been a read?').waitFor();
      expect([await rows.count(), await ignored.count()]).to.deep.equal([2, 1]);
      await page.getByLabel('Rejected or ignored').selectOption('near_miss');
      await page.getByText('1 – 1 of 1').waitFor();
      await page.getByRole('checkbox', { name: 'Select all' }).check();
      await page.getByRole('button', { name: 'Dismiss' }).waitFor();
      const found = await faultsOf(page, 'inbox-near-misses');
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.getByRole('link', { name: 'Should this have been a read?' }).click();
      await page
        .getByRole('dialog')
        .locator('.note-seen', { hasText: 'Should this have been a read?' })
        .waitFor();
      found.push(...(await faultsOf(page, 'inbox-near-miss')));
      expect(found).to.deep.equal([]);

      const german = await app.open('#/inbox/rejected?kind=near_miss', app.token, { locale: 'de-DE' });
      await german.locator('.badge', { hasText: 'Übergangen' }).waitFor();
      expect(await faultsOf(german, 'inbox-near-misses-german')).to.deep.equal([]);
    },
  );

  it('says that there is something new, and moves no row for it', async () => {
    await seen('E2801111');
    const page = await app.open('#/inbox');
    const row = page.getByRole('link', { name: 'E2801111' });
    await row.waitFor();
    const before = await row.boundingBox();
    await seen('E280AAAA', 'E280BBBB');
    await askForNew(page);
    const line = page.getByRole('button', { name: '2 new tags' });
    await line.waitFor();
    expect(await row.boundingBox()).to.deep.equal(before);
    await line.click();
    await page.getByRole('link', { name: 'E280AAAA' }).waitFor();

    await page.evaluate(`location.hash = '#/inbox/rejected'`);
    await page.getByRole('heading', { name: 'Nothing was rejected' }).waitFor();
    await keep('{');
    await askForNew(page);
    await page.getByRole('button', { name: '1 new message' }).click();
    await page.getByRole('link', { name: 'payload is no' }).waitFor();
  });

  it('shows what readers send as text, whatever it is', async () => {
    await seen(MARKUP, `"><script>document.title='stolen'</script>`);
    await keep(MARKUP, `<svg onload="document.title='stolen'">`);
    const page = await app.open('#/inbox');
    await page.getByRole('link', { name: 'onerror' }).click();
    await page.getByRole('dialog', { name: MARKUP }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Rejected messages' }).click();
    await page.getByRole('link', { name: 'payload is no' }).first().click();
    await page.getByText('svg onload').waitFor();
    expect(await page.locator('img, svg[onload], main script').count()).to.equal(0);
    expect(await page.title()).not.to.include('stolen');
  });

  it('lets viewers look, and offers them nothing to do', async () => {
    await seen('E2801111');
    await keep('[{"value":"FEED01"}]');
    const page = await app.open('#/inbox', await app.as('viewer'));
    await page.getByRole('link', { name: 'E2801111' }).click();
    await page.getByRole('dialog', { name: 'E2801111' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Rejected messages' }).click();
    await page.getByRole('link', { name: 'payload is no' }).click();
    await page.getByText('1 read would be recorded').waitFor();
    const names = await page.getByRole('button').allTextContents();
    expect(names.filter((name) => /Ignore|Replay|Dismiss|Attach/.test(name))).to.deep.equal([]);
    expect(await page.getByRole('checkbox').count()).to.equal(0);
  });

  it('has nothing against it with axe, and keeps to its width', async () => {
    await seen('E28011600000020912345678', 'E28011600000020912345679');
    await keep('[{"value":"FEED01"}]', '{"a":');
    const page = await app.open('#/inbox');
    await page.getByRole('link', { name: 'E28011600000020912345678' }).waitFor();
    const found = await faultsOf(page, 'inbox-tags');
    await page.getByRole('link', { name: 'E28011600000020912345678' }).click();
    await page.getByRole('option', { name: 'PALLET-7' }).waitFor();
    found.push(...(await faultsOf(page, 'inbox-attach')));
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Rejected messages' }).click();
    await page.getByRole('checkbox').nth(1).check();
    found.push(...(await faultsOf(page, 'inbox-rejected')));
    await page.getByRole('link', { name: 'payload is no' }).last().click();
    await page.getByText('1 read would be recorded').waitFor();
    found.push(...(await faultsOf(page, 'inbox-message')));
    expect(found).to.deep.equal([]);
  });
});
