import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { useTypedClient } from '../../support/typed-client.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const README = readFileSync(join(ROOT, 'clients/typescript/README.md'), 'utf8');

/** What the client wants of a registry, as the program has it already: npm 9 takes no files in `overrides`. */
const HERE = Object.fromEntries(
  ['openapi-fetch', 'openapi-typescript-helpers'].map((name) => [name, `file:${ROOT}node_modules/${name}`]),
);

describe('the package of the typed client', () => {
  useTypedClient();
  const folder = mkdtempSync(join(tmpdir(), 'tagtrail-program-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const run = async (file: string, args: readonly string[], cwd = folder) =>
    (await promisify(execFile)(file, args, { cwd })).stdout;
  const npm = (...args: string[]) => run('npm', [...args, '--offline', '--no-audit', '--no-fund']);

  before(async () => {
    const program = { name: 'program', private: true, type: 'module', dependencies: HERE };
    writeFileSync(join(folder, 'package.json'), JSON.stringify(program));
    writeFileSync(
      join(folder, 'program.js'),
      `import * as client from 'tagtrail-client';\nconsole.log(Object.keys(client).sort().join());\n`,
    );
    const pack = /^npm pack (--workspace \S+) --pack-destination \S+$/m.exec(README)?.[1] ?? '';
    await run('npm', ['pack', ...pack.split(' '), '--pack-destination', folder], ROOT);
    await npm('install', /npm install (\S+\.tgz)$/m.exec(README)?.[1] ?? '');
  });

  it('is installed as its document says, and stays through every later install', async () => {
    for (const again of [[], ['install'], ['ci'], ['install', '--install-links=false']]) {
      if (again.length > 0) {
        await npm(...again);
      }
      const exported = await run(process.execPath, ['program.js']);
      expect(exported.trim()).to.equal(
        'FeedExpiredError,TagtrailError,createTagtrailClient,isAlert,isMove,patientFetch,rows,unwrap',
      );
    }
  });

  it('has the fields that its document shows', async () => {
    const shown = /^```ts\n(.*?)^```$/ms.exec(README)?.[1] ?? '';
    expect(shown).to.include('error.problem.request_id');
    writeFileSync(join(folder, 'shown.ts'), shown);
    const options = '--noEmit --strict --module nodenext --target es2023 --types node --skipLibCheck'.split(
      ' ',
    );
    const types = ['--typeRoots', join(ROOT, 'node_modules/@types')];
    const typescript = createRequire(join(ROOT, 'clients/typescript/package.json')).resolve(
      'typescript/package.json',
    );
    const tsc = join(dirname(typescript), 'bin/tsc');
    const failed = await run(process.execPath, [tsc, ...options, ...types, 'shown.ts']).catch(
      (error: { stdout: string }) => error.stdout,
    );
    expect(failed).to.equal('');
  });
});
