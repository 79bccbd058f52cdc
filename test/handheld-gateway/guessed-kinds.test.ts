import { expect } from 'chai';
import { expectIssues, expectProblem } from '../support/api.ts';
import { useGateway } from '../support/gateway.ts';
import { aScan, aSubmission } from '../support/new-submission.ts';

describe('a tag whose kind the device guessed', () => {
  const gateway = useGateway();
  const assets = {
    'HEX-LABEL': 0,
    'ELEMENT-STRING': 0,
    BEACON: 0,
    'BOTH-KINDS': 0,
    'AS-RFID': 0,
    'AS-BARCODE': 0,
  };
  before(async () => {
    const { site } = gateway;
    await site.location('DOCK-1');
    const shelf = await site.location('SHELF-1');
    await site.tag({ locationId: shelf }, 'A1B2C3D4E5F60718', 'barcode');
    assets['HEX-LABEL'] = await site.asset('HEX-LABEL', '0193e0d1a3da7b21aa83604efbc7c17e', 'barcode');
    assets['ELEMENT-STRING'] = await site.asset('ELEMENT-STRING', '0108032825498580211234510ABC', 'barcode');
    assets.BEACON = await site.asset('BEACON', 'AC:23:3F:00:0A:01', 'ble');
    assets['BOTH-KINDS'] = await site.asset('BOTH-KINDS', 'AC233F000A02', 'ble');
    await site.tag({ assetId: assets['BOTH-KINDS'] }, 'AC233F000A02', 'rfid');
    assets['AS-RFID'] = await site.asset('AS-RFID', 'E28011600000020912345678', 'rfid');
    assets['AS-BARCODE'] = await site.asset('AS-BARCODE', 'E28011600000020912345678', 'barcode');
  });

  const guessed = (value: string, tagType: string) => ({ ...aScan(value, 1, tagType), guessed: true });
  const submit = async (scans: readonly object[]) => {
    const { body } = await gateway.submit(aSubmission(scans, { location: { external_key: 'DOCK-1' } }));
    return body?.data.results.map(
      (result: { status: string; tag_type: string; asset: { external_key: string } | null }) =>
        `${result.status} ${result.tag_type} ${result.asset?.external_key ?? ''}`.trim(),
    );
  };
  const lookUp = (value: string, tagType: string, more = '&guessed=true') =>
    gateway.call({ path: `/handheld/v1/tags?tag_type=${tagType}&value=${value}${more}` });

  for (const [value, guess, found, key] of [
    ['0193e0d1a3da7b21aa83604efbc7c17e', 'rfid', 'barcode', 'HEX-LABEL'],
    ['0108032825498580211234510ABC', 'rfid', 'barcode', 'ELEMENT-STRING'],
    ['AC233F000A01', 'barcode', 'ble', 'BEACON'],
  ] as const) {
    it(`is of the only other kind that has ${value}`, async () => {
      expect(await submit([guessed(value, guess)])).to.deep.equal([`moved ${found} ${key}`]);
      const { body } = await lookUp(value, guess);
      expect(body?.data).to.include({ tag_type: found });
      expect(body?.data.asset).to.include({ id: assets[key], external_key: key });
      expect(await gateway.database.rows('select from unknown_tags where value = $1', [value])).to.deep.equal(
        [],
      );
    });
  }

  it('is a location’s too, which sets the location of the scans after it', async () => {
    const { body } = await gateway.submit(
      aSubmission([guessed('A1B2C3D4E5F60718', 'rfid'), guessed('AC233F000A01', 'barcode')], {
        location: { external_key: 'DOCK-1' },
      }),
    );
    const [shelf, beacon] = body?.data.results ?? [];
    expect(shelf).to.deep.include({ status: 'location', tag_type: 'barcode' });
    expect(beacon.location).to.include({ external_key: 'SHELF-1' });
    expect((await lookUp('A1B2C3D4E5F60718', 'rfid')).body?.data.location).to.include({
      external_key: 'SHELF-1',
    });
  });

  it('is as guessed where a tag of that kind has the value', async () => {
    for (const [guess, key] of [
      ['rfid', 'AS-RFID'],
      ['barcode', 'AS-BARCODE'],
    ] as const) {
      const [result] = await submit([guessed('E28011600000020912345678', guess)]);
      expect(result).to.equal(`moved ${guess} ${key}`);
      expect((await lookUp('E28011600000020912345678', guess)).body?.data.asset.external_key).to.equal(key);
    }
  });

  it('is unknown where two other kinds have the value, or none', async () => {
    for (const value of ['AC233F000A02', 'AC233F000A03']) {
      expect(await submit([guessed(value, 'barcode')])).to.deep.equal(['unknown barcode']);
      expect((await lookUp(value, 'barcode')).status).to.equal(404);
    }
  });

  it('is of no other kind if the device did not guess', async () => {
    for (const more of [{}, { guessed: false }, { guessed: null }]) {
      const scan = { ...aScan('AC233F000A01', 1, 'barcode'), ...more };
      expect(await submit([scan])).to.deep.equal(['unknown barcode']);
    }
    for (const more of ['', '&guessed=false']) {
      expect((await lookUp('AC233F000A01', 'barcode', more)).status).to.equal(404);
    }
  });

  it('comes again as a repeat, and without the guess as another body', async () => {
    const scan = guessed('AC233F000A01', 'barcode');
    const submission = aSubmission([scan], { location: { external_key: 'DOCK-1' } });
    const first = await gateway.submit(submission);
    // As of another kind it would be found now, had it not been answered.
    await gateway.site.asset('LATER', 'AC233F000A01', 'barcode');
    const again = await gateway.submit(submission);
    expect([first.status, again.status]).to.deep.equal([201, 200]);
    expect(again.text).to.equal(first.text);
    const other = await gateway.submit({ ...submission, scans: [{ ...scan, guessed: false }] });
    expect(other.status).to.equal(409);
  });

  it('is refused if the guess is neither true nor false', async () => {
    const scan = { ...aScan('E2'), guessed: 'yes' };
    expectProblem(await gateway.submit(aSubmission([scan])), 'bad_request');
    expectIssues(await lookUp('E2', 'rfid', '&guessed=yes'), [['guessed', 'invalid_value']]);
  });
});
