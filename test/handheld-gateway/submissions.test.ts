import { expect } from 'chai';
import { ulid } from 'ulid';
import type { Answer } from '../support/declared-by.ts';
import { useGateway } from '../support/gateway.ts';

describe('a submission', () => {
  const gateway = useGateway();
  const { database } = gateway;
  let shelf: number;
  let forklift: number;
  let pallet: number;
  before(async () => {
    const { site } = gateway;
    await site.location('DOCK-1');
    shelf = await site.location('SHELF-7');
    await site.tag({ locationId: shelf }, 'S7', 'barcode');
    forklift = await site.asset('FORKLIFT', 'E280AA');
    pallet = await site.asset('PALLET', 'E280BB');
    await site.asset('TWIN-1', '00E280CC');
    await site.asset('TWIN-2', '0E280CC');
  });

  const at = (msAgo: number) => new Date(Date.now() - msAgo).toISOString();
  const scan = (value: string, msAgo = 1000, tag_type = 'rfid') => ({
    tag_type,
    value,
    observed_at: at(msAgo),
  });
  const statuses = ({ body }: Answer) => body?.data.results.map(({ status }: { status: string }) => status);

  it('answers each of asset, location, unknown and ambiguous tags, and records the assets where the person was', async () => {
    const unknown = scan('E280DD', 4000);
    const answer = await gateway.submit({
      submission_id: ulid(),
      sent_at: at(0),
      scans: [
        scan('E280AA', 6000),
        scan('S7', 5500, 'barcode'),
        scan('E280AA', 5000),
        unknown,
        scan('E280CC', 3000),
        scan('E280BB', 2000),
        scan('e2:80:bb', 1000),
      ],
    });
    expect(answer.status, answer.text).to.equal(201);
    expect(statuses(answer)).to.deep.equal([
      'no_location',
      'location',
      'moved',
      'unknown',
      'ambiguous',
      'moved',
      'seen',
    ]);
    const rows = await database.rows(
      'select asset_id, location_id, submission_index from scan_events order by submission_index',
    );
    expect(rows).to.deep.equal([
      { asset_id: forklift, location_id: shelf, submission_index: 2 },
      { asset_id: pallet, location_id: shelf, submission_index: 5 },
      { asset_id: pallet, location_id: shelf, submission_index: 6 },
    ]);
  });
});
