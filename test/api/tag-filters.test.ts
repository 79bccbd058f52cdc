import { expect } from 'chai';
import { useApi } from '../support/api.ts';

/** One trade item, as an RFID tag has it and as its barcode does. */
const EPC = '3034257BF7194E4000001A85';
const DIGITAL_LINK = 'https://example.com/01/80614141123458/21/6789';

describe('the filters by tags', () => {
  const api = useApi();
  let key: string;
  const make = async (list: 'assets' | 'locations', external_key: string, tags: object[], by = key) => {
    const json = { name: 'Any', external_key, tags };
    const { body } = await api.call({ method: 'POST', path: `/api/v1/${list}`, key: by, json });
    return body?.data;
  };
  before(async () => {
    ({ key } = await api.organization());
    const other = await api.organization();
    const rfid = (value: string) => ({ tag_type: 'rfid', value });
    await make('assets', 'ITEM', [rfid(EPC)]);
    await make('assets', 'LABELLED', [{ tag_type: 'barcode', value: DIGITAL_LINK }]);
    await make('assets', 'BEACON', [{ tag_type: 'ble', value: 'AC:23:3F:A0:01:02' }]);
    await make('assets', 'CODE', [{ tag_type: 'barcode', value: 'AC233FA00102' }]);
    await make('assets', 'FOREIGN', [rfid(EPC)], other.key);
    const { id, tags } = await make('assets', 'BARE', [rfid('ABCD'), rfid('00abcd')]);
    for (const tag of tags) {
      await api.call({ method: 'DELETE', path: `/api/v1/assets/${id}/tags/${tag.id}`, key });
    }
    await make('locations', 'SHELF', [rfid('00 AB CD')]);
    await make('locations', 'DOCK', []);
    await make('locations', 'GATE', [{ tag_type: 'barcode', value: '(414)9524000059109' }]);
  });
  const keysOf = async (path: string, query: string) => {
    const { body } = await api.call({ path: `/api/v1/${path}?${query}`, key });
    const keys: string[] = body?.data.map((row: { external_key: string }) => row.external_key);
    expect(body?.total_count).to.equal(keys.length);
    return keys;
  };

  for (const [query, assets, locations] of [
    [`tag_type=rfid&tag_value=${EPC}`, ['ITEM', 'LABELLED'], []],
    [`tag_type=barcode&tag_value=${encodeURIComponent(DIGITAL_LINK)}`, ['ITEM', 'LABELLED'], []],
    [`tag_value=${EPC.toLowerCase()}&tag_value=abcd`, ['ITEM', 'LABELLED'], ['SHELF']],
    ['tag_value=AC233FA00102', ['BEACON', 'CODE'], []],
    ['tag_type=ble&tag_value=ac233fa00102', ['BEACON'], []],
    ['tag_value=AC233FA00102&q=beacon', ['BEACON'], []],
    [`q=${EPC}`, ['ITEM', 'LABELLED'], []],
    ['q=(01)80614141123458(21)6789', ['ITEM', 'LABELLED'], []],
    ['q=https://example.com/414/9524000059109', [], ['GATE']],
    [`q=${EPC}&external_key=LABELLED`, ['LABELLED'], []],
    ['q=abcd', [], []],
    ['tag_type=ble&tag_value=abcd', [], []],
    [`tag_value=${EPC}&external_key=LABELLED&external_key=SHELF`, ['LABELLED'], []],
  ] as const) {
    it(`find what a read would: ${query}`, async () => {
      expect(await keysOf('assets', query)).to.deep.equal(assets);
      expect(await keysOf('locations', query)).to.deep.equal(locations);
    });
  }

  it('refuse a type without a value, and values that no tag has', async () => {
    for (const [query, field, code] of [
      ['tag_type=rfid', 'tag_value', 'required'],
      ['tag_type=nfc&tag_value=1', 'tag_type', 'invalid_value'],
      ['tag_value=', 'tag_value', 'too_short'],
      ['tag_value=a%00b', 'tag_value', 'invalid_value'],
      [`tag_value=${'1'.repeat(256)}`, 'tag_value', 'too_long'],
    ] as const) {
      const { body } = await api.call({ path: `/api/v1/locations?${query}`, key });
      expect(body?.error?.fields, query).to.have.length(1);
      expect(body?.error?.fields?.[0], query).to.include({ field, code });
    }
  });
});
