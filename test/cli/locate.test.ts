import { expect } from 'chai';
import { commandLineOn } from '../support/command-line.ts';
import { useDatabase } from '../support/database.ts';
import { aRead, record } from '../support/recording.ts';
import { Site } from '../support/site.ts';

describe('the commands about how locations are decided on', () => {
  const database = useDatabase();
  const { tagtrail, json, fails } = commandLineOn(() => database);
  let site: Site;
  let org: string;

  before(async () => {
    site = await Site.create(database);
    org = String(site.orgId);
    for (const place of ['A', 'B', 'C']) {
      await site.location(place);
    }
  });

  describe('locate set and list', () => {
    it('begin with none', async () => {
      expect(await json('locate', 'list', '--org', org)).to.deep.equal([]);
      expect((await tagtrail('locate', 'list', '--org', org)).stdout).to.equal(
        'none: every scan says where its asset is\n',
      );
    });

    it('set the organization, a location, and a location back, each from now on, and say who did', async () => {
      const before = Date.now();
      const { valid_from: validFrom, ...made } = await json(
        ...['locate', 'set', '--org', org, '--by', 'strength', '--certainty', '1.5'],
      );
      const strength = { procedure: 'strength', certainty: 1.5, tag_dbm: null, tag_kinds: null };
      const every = { procedure: 'every', certainty: null, tag_dbm: null, tag_kinds: null };
      const inherit = { ...every, procedure: 'inherit' };
      expect(made).to.deep.equal({
        ...{ org_id: site.orgId, location_external_key: null, ...strength },
        ...{ valid_to: null, position_lacks: null, recomputed: null },
      });
      expect(Date.parse(validFrom)).to.be.within(before - 1, Date.now() + 1);

      await json('locate', 'set', '--org', org, '--location', 'B', '--by', 'every');
      await json('locate', 'set', '--org', org, '--location', 'B', '--inherit');
      const listed = await json('locate', 'list', '--org', org);
      const rows = listed.map(
        ({
          valid_from: _from,
          actor: _actor,
          recomputed: _recomputed,
          position_lacks: _lacks,
          ...row
        }: Record<string, unknown>) => row,
      );
      expect(rows).to.deep.equal([
        { location_external_key: 'B', ...inherit, state: 'ended' },
        { location_external_key: 'B', ...every, state: 'ended' },
        { location_external_key: null, ...strength, state: 'in_force' },
      ]);
      expect(listed[0].actor).to.be.a('string');
      const { stdout } = await tagtrail('locate', 'list', '--org', org);
      expect(stdout).to.match(/organization +by strength, certainty 1.5 +in force/);
    });

    it('set a time ahead, and say until when a setting holds', async () => {
      const ahead = new Date(Date.now() + 86_400_000).toISOString();
      await json('locate', 'set', '--org', org, '--location', 'C', '--by', 'strength', '--from', ahead);
      const { stdout } = await tagtrail('locate', 'set', '--org', org, '--location', 'C', '--by', 'every');
      expect(stdout)
        .to.include(`C: by every scan; for scans observed from`)
        .and.include(`until ${ahead}, when`);
      const [planned] = await json('locate', 'list', '--org', org);
      expect(planned).to.include({ location_external_key: 'C', state: 'planned', valid_from: ahead });
    });

    it('decide again, for a time of the past, what was read there, and say what came of it', async () => {
      const at = (Date.now() - 3_600_000) * 1_000;
      const readerId = await site.reader('gate', [null]);
      for (const [value, place] of [
        ['HERE', 'D'],
        ['THERE', 'E'],
      ] as const) {
        await site.asset(value, value);
        const locationId = await site.location(place);
        await record(database, [aRead({ orgId: site.orgId, readerId, value, locationId, at })]);
      }
      const from = new Date(at / 1_000 - 1_000).toISOString();
      const { recomputed } = await json(
        ...['locate', 'set', '--org', org, '--location', 'D', '--by', 'every', '--from', from],
      );
      expect(recomputed).to.include({ assets: 1, assets_changed: 0 });
      const listed: { recomputed: unknown; valid_from: string }[] = await json(
        'locate',
        'list',
        '--org',
        org,
      );
      expect(listed.find(({ valid_from }) => valid_from === from)?.recomputed).to.deep.equal({
        ...{ looked: 2, of: 2, assets: 1, changed: 0, is_finished: true },
      });
      await database.rows('update history_recomputations set looked = 1, finished_at = null');
      const { stdout } = await tagtrail('locate', 'list', '--org', org);
      expect(stdout).to.include('D: histories are being decided again, 1 of 2 assets looked at\n');
    });

    const set = (...args: string[]) => ['locate', 'set', '--org', org, ...args];
    it('want a procedure', () => fails(2, '--by every, --by strength or --by position', ...set()));
    it('know no other', () =>
      fails(2, 'Allowed choices are every, strength, position', ...set('--by', 'luck')));
    it('want a number as certainty', () =>
      fails(2, 'It must be a number', ...set('--by', 'strength', '--certainty', 'high')));
    it('refuse to inherit and to decide at once', () =>
      fails(2, '--inherit', ...set('--location', 'B', '--by', 'every', '--inherit')));
    it('let only a location inherit', () => fails(2, 'Only a location', ...set('--inherit')));
    it('want a plan for positions', () => fails(2, 'plan with a scale', ...set('--by', 'position')));
    it('say how far back scans are kept', () =>
      fails(2, '30 days', ...set('--by', 'every', '--from', '2020-01-01T00:00:00Z')));
    it('say that there is no such location', () =>
      fails(1, 'NOWHERE not found', ...set('--location', 'NOWHERE', '--by', 'every')));
    it('say that there is no such organization', async () => {
      await fails(1, 'Organization 999 not found', 'locate', 'set', '--org', '999', '--by', 'every');
      await fails(1, 'Organization 999 not found', 'locate', 'list', '--org', '999');
    });

    it('store nothing where there is no setting to end', async () => {
      const before = (await json('locate', 'list', '--org', org)).length;
      await json('locate', 'set', '--org', org, '--location', 'A', '--inherit');
      expect(await json('locate', 'list', '--org', org)).to.have.length(before);
    });

    it('remove a setting that has not begun, and no other', async () => {
      const from = new Date(Date.now() + 2 * 86_400_000).toISOString();
      const ofA = ['--org', org, '--location', 'A'];
      await json('locate', 'set', ...ofA, '--by', 'strength', '--from', from);
      expect(await json('locate', 'remove', ...ofA, '--from', from)).to.include({ valid_from: from });
      await fails(1, 'No setting begins then', 'locate', 'remove', ...ofA, '--from', from);
      const { valid_from: begun } = await json('locate', 'set', ...ofA, '--by', 'strength');
      await fails(1, 'has begun, and stays', 'locate', 'remove', ...ofA, '--from', begun);
    });

    it('say what position lacks', async () => {
      const hall = await site.location('HALL');
      await database.rows(
        `insert into plans (org_id, location_id, name, media_type, width, height, image, sha256, scale_points, scale_metres)
         values ($1, $2, 'Hall', 'image/png', 10, 10, '\\x00', sha256('\\x00'), '{0,0,1,0}', 20)`,
        [site.orgId, hall],
      );
      const place = ['--org', org, '--location', 'HALL'];
      const { stdout } = await tagtrail('locate', 'set', ...place, '--by', 'position');
      expect(stdout).to.include('\nposition lacks places on its plan; until that is set in the console');
      const made: { location_external_key: string; position_lacks: string }[] = await json(
        'locate',
        'list',
        '--org',
        org,
      );
      expect(made.find((each) => each.location_external_key === 'HALL')?.position_lacks).to.equal('outlines');
      const list = await tagtrail('locate', 'list', '--org', org);
      expect(list.stdout).to.include('\n\nHALL: position lacks places on its plan; until');
    });
  });

  it('shows help with an example', async () => {
    for (const verb of ['set', 'list']) {
      const { stdout } = await tagtrail('locate', verb, '--help');
      expect(stdout).to.include(`npx --no -- tagtrail locate ${verb} --org 1`);
    }
  });
});
