import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const PROGRAM = fileURLToPath(new URL('../../../services/standalone/demo/main.ts', import.meta.url));

describe('npm run demo', () => {
  /** Where the demo makes its folders; its database may run as another user, who has to get in. */
  let folder: string;
  let child: ChildProcess | undefined;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'tagtrail-test-demo-'));
    chmodSync(folder, 0o711);
  });
  afterEach(async () => {
    if (child !== undefined && child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const start = (...args: string[]) => {
    const started = spawn(process.execPath, [PROGRAM, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        TMPDIR: folder,
        API_PORT: '',
        MQTT_PORT: '',
        HANDHELD_PORT: '',
        CONSOLE_PORT: '',
        HOST: '',
        LOG_LEVEL: '',
      },
    });
    child = started;
    const errors = text(started.stderr);
    return {
      process: started,
      /** Exit status and what was written, when it has ended. */
      ended: async (output: Promise<string>) => {
        const [[status]] = await Promise.all([once(started, 'close'), output]);
        return { status, output: await output, errors: await errors };
      },
    };
  };

  /** Opens the link that is printed first, as a browser would. */
  const acceptLink = (output: string): Promise<Response> => {
    const [, address = '', token] =
      /^Starting .*\nSee it in the console.*\n {2}(http:\S+)\/#\/link\/([\w-]{43})\n/.exec(output) ?? [];
    return fetch(`${address}/console/v1/links/accept`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Origin: address, 'X-Tagtrail-Console': '1' },
      body: JSON.stringify({ token }),
    });
  };

  /** Names of the plans that the console shows, and how many places are on each. */
  const plansOf = async ({ url, headers }: Response) => {
    const Cookie = headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const answer = await fetch(url.replace('links/accept', 'plans'), { headers: { Cookie } });
    const { data } = (await answer.json()) as { data: { name: string; place_count: number }[] };
    return data.map(({ name, place_count: places }) => [name, places]);
  };

  it('--once finds the API to agree with what the simulator knows, and leaves nothing behind', async () => {
    const demo = start('--once');
    const { status, output, errors } = await demo.ended(text(demo.process.stdout));
    expect(status, `${output}\n${errors}`).to.equal(0);
    expect(errors).to.equal('');

    const assets = new Set(output.match(/^[A-Z]+-\d\d (?=.* ✓$)/gm));
    expect(assets.size).to.be.at.least(36);
    expect(output).to.not.include('✗');
    expect(output).to.match(/^The feed of moves: [\d,]+ events, each position once, in order; /m);
    expect(output.trimEnd().split('\n').at(-1)).to.match(
      new RegExp(`^${assets.size} assets, [\\d,]+ history rows, [\\d,]+ reads \\(.*\\): all agree$`),
    );
    expect(readdirSync(folder)).to.deep.equal([]);
  });

  it('lets one into the console, shows what moves and a past of two hours, answers the curl lines it prints, and leaves nothing behind after Ctrl-C', async () => {
    const demo = start();
    let output = '';
    let answer: Response | undefined;
    let signedIn: Response | undefined;
    for await (const chunk of demo.process.stdout.setEncoding('utf8')) {
      output += chunk;
      const [, authorization, url] =
        /echo 'Authorization: (.*)' \| curl -H @- '(.*asset-locations.*)'/.exec(output) ?? [];
      if (answer === undefined && authorization !== undefined && url !== undefined && / -> /.test(output)) {
        answer = await fetch(url, { headers: { authorization } });
        signedIn = await acceptLink(output);
        expect(await plansOf(signedIn)).to.deep.equal([['North Hub', 15]]);
        expect(((await answer.json()) as { total_count: number }).total_count).to.be.at.least(36);
        const history = await fetch(url.replace(/reports.*/, 'assets/1/history'), {
          headers: { authorization },
        });
        const { data } = (await history.json()) as { data: { event_observed_at: string }[] };
        const times = data.map(({ event_observed_at: at }) => Date.parse(at));
        expect(Math.max(...times) - Math.min(...times)).to.be.above(3_600_000);
        demo.process.kill('SIGINT');
      }
    }
    const { status, errors } = await demo.ended(Promise.resolve(output));
    expect(status, errors).to.equal(0);
    expect(errors.trim()).to.equal('Stopping ...');
    expect(answer?.status).to.equal(200);
    expect(signedIn?.status).to.equal(200);
    expect(readdirSync(folder)).to.deep.equal([]);
  });

  it('refuses an unknown option with status 2, before it starts anything', async () => {
    const demo = start('--twice');
    const { status, output, errors } = await demo.ended(text(demo.process.stdout));
    expect({ status, output }).to.deep.equal({ status: 2, output: '' });
    expect(errors).to.include('--twice');
    expect(readdirSync(folder)).to.deep.equal([]);
  });
});
