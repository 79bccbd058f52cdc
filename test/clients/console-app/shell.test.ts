import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { makeFirstLink } from '../../../domain/administration/users/links/make-link.ts';
import { TEST_ACTOR } from '../../support/actor.ts';
import { screenshot } from '../../support/browser.ts';
import { cutTexts, DESK, faultsOf, useConsoleApp } from '../../support/console-app.ts';
import { PASSWORD } from '../../support/people.ts';

describe('the console in a browser', () => {
  const app = useConsoleApp();

  it('lets the first administrator in by the link of the first start, once', async () => {
    const orgId = await app.people.organization('Harbour');
    const { token } = await makeFirstLink(app.people.db, TEST_ACTOR, orgId);
    const page = await app.open(`#/link/${token}`, null);
    await page.getByLabel('Your name').fill('Mara Lind');
    await page.getByLabel('E-mail').fill('mara@example.com');
    await page.getByLabel('New password').fill('short');
    await page.getByRole('button', { name: 'Go in' }).click();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).to.equal('Welcome to tagtrail');
    await page.getByLabel('New password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Go in' }).click();
    await page.getByRole('navigation', { name: 'Screens' }).getByText('Mara Lind').waitFor();
    expect(await page.getByRole('navigation', { name: 'Screens' }).textContent()).to.include('Harbour');
    expect(page.url()).not.to.include(token);

    const again = await app.open(`#/link/${token}`, null);
    await again.getByRole('heading', { name: 'This link is no longer valid' }).waitFor();
  });

  it('shows who is not signed in the sign-in, and then what they came for', async () => {
    const page = await app.open('#/places?q=dock', null);
    await page.getByLabel('E-mail').fill('admin1@example.com');
    await page.getByLabel('Password').fill('not the password');
    await page.keyboard.press('Enter');
    await page.getByText('Wrong e-mail or password.').waitFor();
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Places', exact: true }).waitFor();
    expect(await page.getByRole('searchbox', { name: 'Name, key' }).inputValue()).to.equal('dock');
  });

  it('adds an asset, attaches a tag, finds it by that and retires it, by keys alone', async () => {
    const page = await app.open('#/assets');
    const press = async (...keys: string[]) => {
      for (const key of keys) {
        await page.keyboard.press(key);
      }
    };
    const focused = () =>
      page.evaluate<string>('document.activeElement?.textContent || document.activeElement?.name');
    await page.getByText('Add asset', { exact: true }).first().waitFor();
    await tabTo(page, 'Add asset');
    await press('Enter');
    await page.getByRole('dialog').waitFor();
    await tabTo(page, 'Name');
    await page.keyboard.type('Reach truck <b>7</b>');
    await press('Enter');
    await page.getByRole('heading', { name: 'Reach truck <b>7</b>' }).waitFor();
    await tabTo(page, 'Value');
    await page.keyboard.type('E28011600000020912340007');
    await press('Enter');
    await page.getByRole('button', { name: 'Detach E28011600000020912340007' }).waitFor();
    await press('Escape');
    await page.waitForURL(/#\/assets$/);

    await tabTo(page, 'Name, key, description or tag');
    await page.keyboard.type('0912340007');
    await page.waitForURL(/q=0912340007/);
    await tabTo(page, 'Reach truck <b>7</b>');
    await press('ArrowDown', 'End');
    expect(await focused()).to.equal('Reach truck <b>7</b>');
    await press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Reach truck <b>7</b>' }).waitFor();
    await tabTo(page, 'Edit');
    await press('Enter');
    await tabTo(page, 'Retire');
    await press('Enter');
    await page.getByRole('alertdialog').waitFor();
    await tabTo(page, 'Retire');
    await press('Enter');
    await page.getByText('Its history stays.').waitFor();
    await page.evaluate("location.hash = '#/assets?q=0912340007'");
    await page.getByText('Nothing matches').waitFor();
    const { body } = await app.call({ path: '/assets?include_deleted=true' });
    expect(body.data[0]).to.include({ name: 'Reach truck <b>7</b>' });
    expect(body.data[0].deleted_at).to.be.a('string');
  });

  it('finds with / and helps with ?, and leaves both to what is being typed', async () => {
    const { body } = await app.call({ method: 'POST', path: '/assets', json: { name: 'Gantry crane' } });
    const page = await app.open('#/assets');
    const find = page.getByRole('combobox', { name: 'Find' });
    await find.waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('a/b?');
    expect(await find.inputValue()).to.equal('a/b?');
    expect(await page.getByRole('dialog').count()).to.equal(0);
    await find.fill('crane');
    await page.getByRole('option', { name: 'Gantry crane' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`#/asset/${body.data.id}$`));
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: 'Add rule' }).waitFor();
    expect(await faultsOf(page, 'commands')).to.deep.equal([]);
    await page.setViewportSize(DESK.viewport);
    await page.keyboard.type('webh');
    await page.getByRole('option', { name: 'Settings: Webhooks' }).click();
    await page.waitForURL(/#\/settings\/webhooks$/);
    // As a barcode scanner types: Enter comes before any suggestion.
    await page.keyboard.press('/');
    await page.keyboard.type(body.data.external_key.toLowerCase());
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`#/asset/${body.data.id}$`));
    await page.keyboard.press('/');
    await page.keyboard.type('gantry');
    await page.getByRole('option', { name: body.data.external_key }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/#\/find\?q=gantry$/);
    await page.getByRole('heading', { name: 'Find', exact: true }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Help' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('offers a viewer nothing to write', async () => {
    const { body } = await app.call({ method: 'POST', path: '/assets', json: { name: 'Roll cage' } });
    const page = await app.open(`#/assets?open=${body.data.id}`, await app.as('viewer'));
    await page.getByRole('dialog', { name: 'Roll cage' }).waitFor();
    const names = await page.getByRole('button').allTextContents();
    expect(names.filter((name) => /Save|Retire|Attach|Detach/.test(name))).to.deep.equal([]);
    expect(await page.getByRole('textbox', { name: 'Name', exact: true }).isEditable()).to.equal(false);
    expect(await page.getByRole('link', { name: 'Add asset' }).count()).to.equal(0);
  });

  it('speaks the language of the browser, and another when asked', async () => {
    const page = await app.open('#/assets', app.token, { locale: 'de-AT' });
    await page.getByRole('heading', { name: 'Objekte', exact: true }).waitFor();
    expect(await page.evaluate('document.documentElement.lang')).to.equal('de');
    await page.getByRole('button', { name: /Verwaltung/ }).click();
    await page.getByLabel('English').check();
    await page.getByRole('heading', { name: 'Assets', exact: true }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Assets', exact: true }).waitFor();
  });

  it('says that a page could not be loaded, and loads it when asked', async () => {
    const page = await app.open('#/assets', app.token, { locale: 'de-DE' });
    await page.getByRole('heading', { name: 'Objekte', exact: true }).waitFor();
    await page.route('**/assets/alerts-screen-*', (route) => route.abort());
    await page.evaluate(`location.hash = '#/alerts'`);
    await page.getByRole('heading', { name: 'Diese Seite ließ sich nicht laden' }).waitFor();
    expect(await page.locator('main').textContent()).not.to.match(/import|http/i);
    expect(await faultsOf(page, 'not-loaded')).to.deep.equal([]);
    await page.unroute('**/assets/alerts-screen-*');
    await page.getByRole('button', { name: 'Neu laden' }).click();
    await page.getByRole('heading', { name: 'Alarme', exact: true }).waitFor();
  });

  it('shows whole names and keys on a phone', async () => {
    const key = 'PALLET-HALL-3-EUROPE-0000004711';
    const name = 'Pallet of acid-resistant drums for the northern yard';
    await app.call({ method: 'POST', path: '/assets', json: { name, external_key: key } });
    const page = await app.open('#/assets?q=europe', app.token, { viewport: { width: 390, height: 844 } });
    await page.getByText(key).waitFor();
    expect(await cutTexts(page, '.table :is(.title, .mono, .row-link)')).to.deep.equal([]);
    await screenshot(page, 'console/assets-390');
  });

  it('moves nothing for who asks for that', async () => {
    const page = await app.open('#/assets?open=new', app.token, { reducedMotion: 'reduce' });
    await page.getByRole('dialog').waitFor();
    const duration = await page.evaluate<string>(
      `getComputedStyle(document.querySelector('dialog')).animationDuration`,
    );
    expect(Number.parseFloat(duration)).to.be.below(0.001);
  });

  it('has nothing against it with axe, and keeps to its width, on every screen of the shell', async () => {
    await app.call({
      method: 'POST',
      path: '/assets',
      json: { name: 'Drum, acid-resistant, with a name that is long' },
    });
    const found = [];
    const signIn = await app.open('', null);
    await signIn.getByRole('heading', { name: 'Sign in' }).waitFor();
    found.push(...(await faultsOf(signIn, 'sign-in')));
    const states = [
      { name: 'assets', hash: '#/assets', heading: 'Assets' },
      { name: 'asset-new', hash: '#/assets?open=new', heading: 'New asset' },
      { name: 'nothing', hash: '#/assets?q=nobody-has-this', heading: 'Nothing matches' },
      { name: 'places', hash: '#/places', heading: 'No places yet' },
      { name: 'place-new', hash: '#/places?open=new', heading: 'New place' },
      { name: 'no-screen', hash: '#/nowhere', heading: 'Screen not found' },
    ];
    const page = await app.open('');
    await page.getByRole('heading', { name: 'No places yet' }).waitFor();
    found.push(...(await faultsOf(page, 'now-empty')));
    for (const { name, hash, heading } of states) {
      await page.evaluate(`location.hash = '${hash}'`);
      await page.getByRole('heading', { name: heading, exact: true }).waitFor();
      found.push(...(await faultsOf(page, name)));
    }
    expect(found).to.deep.equal([]);
  });
});

/** Presses Tab until what has `name` has the focus, which must come within one round. */
async function tabTo(page: Page, name: string): Promise<void> {
  const isThere = `(() => {
    const at = document.activeElement;
    const label = at?.labels?.[0]?.textContent ?? at?.getAttribute('aria-label') ?? at?.textContent;
    return label === ${JSON.stringify(name)};
  })()`;
  for (let tabs = 0; tabs < 60; tabs += 1) {
    if (await page.evaluate<boolean>(isThere)) {
      return;
    }
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not come to ${name}`);
}
