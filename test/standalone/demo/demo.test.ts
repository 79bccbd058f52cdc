import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Program, run } from '../../support/process.ts';

describe('npm run demo', () => {
  /** Where the demo makes its folders; its database may run as another user, who has to get in. */
  let folder: string;
  let demo: Program;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'tagtrail-test-demo-'));
    chmodSync(folder, 0o711);
  });
  afterEach(async () => {
    demo.child.kill('SIGTERM');
    await demo.ended;
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const start = (...args: string[]) => {
    demo = run('services/standalone/demo/main.ts', args, { TMPDIR: folder });
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

  it('lets one into the console, shows what moves and a past of two hours, answers the curl lines it prints, and leaves nothing behind after Ctrl-C', async () => {
    start();
    await demo.printed(' -> ');
    const [, authorization = '', url = ''] =
      /echo 'Authorization: (.*)' \| curl -H @- '(.*asset-locations.*)'/.exec(demo.stdout()) ?? [];
    const answer = await fetch(url, { headers: { authorization } });
    expect(answer.status).to.equal(200);
    const report = (await answer.json()) as { total_count: number; data: { position: object | null }[] };
    expect(report.total_count).to.be.at.least(44);
    // Eight carts, where they are on the plan of the hall.
    expect(report.data.filter(({ position }) => position !== null)).to.have.lengthOf(8);
    const signedIn = await acceptLink(demo.stdout());
    expect(signedIn.status).to.equal(200);
    expect(await plansOf(signedIn)).to.deep.equal([
      ['Hall', 3],
      ['North Hub', 15],
    ]);
    // Rooms, in which things are missed, and rules about them.
    const Cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const seen = async (path: string) =>
      (await fetch(signedIn.url.replace('links/accept', path), { headers: { Cookie } })).json();
    expect(await seen('rules')).to.include({ total_count: 2 });
    expect(await seen('watches/counts')).to.deep.equal({ data: { continuous: 4, with_antennas: 4 } });
    const history = await fetch(url.replace(/reports.*/, 'assets/1/history'), { headers: { authorization } });
    const { data } = (await history.json()) as { data: { event_observed_at: string }[] };
    const times = data.map(({ event_observed_at: at }) => Date.parse(at));
    expect(Math.max(...times) - Math.min(...times)).to.be.above(3_600_000);

    demo.child.kill('SIGINT');
    expect(await demo.ended, demo.stderr()).to.equal(0);
    expect(demo.stderr().trim()).to.equal('Stopping ...');
    expect(readdirSync(folder)).to.deep.equal([]);
  });

  it('refuses an unknown option with status 2, before it starts anything', async () => {
    start('--twice');
    expect(await demo.ended).to.equal(2);
    expect(demo.stdout()).to.equal('');
    expect(demo.stderr()).to.include('--twice');
    expect(readdirSync(folder)).to.deep.equal([]);
  });
});
