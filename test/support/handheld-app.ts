import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { type Device, scanByWedge, until } from './browser.ts';
import { untilStored } from './held-storage.ts';

/** The handheld app in a tab, as a person uses it. */
export class HandheldApp {
  readonly page: Page;

  private constructor(page: Page) {
    this.page = page;
  }

  static async open(device: Device, url: string): Promise<HandheldApp> {
    return new HandheldApp(await device.open(url));
  }

  /** Opens the app on a new device and signs in. */
  static async signedIn(device: Device, url: string, token: string): Promise<HandheldApp> {
    const app = await HandheldApp.open(device, url);
    await app.signIn(token);
    await app.shows('All sent');
    return app;
  }

  async signIn(token: string): Promise<void> {
    await this.page.getByLabel('Token of this handheld').fill(token);
    await this.page.getByRole('button', { name: 'Sign in', exact: true }).click();
  }

  /** Keeps from now on, over reloads too, what {@link felt} answers. */
  static async feel(device: Device): Promise<void> {
    await device.context.addInitScript(
      `Object.defineProperty(navigator, 'vibrate', { value: (pattern) => {
         const felt = JSON.parse(sessionStorage.getItem('felt') ?? '[]');
         sessionStorage.setItem('felt', JSON.stringify([...felt, pattern.join(' ')]));
         return true;
       } });`,
    );
  }

  /** How the device vibrated, which goes with how it sounded: one entry for each time, so many by now. */
  async feels(count: number): Promise<string[]> {
    await until(this.page, `JSON.parse(sessionStorage.getItem('felt') ?? '[]').length >= ${count}`);
    return this.felt();
  }

  /** How the device vibrated so far. */
  async felt(): Promise<string[]> {
    return JSON.parse(await this.page.evaluate<string>(`sessionStorage.getItem('felt') ?? '[]'`));
  }

  /** Scans by the trigger; resolves when the app shows the scan, which it does once it is stored. */
  async scan(value: string): Promise<void> {
    await scanByWedge(this.page, value);
    await this.page.locator(`[data-latest="${value}"]`).waitFor();
  }

  /** Types a value in, where no trigger helps. */
  async type(value: string): Promise<void> {
    await this.press('Type');
    await this.page.getByLabel('Printed value').fill(value);
    await this.press('Use');
  }

  async goTo(screen: 'Scan' | 'Find' | 'Sweep' | 'History' | 'Settings'): Promise<void> {
    await this.page.getByRole('navigation').getByRole('link', { name: screen }).click();
    await this.page.locator('nav a[aria-current="page"]', { hasText: screen }).waitFor();
  }

  /** Chooses a place from the tree, by name. */
  async choosePlace(name: string): Promise<void> {
    await this.page.locator('.place-bar').click();
    await this.page.getByLabel('Search places').fill(name);
    await this.page.getByRole('button', { name }).first().click();
    await this.page.locator('.place-bar-name', { hasText: name }).waitFor();
  }

  async press(name: string): Promise<void> {
    await this.page.getByRole('button', { name, exact: true }).click();
  }

  /** Waits until the text is to be seen. */
  async shows(text: string): Promise<void> {
    await this.page.getByText(text).first().waitFor();
  }

  /** Waits until so many scans are still on the device only. */
  async waits(count: number): Promise<void> {
    await this.page.locator(`[data-waiting="${count}"]`).waitFor();
  }

  /** Waits until the last scan is shown as this, `moved` for instance. */
  async tells(verdict: string): Promise<void> {
    await this.page.locator(`[data-verdict="${verdict}"]`).waitFor();
  }

  /** Loads the page again once it has stored what it shows, some of which it shows before. */
  async reload(): Promise<void> {
    await untilStored(this.page);
    await this.page.reload();
  }

  /** Closes the page once it has stored what it shows. */
  async close(): Promise<void> {
    await untilStored(this.page);
    await this.page.close();
  }

  /** Waits until the app can be opened without a network. */
  async isInstalled(): Promise<void> {
    expect(
      await this.page.evaluate('navigator.serviceWorker.ready.then(({ active }) => active !== null)'),
    ).to.equal(true);
  }
}
