import { expect } from 'chai';
import { commandLineOn } from '../support/command-line.ts';
import { useDatabase } from '../support/database.ts';
import { aRead, record, storedHistory } from '../support/recording.ts';
import { Site } from '../support/site.ts';

const START = Date.UTC(2026, 4, 1, 10) * 1_000;

describe('the commands about smoothing', () => {
  const database = useDatabase();
  const { tagtrail, json, fails } = commandLineOn(() => database);
  let site: Site;
  let org: string;
  const places = new Map<string, number>();
  const readers = new Map<string, number>();

  before(async () => {
    site = await Site.create(database);
    org = String(site.orgId);
    for (const place of ['A', 'B', 'C']) {
      places.set(place, await site.location(place));
      readers.set(place, await site.reader(place, [null]));
    }
  });

  /** Records reads of an asset, written as seconds after ten and place: `0A 3B`. */
  async function recordReads(value: string, line: string): Promise<void> {
    const reads = line
      .split(' ')
      .map((word) => ({ second: Number.parseInt(word, 10), place: word.slice(-1) }));
    await record(
      database,
      reads.map(({ second, place }) =>
        aRead({
          orgId: site.orgId,
          readerId: readers.get(place) ?? 0,
          value,
          locationId: places.get(place) ?? 0,
          at: START + second * 1_000_000,
        }),
      ),
    );
  }

  describe('smoothing set and show', () => {
    it('are off at first', async () => {
      expect(await json('smoothing', 'show', '--org', org)).to.deep.equal([]);
      expect((await tagtrail('smoothing', 'show', '--org', org)).stdout).to.equal('off, every scan counts\n');
    });

    it('set the organization, a location, and a location back, each from now on', async () => {
      const before = Date.now();
      const { valid_from: validFrom, ...made } = await json(
        ...['smoothing', 'set', '--org', org, '--window', '30', '--min-seconds', '5', '--margin-db', '7.5'],
      );
      const on = { mode: 'on', window_seconds: 30, min_seconds: 5, margin_db: 7.5 };
      const off = { mode: 'off', window_seconds: null, min_seconds: null, margin_db: null };
      expect(made).to.deep.equal({ org_id: site.orgId, location_external_key: null, ...on });
      expect(Date.parse(validFrom)).to.be.within(before - 1, Date.now() + 1);

      await json('smoothing', 'set', '--org', org, '--location', 'B', '--off');
      const shown = await json('smoothing', 'show', '--org', org);
      expect(shown.map(({ valid_from: _validFrom, ...row }: { valid_from: string }) => row)).to.deep.equal([
        { location_external_key: null, ...on },
        { location_external_key: 'B', ...off },
      ]);

      await json('smoothing', 'set', '--org', org, '--location', 'B', '--inherit');
      expect(await json('smoothing', 'show', '--org', org)).to.deep.equal(shown.slice(0, 1));
      const { stdout } = await tagtrail('smoothing', 'show', '--org', org);
      expect(stdout).to.include('5 s there and nowhere else, or 7.5 dB stronger, within 30 s');
      const rows = await database.rows('select mode from smoothing_settings where org_id = $1 order by id', [
        site.orgId,
      ]);
      expect(rows).to.deep.equal([{ mode: 'on' }, { mode: 'off' }, { mode: 'inherit' }]);
      await json('smoothing', 'set', '--org', org, '--off');
    });

    const set = (...args: string[]) => ['smoothing', 'set', '--org', org, ...args];
    it('want a setting', () => fails(2, '--window', ...set()));
    it('want a proof', () => fails(2, 'minimum time (min_seconds', ...set('--window', '30')));
    it('want a minimum that fits into the window', () =>
      fails(2, 'from 1 to 10, the window, such as 5', ...set('--window', '10', '--min-seconds', '11')));
    it('bound the window', () => fails(2, '1 to 600', ...set('--window', '601', '--min-seconds', '5')));
    it('bound the margin', () => fails(2, 'at most 100', ...set('--window', '60', '--margin-db', '-3')));
    it('refuse to be on and off at once', () => fails(2, '--off', ...set('--window', '60', '--off')));
    it('let only a location inherit', () => fails(2, 'Only a location', ...set('--inherit')));
    it('say that there is no such location', () =>
      fails(1, 'NOWHERE not found', ...set('--location', 'NOWHERE', '--off')));
    it('say that there is no such organization', async () => {
      await fails(1, 'Organization 999 not found', 'smoothing', 'set', '--org', '999', '--off');
      await fails(1, 'Organization 999 not found', 'smoothing', 'show', '--org', '999');
    });
    it('make no more than an organization may have', async () => {
      const full = await Site.create(database, 'Full');
      await database.rows(
        `insert into smoothing_settings (org_id, mode, valid_from)
         select $1, 'off', now() from generate_series(1, 5000)`,
        [full.orgId],
      );
      const args = ['smoothing', 'set', '--org', String(full.orgId), '--window', '30', '--min-seconds', '5'];
      await fails(1, `Organization ${full.orgId} has 5,000`, ...args);
    });
  });

  describe('smoothing try', () => {
    const attempt = (...args: string[]) => ['smoothing', 'try', '--org', org, ...args];
    const minimum = ['--window', '20', '--min-seconds', '5'];
    const move = (change: string, asset: string, second: number, from: string, to: string) => ({
      change,
      asset_external_key: asset,
      observed_at: new Date(START / 1_000 + second * 1_000).toISOString(),
      from_location_external_key: from,
      to_location_external_key: to,
    });
    const NONE = { present: 0, proposed: 0, kept: 0, redated: 0, removed: 0, added: 0 };
    const pair = (from: string, to: string, counts: Partial<typeof NONE>) => ({
      from_location_external_key: from,
      to_location_external_key: to,
      ...NONE,
      ...counts,
    });
    const assets = new Map<string, number>();

    before(async () => {
      for (const key of ['BOUNCER', 'MOVER', 'SITTER']) {
        assets.set(key, await site.asset(key, key));
      }
      await recordReads('BOUNCER', '0A 3A 6B 9A 12A');
      await recordReads('MOVER', '0A 3A 6B 7A 8B 11B 14B');
      await recordReads('SITTER', '0A 3A 60A');
    });

    it('tells which moves would disappear and which would be left, and changes nothing', async () => {
      const stored = () =>
        Promise.all([...assets.values()].map((assetId) => storedHistory(database, assetId)));
      const before = await stored();
      expect(await json(...attempt(...minimum))).to.deep.equal({
        org_id: site.orgId,
        from: '2026-05-01T10:00:00.000Z',
        to: '2026-05-01T10:01:00.000Z',
        present: 5,
        proposed: 1,
        disappearing: 4,
        appearing: 0,
        redated: 0,
        pairs: [
          pair('A', 'B', { present: 3, proposed: 1, kept: 1, removed: 2 }),
          pair('B', 'A', { present: 2, removed: 2 }),
        ],
        other_pairs: NONE,
        moves: [
          move('disappears', 'BOUNCER', 6, 'A', 'B'),
          move('disappears', 'BOUNCER', 9, 'B', 'A'),
          move('disappears', 'MOVER', 6, 'A', 'B'),
          move('disappears', 'MOVER', 7, 'B', 'A'),
        ],
        moves_left_out: 0,
      });
      expect(await stored()).to.deep.equal(before);
    });

    it('begins with the counts by pair of places for a person, and lists the moves after them', async () => {
      const { stdout } = await tagtrail(...attempt(...minimum));
      expect(stdout.split('\n')).to.deep.equal([
        'From 2026-05-01T10:00:00.000Z to 2026-05-01T10:01:00.000Z: 5 moves now, 1 then;',
        '4 would disappear, 0 would appear (0 of them redated). Nothing was changed.',
        '',
        'from  to  now  kept  redated  removed  added  then',
        '----  --  ---  ----  -------  -------  -----  ----',
        'A     B     3     1        0        2      0     1',
        'B     A     2     0        0        2      0     0',
        '',
        'move             observed at               asset    from  to',
        '---------------  ------------------------  -------  ----  --',
        'would disappear  2026-05-01T10:00:06.000Z  BOUNCER  A     B',
        'would disappear  2026-05-01T10:00:09.000Z  BOUNCER  B     A',
        'would disappear  2026-05-01T10:00:06.000Z  MOVER    A     B',
        'would disappear  2026-05-01T10:00:07.000Z  MOVER    B     A',
        '',
      ]);
    });

    it('tells of one asset, and of a stretch of time', async () => {
      const one = await json(...attempt(...minimum, '--asset', 'MOVER'));
      expect(one).to.include({ present: 3, proposed: 1, disappearing: 2 });
      const late = await json(...attempt(...minimum, '--from', '2026-05-01T10:00:07Z'));
      expect(late).to.include({ present: 3, from: '2026-05-01T10:00:07.000Z' });
      expect(late.moves).to.deep.equal([
        move('disappears', 'BOUNCER', 9, 'B', 'A'),
        move('disappears', 'MOVER', 7, 'B', 'A'),
        move('disappears', 'MOVER', 8, 'A', 'B'),
      ]);
      const early = await json(...attempt(...minimum, '--to', '2026-05-01T12:00:06+02:00'));
      expect(early).to.include({ present: 2, proposed: 0 });
    });

    it('tells a move that is dated anew from one that disappears', async () => {
      await site.asset('LATE', 'LATE');
      await recordReads('LATE', '0A 3A 5B 6C 8B 11B 14B');
      const { pairs, ...tried } = await json(...attempt(...minimum, '--asset', 'LATE'));
      expect(pairs).to.have.deep.members([
        pair('A', 'B', { present: 1, proposed: 1, redated: 1 }),
        pair('B', 'C', { present: 1, removed: 1 }),
        pair('C', 'B', { present: 1, removed: 1 }),
      ]);
      expect(tried).to.include({ present: 3, proposed: 1, disappearing: 3, appearing: 1, redated: 1 });
    });

    it("tries a location's own setting beside the others", async () => {
      const { moves } = await json(...attempt('--location', 'B', ...minimum, '--asset', 'BOUNCER'));
      expect(moves).to.have.lengthOf(2);
      const other = await json(...attempt('--location', 'A', ...minimum, '--asset', 'BOUNCER'));
      expect(other).to.include({ present: 2, proposed: 1 });
    });

    it('tells what would appear without smoothing', async () => {
      await json('smoothing', 'set', '--org', org, ...minimum);
      await site.asset('LATER', 'LATER');
      const now = Math.floor(Date.now() / 1_000) - START / 1_000_000 + 60;
      await recordReads('LATER', `${now}A ${now + 3}B ${now + 6}A`);
      const asset = ['--asset', 'LATER'];
      expect(await json(...attempt('--off', ...asset))).to.deep.include({
        moves: [move('appears', 'LATER', now + 3, 'A', 'B'), move('appears', 'LATER', now + 6, 'B', 'A')],
        present: 0,
        proposed: 2,
      });
      expect(await json(...attempt(...minimum, ...asset))).to.deep.include({ moves: [], present: 0 });
    });

    it('finds nothing where nothing was recorded', async () => {
      const other = await Site.create(database, 'Other');
      const tried = await json('smoothing', 'try', '--org', String(other.orgId), ...minimum);
      expect(tried).to.include({ present: 0, proposed: 0 });
    });

    it('says that there is no such asset', () =>
      fails(1, 'Asset NONE not found', ...attempt(...minimum, '--asset', 'NONE')));
    it('refuses a time that is none', () =>
      fails(2, 'RFC 3339', ...attempt(...minimum, '--from', 'yesterday')));
    it('wants a proof', () => fails(2, 'minimum time (min_seconds', ...attempt('--window', '30')));
  });

  it('shows help with an example', async () => {
    for (const verb of ['set', 'show', 'try']) {
      const { stdout } = await tagtrail('smoothing', verb, '--help');
      expect(stdout).to.include(`npx --no -- tagtrail smoothing ${verb} --org 1`);
    }
  });
});
