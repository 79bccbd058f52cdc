import { expect } from 'chai';
import { commandLineOn } from '../support/command-line.ts';
import { useDatabase } from '../support/database.ts';
import { countersOf, openIntake, type TestIntake } from '../support/intake.ts';
import { run } from '../support/process.ts';
import { itByNight } from '../support/random-sets.ts';
import { Site } from '../support/site.ts';
import { wokenFor } from '../support/woken-sealer.ts';

describe('the command line of rejected messages', () => {
  const database = useDatabase();
  const { tagtrail, json, fails } = commandLineOn(() => database);
  let site: Site;
  let intake: TestIntake;
  let reader: number;

  before(async () => {
    site = await Site.create(database);
    await site.asset('PALLET', 'E280');
    reader = await site.reader('portal', [await site.location('DOCK')], { format: 'not-yet-added' });
    intake = await openIntake(database);
  });
  beforeEach(() => database.empty('rejected_messages, received_messages, scan_events, reader_counters'));

  const row = (id: number, more: object) => ({
    id,
    org_id: site.orgId,
    reader_id: reader,
    topic: 'portal',
    ...more,
  });
  const read = '{"value":"E280"}';
  /** The ids of as many messages, oldest first. */
  async function rejected(...payloads: (string | Buffer)[]): Promise<number[]> {
    await Promise.all(payloads.map((payload) => intake.receive('portal', payload)));
    return (await database.rows<{ id: number }>('select id from rejected_messages order by id')).map(
      ({ id }) => id,
    );
  }
  const mend = () => database.rows(`update readers set format = 'tagtrail' where id = $1`, [reader]);
  afterEach(async () => {
    await database.rows(`update readers set format = 'not-yet-added' where id = $1`, [reader]);
    await intake.registry.refresh();
  });

  it('lists them, of one organization or of all and of none', async () => {
    const [id = 0] = await rejected(read);
    await intake.receive('nobody/is/here', 'hello');
    const all = await json('rejected', 'list');
    expect(all).to.have.lengthOf(2);
    expect(all[1]).to.include({ org_id: null, reader_id: null, topic: 'nobody/is/here', bytes: 5 });
    const [mine, ...others] = await json('rejected', 'list', '--org', String(site.orgId));
    expect(others).to.deep.equal([]);
    expect(mine.received_at).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(mine).to.deep.equal(
      row(id, {
        kind: 'rejected',
        reason: "the reader's format not-yet-added does not exist",
        received_at: mine.received_at,
        bytes: read.length,
        replayed_at: null,
      }),
    );
    const { stdout } = await tagtrail('rejected', 'list');
    expect(stdout).to.include('nobody/is/here').and.include('not-yet-added');
  });

  it('says that there is no such organization', () =>
    fails(1, 'Organization 999 not found', 'rejected', 'list', '--org', '999'));

  it('shows one with its payload, as text or as base64', async () => {
    const [text = 0, binary = 0] = await rejected(read, Buffer.from([0xff, 0x00, 0x1b]));
    expect(await json('rejected', 'show', '--id', String(text))).to.deep.include({
      id: text,
      payload: read,
      payload_encoding: 'utf8',
      payload_bytes_kept: read.length,
    });
    expect(await json('rejected', 'show', '--id', String(binary))).to.deep.include({
      payload: '/wAb',
      payload_encoding: 'base64',
    });
  });

  it('prints nothing that a terminal would obey', async () => {
    const [id = 0] = await rejected('\u001b[2Jgone');
    const { stdout } = await tagtrail('rejected', 'show', '--id', String(id));
    expect(stdout).to.include('\\u{1b}[2Jgone').and.not.include('\u001b');
  });

  it('replays one, and tells of it', async () => {
    const [id = 0] = await rejected(read);
    await mend();
    const [replayed] = await json('rejected', 'replay', '--id', String(id));
    expect(replayed).to.deep.include(row(id, { outcome: 'replayed' }));
    expect(replayed.replayed_at).to.be.a('string');
    expect((await json('rejected', 'list'))[0]).to.include({ id, replayed_at: replayed.replayed_at });
    expect(await countersOf(database, reader)).to.include({ reads: 1, recorded: 1 });
  });

  it('tells what became of the reads, and which of them move nothing', async () => {
    const [id = 0] = await rejected('[{"value":"E280"},{"value":"E280","antenna":9},{"value":"FEED"}]');
    await mend();
    const { stdout } = await tagtrail('rejected', 'replay', '--id', String(id));
    expect(stdout)
      .to.include('1 recorded, 0 recorded before, 1 of unknown tags, 1 unplaced')
      .and.include('antenna set');
    const [again] = await json('rejected', 'replay', '--id', String(id));
    expect(again).to.include({ recorded: 0, duplicates: 1, unknown: 1, unplaced: 1 });
  });

  it('replays all that were not replayed yet, the oldest first, and only those', async () => {
    const ids = await rejected(read, 'no JSON', read);
    await mend();
    const first = await json('rejected', 'replay');
    expect(first.map(({ id, outcome }: { id: number; outcome: string }) => [id, outcome])).to.deep.equal([
      [ids[0], 'replayed'],
      [ids[1], 'rejected'],
      [ids[2], 'replayed'],
    ]);
    const again = await tagtrail('rejected', 'replay', '--org', String(site.orgId));
    expect(again).to.deep.include({ status: 0, stderr: '' });
    expect(again.stdout).to.include('Replayed 0 of 1 messages.').and.include('1 were rejected again');
    expect(await countersOf(database, reader)).to.include({ messages: 7, messages_rejected: 5, recorded: 2 });
  });

  it('wakes the sealer for the organizations whose histories a replay changes', async () => {
    await site.asset('CRATE', 'E281');
    await rejected('{"value":"E281"}', 'not json');
    await mend();
    const replaying = () => tagtrail('rejected', 'replay');
    expect(await wokenFor(database, replaying)).to.deep.equal([site.orgId]);
    // What cannot be read is rejected again, and moves nothing.
    expect(await wokenFor(database, replaying)).to.deep.equal([]);
  });

  it('says what it cannot replay whole', async () => {
    const [id = 0] = await rejected('x'.repeat(70_000));
    await fails(
      1,
      'of its 70000 bytes only the first 64 KiB were kept',
      'rejected',
      'replay',
      '--id',
      String(id),
    );
    expect((await tagtrail('rejected', 'replay')).stdout).to.include('of its 70000 bytes');
  });

  itByNight('loses nothing and doubles nothing when it is interrupted', async () => {
    const ids = await rejected(...Array.from({ length: 400 }, () => read));
    await mend();
    const program = run('services/cli/tagtrail.ts', ['rejected', 'replay', '--json'], {
      DATABASE_URL: database.url,
    });
    const replayed = async () =>
      (
        await database.rows<{ count: number }>(
          'select count(*) from rejected_messages where replayed_at is not null',
        )
      )[0]?.count ?? 0;
    while ((await replayed()) < 3) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    program.child.kill('SIGINT');
    expect(await program.ended).to.equal(1);
    const told = JSON.parse(program.stdout());
    expect(told).to.have.lengthOf(await replayed());
    expect(program.stderr()).to.include(`Interrupted after ${told.length} of ${ids.length}`);
    expect(await json('rejected', 'replay')).to.have.lengthOf(ids.length - told.length);
    expect(await countersOf(database, reader)).to.include({ messages: 800, recorded: 400, duplicates: 0 });
  });

  it('has nothing to say of what is not there', async () => {
    await fails(1, 'Rejected message 4000 not found', 'rejected', 'replay', '--id', '4000');
    await fails(1, 'Rejected message 4000 not found', 'rejected', 'show', '--id', '4000');
    expect((await tagtrail('rejected', 'replay')).stdout).to.equal('Nothing to replay.\n');
  });

  it('refuses wrong usage', async () => {
    await fails(2, '--id', 'rejected', 'show');
    await fails(2, 'whole number', 'rejected', 'replay', '--id', 'x');
    await fails(
      2,
      "'--org <id>' cannot be used with option '--id <id>'",
      'rejected',
      'replay',
      '--org',
      '1',
      '--id',
      '1',
    );
  });

  describe('dismiss', () => {
    it('has a message neither listed nor replayed with the others, keeps it and its count, and is undone', async () => {
      const [first = 0, second = 0] = await rejected('{"value":"E280"}', '{"value":"E281"}');
      const counted = await countersOf(database, reader);
      const dismissed = await json('rejected', 'dismiss', '--id', String(first));
      expect(dismissed).to.include({ id: first }).and.to.have.property('dismissed_at').that.is.a('string');
      const ids = async (...more: string[]) =>
        (await json('rejected', 'list', ...more)).map(({ id }: { id: number }) => id);
      expect([await ids(), await ids('--dismissed')]).to.deep.equal([[second], [first]]);
      expect(await json('rejected', 'show', '--id', String(first))).to.include({ id: first });
      expect(await countersOf(database, reader)).to.deep.equal(counted);

      await mend();
      await json('rejected', 'replay');
      const replayed = await database.rows('select id from rejected_messages where replayed_at is not null');
      expect(replayed).to.deep.equal([{ id: second }]);
      expect(await json('rejected', 'dismiss', '--id', String(first), '--undo')).to.deep.equal({
        id: first,
        dismissed_at: null,
      });
      expect(await ids()).to.include(first);
      await database.rows(`update readers set format = 'not-yet-added' where id = $1`, [reader]);
    });

    it('says that there is no such message', () =>
      fails(1, 'Rejected message 999999 not found', 'rejected', 'dismiss', '--id', '999999'));
  });
});
