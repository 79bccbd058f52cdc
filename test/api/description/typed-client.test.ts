import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { API_ROUTES } from '../../../services/api/routes.ts';
import { useApi } from '../../support/api.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** As strict as this project is. */
const TSCONFIG = {
  extends: join(ROOT, 'tsconfig.json'),
  compilerOptions: { types: ['node'], skipLibCheck: false },
  include: ['*.ts'],
  exclude: [],
};

describe('a typed client made from the description', () => {
  const api = useApi();
  let folder: string;

  before(async () => {
    // Below the project, so that the program finds what it imports.
    mkdirSync(join(ROOT, '.cache'), { recursive: true });
    folder = mkdtempSync(join(ROOT, '.cache', 'typed-client-'));
    const program = new URL('typed-client/program.ts', import.meta.url);
    copyFileSync(program, join(folder, 'program.ts'));
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG));
    const description = join(folder, 'openapi.json');
    const response = await fetch(`${api.url}/api/openapi.json`);
    writeFileSync(description, await response.text());
    await run(generator(), [description, '--output', join(folder, 'paths.d.ts')]);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('compiles with a program that uses every operation', async () => {
    const { stdout } = await run(join(ROOT, 'node_modules/typescript/bin/tsc'), ['--project', folder]);
    expect(stdout).to.equal('');
  });

  it('works, for every operation', async () => {
    const { useEveryOperation } = await import(pathToFileURL(join(folder, 'program.ts')).href);
    const used: string[] = await useEveryOperation(api.url, api.key);
    const described = API_ROUTES.filter(({ isInternal }) => !isInternal);
    expect(new Set(used)).to.deep.equal(new Set(described.map(({ method, path }) => `${method} ${path}`)));
  });
});

/** The command of `openapi-typescript`, which lives beside the TypeScript it needs. */
function generator(): string {
  const { resolve } = createRequire(join(ROOT, '.ci/typed-client/package.json'));
  return join(dirname(resolve('openapi-typescript/package.json')), 'bin/cli.js');
}

/** @throws what the command printed. */
async function run(script: string, args: readonly string[]): Promise<{ stdout: string }> {
  try {
    return await promisify(execFile)(process.execPath, [script, ...args], { cwd: ROOT });
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${script} failed:\n${stdout}${stderr}`, { cause: error });
  }
}
