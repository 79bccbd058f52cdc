import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { useApi } from '../../support/api.ts';
import { freePort } from '../../support/free-port.ts';
import { run } from '../../support/process.ts';
import { PROGRAM_ENVIRONMENT, useProgram } from '../../support/programs.ts';
import { Random } from '../../support/random.ts';
import { sealAll } from '../../support/seal-all.ts';
import { startSealing } from '../../support/sealing.ts';
import { PYTHON_CLIENT, SHOWN, writeDescription } from './use-python-client.ts';

const MYPY = 'mypy==2.4.1';
const PROGRAM = fileURLToPath(new URL('program.py', import.meta.url));

/** Keeps the names of assets in step, in a file that goes with the position. */
const COPY = `
import json, os
from tagtrail import Client
client = Client(os.environ["TAGTRAIL_URL"], os.environ["TAGTRAIL_KEY"])
copy = json.load(open("copy.json")) if os.path.exists("copy.json") else {"position": 0, "names": {}}
until = int(os.environ["UNTIL"])
changes = client.follow_changes(after=copy["position"])
while copy["position"] < until:
    change = next(changes)
    if change["asset"] is None:
        copy["names"].pop(str(change["id"]), None)
    else:
        copy["names"][str(change["id"])] = change["asset"]["name"]
    copy["position"] = change["position"]
    with open("copy.new", "w") as file:
        json.dump(copy, file)
    os.replace("copy.new", "copy.json")
    print(copy["position"], flush=True)
`;

/** Types that a program gets wrong, one a line. */
const WRONG = `
from tagtrail import Client, rows
client = Client("http://127.0.0.1", "")
client.create_asset({"nam": "Pallet"})
client.get_asset(17)["data"]["colour"]
client.report_presence(state="lost")
rows(client.list_assets, colour="blue")
rows(client.get_asset, 17)
`;

describe('the package of the Python client', () => {
  useProgram('python3', 'pip3');
  const api = useApi();
  const folder = mkdtempSync(join(tmpdir(), 'tagtrail-python-'));
  after(() => rmSync(folder, { recursive: true }));
  const [source, installed, tools] = ['source', 'installed', 'tools'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const pip = (...args: string[]) =>
    execFileSync('pip3', [...args, '--quiet'], {
      cwd: folder,
      env: { ...PROGRAM_ENVIRONMENT, PIP_ROOT_USER_ACTION: 'ignore' },
    });
  const environment = { ...PROGRAM_ENVIRONMENT, PYTHONPATH: installed };
  before(() => {
    cpSync(PYTHON_CLIENT, source, { recursive: true });
    writeDescription(join(source, 'openapi.json'));
    pip('wheel', '--no-deps', './source');
    pip('install', '--target', installed, ...globSync('*.whl', { cwd: folder }));
    pip('install', '--target', tools, MYPY);
  });

  const faultsIn = (...files: string[]) => {
    const options = '--strict --python-version 3.10 --no-error-summary'.split(' ');
    const env = { ...PROGRAM_ENVIRONMENT, PYTHONPATH: tools, MYPYPATH: installed };
    try {
      return execFileSync('python3', ['-m', 'mypy', ...options, ...files], {
        cwd: folder,
        env,
        encoding: 'utf8',
      });
    } catch (error) {
      return (error as { stdout: string }).stdout;
    }
  };

  it('has types that hold, from the oldest Python on, and that find what is wrong', () => {
    writeFileSync(join(folder, 'shown.py'), SHOWN);
    writeFileSync(join(folder, 'wrong.py'), WRONG);
    expect(faultsIn('-p', 'tagtrail')).to.equal('');
    expect(faultsIn(PROGRAM, 'shown.py')).to.equal('');
    const found = [...faultsIn('wrong.py').matchAll(/^wrong\.py:(\d+): error/gm)].map(([, line]) => line);
    expect(new Set(found)).to.deep.equal(new Set(['4', '5', '6', '7', '8']));
  });

  it('is installed without another package, and does what a program wants', async () => {
    expect(globSync('*.dist-info', { cwd: installed })).to.deep.equal(['tagtrail_client-0.2.0.dist-info']);
    const env = { ...environment, TAGTRAIL_URL: api.url, TAGTRAIL_KEY: api.key };
    const { stdout } = await promisify(execFile)('python3', [PROGRAM], { env });
    expect(JSON.parse(stdout)).to.equal('done');
  });

  it('follows changes without losing one while it and the API are killed and restarted', async () => {
    const random = new Random(1, 2);
    const { orgId, key } = await api.organization();
    const sealing = startSealing(api.database.url, { onFault: () => {} });
    const port = String(await freePort());
    const serve = async () => {
      const server = run('services/api/main.ts', [], { DATABASE_URL: api.database.url, API_PORT: port });
      await server.printed('"address"');
      return server;
    };
    const copying = (until: number) => {
      const access = { TAGTRAIL_URL: `http://127.0.0.1:${port}`, TAGTRAIL_KEY: key, UNTIL: String(until) };
      const child = spawn('python3', ['-c', COPY], {
        cwd: folder,
        env: { ...environment, ...access },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      return { child, hasBegun: once(child.stdout, 'data'), hasEnded: once(child, 'close') };
    };
    const change = async (number: number) => {
      const { body } = await api.call({ path: '/api/v1/assets?limit=200', key });
      const id = random.pick([null, ...(body?.data ?? [])] as ({ id: number } | null)[])?.id;
      const path = `/api/v1/assets${id === undefined ? '' : `/${id}`}`;
      const json = { name: `Name ${number}` };
      await api.call(
        id === undefined
          ? { method: 'POST', path, key, json }
          : random.once(4)
            ? { method: 'DELETE', path, key }
            : { method: 'PATCH', path, key, json },
      );
    };
    let server = await serve();
    let copy = copying(Number.MAX_SAFE_INTEGER);
    try {
      for (let number = 1; number <= 120; number++) {
        await change(number);
        if (number % 20 === 0) {
          await copy.hasBegun;
          server.child.kill(number % 40 === 0 ? 'SIGKILL' : 'SIGTERM');
          await server.ended;
          server = await serve();
        } else if (number % 30 === 15) {
          await copy.hasBegun;
          copy.child.kill('SIGKILL');
          await copy.hasEnded;
          copy = copying(Number.MAX_SAFE_INTEGER);
        }
      }
      copy.child.kill('SIGKILL');
      await copy.hasEnded;
      await sealing.stop();
      await sealAll(api.database.url);
      const feed = await api.call({ path: '/api/v1/changes?limit=1', key });
      expect(feed.body?.data.head).to.equal(120);
      copy = copying(120);
      expect(await copy.hasEnded).to.deep.equal([0, null]);
    } finally {
      await sealing.stop();
      copy.child.kill('SIGKILL');
      server.child.kill('SIGKILL');
      await server.ended;
    }
    const { names } = JSON.parse(readFileSync(join(folder, 'copy.json'), 'utf8'));
    const rows = await api.database.rows<{ id: number; name: string }>(
      'select id, name from assets where org_id = $1 and deleted_at is null',
      [orgId],
    );
    expect(names).to.deep.equal(Object.fromEntries(rows.map(({ id, name }) => [id, name])));
  });
});
