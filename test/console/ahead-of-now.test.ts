import { expect } from 'chai';
import { commandLineOn } from '../support/command-line.ts';
import { useConsole } from '../support/console.ts';
import { aRead, record } from '../support/recording.ts';
import { sealAll } from '../support/seal-all.ts';
import { Site } from '../support/site.ts';

describe('questions about an instant of history that a device dated 90 s ahead', () => {
  const suite = useConsole();
  const { tagtrail, json } = commandLineOn(() => suite.database);
  let token: string;
  let org: string;
  let assetId: number;
  const times = { before: '', ahead: '', after: '', tooFar: '' };
  const get = async (path: string) => {
    const { status, text, body } = await suite.call({ path, token });
    expect(status, text).to.equal(200);
    return body?.data ?? text;
  };

  before(async () => {
    const site = await Site.create(suite.database);
    org = String(site.orgId);
    token = await suite.as('viewer', site.orgId);
    const [dock, gate] = [await site.location('DOCK'), await site.location('GATE')];
    assetId = await site.asset('LIFT', 'E28011');
    const readerId = await site.reader('gate', [dock, gate]);
    const now = Date.now();
    const shown = (milliseconds: number) => new Date(now + milliseconds).toISOString();
    Object.assign(times, {
      ...{ before: shown(-7_200_000), ahead: shown(90_000), after: shown(90_001), tooFar: shown(600_000) },
    });
    for (const [locationId, milliseconds] of [
      [dock, -3_600_000],
      [gate, 90_000],
    ] as const) {
      await record(suite.database, [
        aRead({
          ...{ orgId: site.orgId, readerId, value: 'E28011', locationId },
          // Shown as the instant, and later than it by less than a millisecond.
          ...{
            at: (now + milliseconds) * 1_000 + 400,
            receivedAt: (now + Math.min(0, milliseconds)) * 1_000,
          },
        }),
      ]);
    }
    await sealAll(suite.database.url);
  });

  const atGate = { location_external_key: 'GATE' };
  const window = () => `from=${times.before}&to=${times.after}`;

  it('are answered by reports, also as known at that instant', async () => {
    for (const known of ['', `&known_at=${times.ahead}`, `&known_at=${new Date().toISOString()}`]) {
      const [position] = await get(`/reports/positions-at?at=${times.ahead}${known}`);
      expect(position).to.include({ ...atGate, since: times.ahead });
      const stays = await get(`/reports/stays?${window()}${known}&sort=-entered_at`);
      expect(stays).to.have.lengthOf(2);
      expect(stays[0]).to.include({ ...atGate, entered_at: times.ahead, left_at: null });
      const dwell = await get(`/reports/dwell?${window()}${known}&location_external_key=GATE`);
      expect(dwell[0]).to.include({ ...atGate, total_seconds: 0.001 });
    }
    const turns = `/reports/turns?${window()}&from_location_external_key=DOCK&to_location_external_key=GATE`;
    expect((await get(turns))[0]).to.include({ count: 1 });
    expect(await get(`/reports/sweeps?${window()}`)).to.deep.equal([]);
    const [presence] = await get(`/reports/presence?at=${times.ahead}`);
    expect(presence).to.include({ asset_external_key: 'LIFT', ...atGate });
    expect(await get(`/assets/${assetId}/history?known_at=${times.ahead}`)).to.have.lengthOf(2);
  });

  it('are answered by files of reports', async () => {
    for (const report of [`positions?at=${times.ahead}`, `stays?${window()}`, `dwell?${window()}`]) {
      expect(await get(`/exports/${report}`), report).to.include('GATE');
      expect(await get(`/exports/${report}&known_at=${times.ahead}`), report).to.include('GATE');
    }
  });

  it('are answered by the command line', async () => {
    const { ahead, before: from, after: to } = times;
    for (const question of [
      ['positions', '--at', ahead],
      ['stays', '--from', from, '--to', to],
      ['dwell', '--from', from, '--to', to],
    ]) {
      for (const known of [[], ['--known-at', ahead]]) {
        const { status, stdout, stderr } = await tagtrail('export', ...question, '--org', org, ...known);
        expect({ status, stderr }).to.deep.equal({ status: 0, stderr: '' });
        expect(stdout, question[0]).to.include('GATE');
      }
    }
  });

  it('are answered with the reason why', async () => {
    const { ahead } = times;
    expect((await json('why', '--org', org, '--asset', 'LIFT', '--at', ahead)).stay).to.include({
      ...atGate,
      from: ahead,
    });
    expect(JSON.stringify(await get(`/assets/${assetId}/why?at=${ahead}`))).to.include('GATE');
  });

  it('are refused about instants that no history can have yet', async () => {
    for (const path of [
      `/reports/positions-at?at=${times.tooFar}`,
      `/reports/presence?at=${times.tooFar}`,
      `/reports/stays?from=${times.before}&to=${times.tooFar}`,
      `/exports/positions?at=${times.tooFar}`,
      `/assets/${assetId}/why?at=${times.tooFar}`,
    ]) {
      const { status, body } = await suite.call({ path, token });
      expect(status, path).to.equal(400);
      expect(JSON.stringify(body), path).to.include('must not be later than now');
    }
  });
});
