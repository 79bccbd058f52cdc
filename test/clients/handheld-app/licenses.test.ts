import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { SOURCE_FOLDER } from '../../../clients/handheld-app/build/build-app.ts';
import { useGateway } from '../../support/gateway.ts';

const PACKAGES = fileURLToPath(new URL('../../../node_modules', import.meta.url));

describe('the licences of what the handheld app is made of', () => {
  const gateway = useGateway();

  it('are served with it, and its script says where', async () => {
    const page = await (await fetch(gateway.url)).text();
    const [, script = ''] = /src="([^"]+\.js)"/.exec(page) ?? [];
    expect(await (await fetch(new URL(script, gateway.url))).text()).to.match(/^\/\*! .*licenses\.txt \*\//);
    const served = await (await fetch(`${gateway.url}/licenses.txt`)).text();
    const packages = importedPackages();
    expect(packages).to.include.members(['preact', 'idb']);
    for (const name of packages) {
      expect(served).to.include(readFileSync(join(PACKAGES, name, 'LICENSE'), 'utf8').trim());
    }
  });
});

function importedPackages(): string[] {
  const names = readdirSync(SOURCE_FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .flatMap((file) => [
      ...readFileSync(join(SOURCE_FOLDER, file), 'utf8').matchAll(
        /^(?:import|\}) .*from '((?:@[\w-]+\/)?[a-z][\w-]*)/gm,
      ),
    ])
    .map(([, name = '']) => name);
  return [...new Set(names)];
}
