import { expect } from 'chai';
import { RetainedMoves } from '../../../services/mqtt-ingest/consumers/consumer-broker.ts';

describe('what the embedded broker retains', () => {
  const MEBIBYTE = Buffer.alloc(1024 * 1024);
  const at = (orgId: number, key: string) => `site/${orgId}/assets/${key}/location`;
  const given = async (retained: RetainedMoves, ...filters: string[]) => {
    const topics: string[] = [];
    for await (const { topic } of retained.createRetainedStreamCombi(filters)) {
      topics.push(topic);
    }
    return topics;
  };

  it('has a bound for each organization, within which what is there may change', async () => {
    const retained = new RetainedMoves({ prefix: 'site', homeAssistant: null });
    for (let asset = 0; asset < 256; asset++) {
      expect(retained.hasRoomFor({ topic: at(1, `A-${asset}`), payload: MEBIBYTE.toString() })).to.equal(
        true,
      );
      await retained.storeRetained({ topic: at(1, `A-${asset}`), payload: MEBIBYTE });
    }
    expect(retained.hasRoomFor({ topic: at(1, 'B'), payload: 'b' })).to.equal(false);
    expect(retained.hasRoomFor({ topic: at(1, 'A-0'), payload: 'a' })).to.equal(true);
    expect(retained.hasRoomFor({ topic: at(2, 'B'), payload: 'b' })).to.equal(true);
    await retained.storeRetained({ topic: at(1, 'A-0'), payload: Buffer.alloc(0) });
    expect(retained.hasRoomFor({ topic: at(1, 'B'), payload: 'b' })).to.equal(true);
    expect(retained.count(1)).to.equal(255);
  });

  it('is given once to each subscription, of the organization that its topic names', async () => {
    const retained = new RetainedMoves({ prefix: 'acme/site', homeAssistant: 'homeassistant' });
    const ours = ['acme/site/1/assets/A/location', 'homeassistant/sensor/tagtrail-1/asset-1/config'];
    const theirs = ['acme/site/2/assets/A/location', 'homeassistant/sensor/tagtrail-2/asset-2/config'];
    for (const topic of [...ours, ...theirs]) {
      await retained.storeRetained({ topic, payload: Buffer.from('{}') });
    }
    expect(await given(retained, 'acme/site/1/#', 'acme/site/1/assets/+/location')).to.deep.equal([ours[0]]);
    expect(await given(retained, 'acme/site/1/assets/A/location')).to.deep.equal([ours[0]]);
    expect(await given(retained, 'homeassistant/sensor/tagtrail-1/#')).to.deep.equal([ours[1]]);
    expect(await given(retained, 'homeassistant/#')).to.have.members([ours[1], theirs[1]]);
    expect(await given(retained, 'homeassistant/+/+/+/config')).to.have.members([ours[1], theirs[1]]);
    expect(await given(retained, 'acme/site/3/#')).to.deep.equal([]);
  });
});
