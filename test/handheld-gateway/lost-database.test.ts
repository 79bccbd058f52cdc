import { expect } from 'chai';
import { openCuttingProxy } from '../support/cutting-proxy.ts';
import { DISK_FULL, fullDiskUnder } from '../support/full-disk.ts';
import { useGateway } from '../support/gateway.ts';
import { Link, targetOf } from '../support/link.ts';
import { aScan, aSubmission } from '../support/new-submission.ts';
import { untilReadiness } from '../support/readiness.ts';
import { expectUnavailable } from '../support/unavailable.ts';

/** Readiness of what a clock may do. */
const CLOCKS = { clock: 'ok', clock_steady: 'ok', clock_stored: 'ok' };

describe('the handheld gateway while the database cannot be reached', () => {
  const gateway = useGateway();
  let link: Link;

  before(async () => {
    link = await Link.open(targetOf(gateway.database.url));
    gateway.database.beforeDrop(() => link.close());
  });
  afterEach(() => link.mend());

  it('answers with 503 and when to try again, and serves once it is back', async () => {
    const url = await gateway.start({ DATABASE_URL: link.by(gateway.database.url) });
    const callAll = () =>
      Promise.all([
        gateway.call({ url, path: '/handheld/v1/locations' }),
        gateway.call({ url, path: '/handheld/v1/tags?tag_type=rfid&value=E280' }),
        gateway.submit(aSubmission([aScan('E280')]), { url }),
      ]);
    expect((await gateway.submit(aSubmission([aScan('E280')]), { url })).status).to.equal(201);
    link.cut();
    await callAll();
    for (const answer of await callAll()) {
      expectUnavailable(answer);
    }
    link.mend();
    expect((await gateway.submit(aSubmission([aScan('E280')]), { url })).status).to.equal(201);
  });

  it('does not say of a submission whose commit was not answered that nothing was changed', async () => {
    const proxy = await openCuttingProxy(gateway.database);
    const url = await gateway.start({ DATABASE_URL: proxy.url });
    let submission = aSubmission([aScan('E280')]);
    proxy.cutNext('after commit');
    let answer = await gateway.submit(submission, { url });
    // Another part of the gateway committed first.
    while (answer.status === 201) {
      submission = aSubmission([aScan('E280')]);
      proxy.cutNext('after commit');
      answer = await gateway.submit(submission, { url });
    }
    expect(answer.status).to.equal(500);
    expect(answer.body?.error?.detail).to.equal(
      'The connection to the database was lost; the request may have been carried out',
    );
    expect((await gateway.submit(submission, { url })).status).to.equal(200);
  });
});

describe('the handheld gateway on a database that takes no changes', () => {
  const gateway = useGateway();

  it('is not ready, and says why', async () => {
    const [{ name = '' } = {}] = await gateway.database.rows<{ name: string }>(
      'select current_database() as name',
    );
    await gateway.database.rows(`alter database "${name}" set default_transaction_read_only = on`);
    const writing = 'the database takes no changes: default_transaction_read_only is on';
    await untilReadiness(await gateway.start(), {
      status: 503,
      checks: { database: 'ok', ...CLOCKS, writing, recording: 'ok' },
    });
  });
});

describe('the handheld gateway on a full disk', () => {
  const gateway = useGateway();

  it('is not ready while it refuses submissions, and is again with the first that it records', async () => {
    const ready = { database: 'ok', ...CLOCKS, writing: 'ok', recording: 'ok' };
    const submit = () => gateway.submit(aSubmission([aScan('E280')]));
    await gateway.database.rows(DISK_FULL);
    await gateway.database.rows(fullDiskUnder('submissions'));
    expectUnavailable(await submit());
    await untilReadiness(gateway.url, {
      status: 503,
      checks: { ...ready, recording: 'scans are refused, as they cannot be recorded: could not extend file' },
    });
    await gateway.database.rows('drop trigger disk_full on submissions');
    expect((await submit()).status).to.equal(201);
    await untilReadiness(gateway.url, { status: 200, checks: ready });
  });
});
