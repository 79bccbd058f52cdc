import { expect } from 'chai';
import { commandLineOn } from '../support/command-line.ts';
import { useDatabase } from '../support/database.ts';
import { aRead, record } from '../support/recording.ts';
import { Site } from '../support/site.ts';

describe('location watch', () => {
  const database = useDatabase();
  const { tagtrail, json, fails } = commandLineOn(() => database);
  let site: Site;
  let org: string;

  before(async () => {
    site = await Site.create(database);
    org = String(site.orgId);
    await site.location('COLD');
    await site.location('GATE');
  });

  const watch = (...args: string[]) => ['location', 'watch', '--org', org, ...args];

  it('lists nothing at first', async () => {
    expect(await json(...watch('--list'))).to.deep.equal([]);
    expect((await tagtrail(...watch('--list'))).stdout).to.equal('none; every location is a portal\n');
  });

  it('says how a location is watched from now on, and keeps what was said before', async () => {
    const before = Date.now();
    const { valid_from: first, ...made } = await json(
      ...watch('--location', 'COLD', '--mode', 'continuous', '--max-gap', '60s'),
    );
    expect(made).to.deep.equal({
      org_id: site.orgId,
      location_external_key: 'COLD',
      mode: 'continuous',
      max_gap_seconds: 60,
      is_learned: false,
      coverage: 'all',
    });
    expect(Date.parse(first)).to.be.within(before - 1, Date.now() + 1);
    await json(
      ...watch('--location', 'COLD', '--mode', 'continuous', '--max-gap', '5m', '--coverage', 'any'),
    );
    await json(...watch('--location', 'GATE', '--mode', 'portal'));
    const listed = await json(...watch('--list'));
    expect(listed.map(({ valid_from: _validFrom, ...row }: { valid_from: string }) => row)).to.deep.equal([
      {
        location_external_key: 'COLD',
        mode: 'continuous',
        max_gap_seconds: 300,
        is_learned: false,
        coverage: 'any',
      },
      {
        location_external_key: 'GATE',
        mode: 'portal',
        max_gap_seconds: null,
        is_learned: false,
        coverage: 'all',
      },
    ]);
    expect((await tagtrail(...watch('--list'))).stdout)
      .to.include('read again within 300 s while any of its antennas listens')
      .and.include('portal, things pass');
    expect(
      await database.rows('select max_gap_seconds from location_watches order by valid_from'),
    ).to.deep.equal([{ max_gap_seconds: 60 }, { max_gap_seconds: 300 }, { max_gap_seconds: null }]);
  });

  it('learns how often things are read there, once there is enough to learn from', async () => {
    const place = await site.location('ROOM');
    const reader = await site.reader('room', [place]);
    const learned = async () => json(...watch('--location', 'ROOM', '--mode', 'continuous'));
    expect(await learned()).to.include({ max_gap_seconds: null, is_learned: true });
    const { stdout } = await tagtrail(...watch('--list'));
    expect(stdout).to.include('too few reads there to learn how often');
    await site.asset('PALLET', 'E280');
    const now = Date.now() * 1_000;
    await record(
      database,
      Array.from({ length: 120 }, (_, which) =>
        aRead({
          ...{ orgId: site.orgId, readerId: reader, value: 'E280', locationId: place },
          at: now - which * 7_000_000,
        }),
      ),
    );
    expect(await learned()).to.include({ max_gap_seconds: 14, is_learned: true });
  });

  it('is set and learned for a location 1,000 times at most', async () => {
    const id = await site.location('FULL');
    await database.rows(
      `insert into location_watches (org_id, location_id, valid_from, mode, max_gap_seconds, is_learned, coverage)
       select $1, $2, now() - make_interval(secs => at), 'continuous', 60, false, 'all' from generate_series(1, 999) at`,
      [site.orgId, id],
    );
    const set = watch('--location', 'FULL', '--mode', 'portal');
    await json(...set);
    await fails(
      1,
      `The watch of location ${id} was set or learned 1000 times, the maximum is 1000; create the location again`,
      ...set,
    );
  });

  it('refuses what makes no sense, and says what to give', async () => {
    await fails(2, 'Give --location and --mode, or --list', ...watch('--location', 'COLD'));
    await fails(
      ...([2, 'A portal has no gap'] as const),
      ...watch('--location', 'COLD', '--mode', 'portal', '--max-gap', '60s'),
    );
    await fails(
      ...([2, 'It must be a duration from 1s to 1d'] as const),
      ...watch('--location', 'COLD', '--mode', 'continuous', '--max-gap', '2d'),
    );
    await fails(1, 'Location NONE not found', ...watch('--location', 'NONE', '--mode', 'portal'));
    await fails(1, 'Organization 999 not found', 'location', 'watch', '--org', '999', '--list');
  });
});
