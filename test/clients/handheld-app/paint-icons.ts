import { writeFile } from 'node:fs/promises';
import { launch } from '../../support/browser.ts';
import { ICON_FOLDER, paintIcons } from '../../support/paint-icons.ts';

const browser = await launch();
for (const [name, png] of await paintIcons(browser)) {
  await writeFile(ICON_FOLDER + name, png);
}
await browser.close();
