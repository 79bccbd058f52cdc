import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { byTurns, itByNight } from '../../support/random-sets.ts';
import { useTypedClient } from '../../support/typed-client.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const README = readFileSync(join(ROOT, 'clients/typescript/README.md'), 'utf8');

/** What the client wants of a registry, as the program has it already: npm 9 takes no files in `overrides`. */
const HERE = Object.fromEntries(
  ['openapi-fetch', 'openapi-typescript-helpers'].map((name) => [name, `file:${ROOT}node_modules/${name}`]),
);

/** Types that are not there, or are any, leave an error out that is expected. */
const USE = `
import { createTagtrailClient, FeedExpiredError, isMove, rows, TagtrailError, unwrap } from 'tagtrail-client';

const client = createTagtrailClient({ baseUrl: 'http://127.0.0.1', apiKey: '' });

export async function use(): Promise<void> {
  const name: string = unwrap(await client.GET('/api/v1/orgs/me')).data.name;
  for await (const row of rows((page) => client.GET('/api/v1/assets', { params: { query: page } }))) {
    // @ts-expect-error there is none
    console.log(name, row.external_key, row.colour);
  }
  for await (const event of client.follow()) {
    if (isMove(event)) {
      // @ts-expect-error there is none
      console.log(event.data.current.location_external_key, event.data.colour);
    }
  }
}

console.log(typeof client.GET, new FeedExpiredError({ status: 410 } as never) instanceof TagtrailError);
`;

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
      `import client from 'tagtrail-client';\nconsole.log(Object.keys(client).sort().join());\n`,
    );
    const pack = /^npm pack (--workspace \S+) --pack-destination \S+$/m.exec(README)?.[1] ?? '';
    await run('npm', ['pack', ...pack.split(' '), '--pack-destination', folder], ROOT);
    await npm('install', /npm install (\S+\.tgz)$/m.exec(README)?.[1] ?? '');
  });

  it('is installed as its document says, and stays through every later install', async () => {
    const later = [['install'], ['ci'], ['install', '--install-links=false']];
    for (const again of [[], ...byTurns(later, 'npm')]) {
      if (again.length > 0) {
        await npm(...again);
      }
      const exported = await run(process.execPath, ['program.js']);
      expect(exported.trim()).to.equal(
        'FeedExpiredError,TagtrailError,createTagtrailClient,isAlert,isMove,patientFetch,rows,rowsById,unwrap',
      );
    }
  });

  it('has the fields that its document shows', async () => {
    const shown = /^```ts\n(.*?)^```$/ms.exec(README)?.[1] ?? '';
    expect(shown).to.include('error.problem.request_id');
    writeFileSync(join(folder, 'shown.ts'), shown);
    expect(await faultsIn('shown.ts', '--noEmit --module nodenext')).to.equal('');
  });

  for (const [type, module, moduleResolution, promise] of [
    ['commonjs', 'node16', 'node16', it],
    ['commonjs', 'commonjs', 'node10', itByNight],
    ['commonjs', 'preserve', 'bundler', itByNight],
    ['module', 'esnext', 'node10', itByNight],
    ['module', 'node16', 'node16', itByNight],
    ['module', 'esnext', 'bundler', itByNight],
  ] as const) {
    promise(
      `has types and runs in a package of type ${type}, resolved as by ${moduleResolution}`,
      async () => {
        const own = join(folder, `${type}-${moduleResolution}`);
        mkdirSync(own);
        writeFileSync(join(own, 'package.json'), JSON.stringify({ type }));
        writeFileSync(join(own, 'use.ts'), USE);
        const options = `--module ${module} --moduleResolution ${moduleResolution}`;
        expect(await faultsIn('use.ts', options, own)).to.equal('');
        if (module !== 'preserve') {
          expect(await run(process.execPath, ['use.js'], own)).to.equal('function true\n');
        }
      },
    );
  }

  const faultsIn = (file: string, options: string, cwd = folder) => {
    const typescript = createRequire(join(ROOT, 'clients/typescript/package.json')).resolve(
      'typescript/package.json',
    );
    const types = ['--types', 'node', '--typeRoots', join(ROOT, 'node_modules/@types')];
    const all = [...options.split(' '), ...types, '--strict', '--skipLibCheck', '--target', 'es2023'];
    return run(process.execPath, [join(dirname(typescript), 'bin/tsc'), ...all, file], cwd).catch(
      (error: { stdout: string }) => error.stdout,
    );
  };
});
