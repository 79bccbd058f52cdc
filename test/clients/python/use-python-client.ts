import { execFile, execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describePublicApi } from '../../../services/api/description/document.ts';
import { API_RESOURCES } from '../../../services/api/routes.ts';
import { PROGRAM_ENVIRONMENT, useProgram } from '../../support/programs.ts';

export const PYTHON_CLIENT = fileURLToPath(new URL('../../../clients/python', import.meta.url));

/** The program that its document shows. */
export const SHOWN =
  /^```python\n(.*?)^```$/ms.exec(readFileSync(join(PYTHON_CLIENT, 'README.md'), 'utf8'))?.[1] ?? '';

export interface PythonClient {
  folder: string;
  /** Runs a program with the client. @returns what it printed, as JSON. */
  run(program: string, environment?: NodeJS.ProcessEnv): Promise<unknown>;
  environment: NodeJS.ProcessEnv;
}

/** The client as it stands in a folder of its own, with operations by the description. It runs without its models. */
export function usePythonClient(): PythonClient {
  useProgram('python3');
  const folder = mkdtempSync(join(tmpdir(), 'tagtrail-python-'));
  after(() => rmSync(folder, { recursive: true }));
  const environment = { ...PROGRAM_ENVIRONMENT, PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: '1' };
  before(() => {
    const isWritten = (file: string) => !/(models|operations)\.py$|__pycache__/.test(file);
    cpSync(join(PYTHON_CLIENT, 'tagtrail'), join(folder, 'tagtrail'), {
      recursive: true,
      filter: isWritten,
    });
    const description = join(folder, 'openapi.json');
    writeDescription(description);
    const writer = join(PYTHON_CLIENT, 'write_operations.py');
    execFileSync('python3', [writer, description, join(folder, 'tagtrail/operations.py')], {
      env: environment,
    });
  });
  return {
    folder,
    environment,
    run: async (program, more = {}) => {
      const options = { cwd: folder, env: { ...environment, ...more } };
      const { stdout } = await promisify(execFile)('python3', ['-c', program], options);
      return JSON.parse(stdout);
    },
  };
}

export function writeDescription(file: string): void {
  const limits = { perMinute: 60, burst: 120 };
  writeFileSync(file, JSON.stringify(describePublicApi(API_RESOURCES, { publicUrl: null, limits })));
}
