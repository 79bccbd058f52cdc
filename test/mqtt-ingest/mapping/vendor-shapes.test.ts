import { expect } from 'chai';
import { compileFormat } from '../../../services/mqtt-ingest/mapping/format.ts';
import { map, micros, outcomesOf, readsOf } from './mapping.ts';

/** Formats of many makers, as anybody could write them: what the language must be able to say. */
describe('the mapping language expresses', () => {
  const rfid = [{ const: 'rfid' }];
  const ble = [{ const: 'ble' }];
  /** An advertisement with flags and an iBeacon, and one with flags, the service and an Eddystone UID. */
  const IBEACON = `0201061AFF4C000215${'E2C56DB5DFFB48D2B060D0F5A71096E0'}00010017C5`;
  const EDDYSTONE = `0201060303AAFE1516AAFE00E7${'00010203040506070809'}${'0A0B0C0D0E0F'}`;

  describe('minew-json', () => {
    const format = compileFormat({
      name: 'minew-json',
      decode: 'json',
      rules: [
        {
          each: '/*',
          only: [{ item: '/type', not: ['Gateway'] }],
          fields: {
            tag_type: ble,
            value: [
              { identity: 'mac', item: '/mac', transform: ['mac'] },
              { identity: 'raw', item: '/mac' },
              {
                identity: 'ibeacon',
                join: [{ item: '/ibeaconUuid' }, { item: '/ibeaconMajor' }, { item: '/ibeaconMinor' }],
                with: ':',
                transform: ['ibeacon'],
              },
              { identity: 'ibeacon', item: '/rawData', transform: ['ibeacon'] },
              { identity: 'eddystone', item: '/rawData', transform: ['eddystone'] },
            ],
            rssi: [{ item: '/rssi' }],
            observed_at: [{ item: '/timestamp', transform: ['rfc3339'] }],
            reader: [{ root: '', where: [{ element: '/type', in: ['Gateway'] }], take: '/mac' }],
          },
        },
      ],
    });
    const timestamp = '2026-02-09T00:13:53.668Z';
    const gateway = { timestamp, type: 'Gateway', mac: 'AC233FC00001', gatewayFree: 89 };
    const beacon = {
      timestamp,
      type: 'iBeacon',
      mac: 'c3:00:00:25:00:01',
      ibeaconUuid: 'e2c56db5-dffb-48d2-b060-d0f5a71096e0',
      ibeaconMajor: 0,
      ibeaconMinor: 7,
      rssi: -65,
    };
    const unknown = { timestamp, type: 'Unknown', mac: '1918FC050002', rssi: -72, rawData: EDDYSTONE };

    it('with the gateway element anywhere, or missing', () => {
      for (const payload of [
        [gateway, beacon, unknown],
        [beacon, gateway, unknown],
        [beacon, unknown, gateway],
      ]) {
        const mapped = map(format, payload);
        expect(outcomesOf(mapped).toSorted()).to.deep.equal([
          'ignored: item /type is one of: Gateway',
          'read ble 1918FC050002',
          'read ble C30000250001',
        ]);
        expect(JSON.stringify(mapped).match(/"reader":"AC233FC00001"/g)).to.have.length(2);
      }
      expect(readsOf(map(format, [beacon]))).to.deep.equal([
        {
          tagType: 'ble',
          value: 'C30000250001',
          antenna: 1,
          rssi: -65,
          deviceTime: micros(timestamp),
          reader: null,
          reportUnknown: false,
        },
      ]);
    });

    it('with beacons known by what they say, and other adverts ignored', () => {
      const strangers = [beacon, { ...unknown, rawData: IBEACON }, unknown];
      expect(outcomesOf(map(format, strangers, 'gw', { identity: 'ibeacon' }))).to.deep.equal([
        'read ble E2C56DB5DFFB48D2B060D0F5A71096E0:0:7',
        'read ble E2C56DB5DFFB48D2B060D0F5A71096E0:1:23',
        'ignored: holds no ibeacon identity',
      ]);
      expect(outcomesOf(map(format, strangers, 'gw', { identity: 'eddystone' }))).to.deep.equal([
        'ignored: holds no eddystone identity',
        'ignored: holds no eddystone identity',
        'read ble 000102030405060708090A0B0C0D0E0F',
      ]);
      expect(outcomesOf(map(format, [beacon], 'gw', { identity: 'raw' }))).to.deep.equal([
        'read ble c3:00:00:25:00:01',
      ]);
    });
  });

  describe('openmqttgateway', () => {
    const format = compileFormat({
      name: 'openmqttgateway',
      decode: 'json',
      ignore: { topics: ['#/LWT', '#/SYStoMQTT', '+/presence/#'] },
      rules: [
        {
          each: '',
          only: [
            { topic: -2, in: ['BTtoMQTT'] },
            { item: '/rssi', exists: true },
          ],
          fields: {
            tag_type: ble,
            value: [
              { identity: 'mac', item: '/mac', transform: ['mac'] },
              { identity: 'mac', item: '/id', transform: ['mac'] },
              { identity: 'mac', topic: -1, transform: ['mac'] },
              {
                identity: 'ibeacon',
                join: [{ item: '/uuid' }, { item: '/major' }, { item: '/minor' }],
                with: ':',
                transform: ['ibeacon'],
              },
            ],
            rssi: [{ item: '/rssi' }],
            reader: [{ topic: -3 }],
          },
        },
      ],
    });
    const topic = 'home/floor1/gw7/BTtoMQTT/6087574C0001';
    const uuid = '1de4b189-115e-45f6-b44e-509352269977';

    it('with the tag in the payload or in the topic, and no time', () => {
      const read = {
        tagType: 'ble',
        value: '6087574C0001',
        antenna: 1,
        rssi: -78,
        deviceTime: null,
        reader: 'gw7',
        reportUnknown: false,
      };
      expect(readsOf(map(format, { id: '60:87:57:4C:00:01', rssi: -78 }, topic))).to.deep.equal([read]);
      expect(readsOf(map(format, { id: uuid, mac: '60:87:57:4C:00:01', rssi: -78 }, topic))).to.deep.equal([
        read,
      ]);
      expect(readsOf(map(format, { rssi: -78 }, topic))).to.deep.equal([read]);
    });

    it('with beacons', () => {
      const payload = {
        id: '60:87:57:4C:00:01',
        rssi: -78,
        uuid: uuid.replaceAll('-', ''),
        major: 0,
        minor: 4,
      };
      expect(outcomesOf(map(format, payload, topic, { identity: 'ibeacon' }))).to.deep.equal([
        'read ble 1DE4B189115E45F6B44E509352269977:0:4',
      ]);
    });

    it('with what is told by the topic ignored, before decoding', () => {
      expect(map(format, 'online', 'home/floor1/gw7/LWT')).to.include({ outcome: 'ignored' });
      expect(map(format, '{"uptime":5}', 'home/gw7/SYStoMQTT')).to.include({ outcome: 'ignored' });
      expect(map(format, '?', 'home/presence/gw7/x')).to.include({ outcome: 'ignored' });
      expect(map(format, { rssi: 1 }, 'home/gw7/WebUItoMQTT/x')).to.deep.equal({
        outcome: 'ignored',
        reason: 'topic level -2 is none of: BTtoMQTT',
      });
    });
  });

  it('ruuvi-gateway: the tag in the topic only, a quoted time, or a counter while the clock is not set', () => {
    const format = compileFormat({
      name: 'ruuvi-gateway',
      decode: 'json',
      ignore: { topics: ['+/+/gw_status'] },
      rules: [
        {
          each: '',
          fields: {
            tag_type: ble,
            value: [{ topic: 2, transform: ['mac'] }],
            rssi: [{ item: '/rssi' }],
            observed_at: [{ item: '/ts', transform: [{ epoch: 's' }] }],
            reader: [{ item: '/gw_mac', transform: ['mac'] }],
          },
        },
      ],
    });
    const payload = { gw_mac: 'DE:AD:BE:EF:00:01', rssi: -82, data: '0201' };
    const topic = 'ruuvi/DE:AD:BE:EF:00:01/c3:00:00:25:00:01';
    const read = (more: object) => readsOf(map(format, { ...payload, ...more }, topic))[0];
    expect(read({ ts: '1659365222' })).to.deep.equal({
      tagType: 'ble',
      value: 'C30000250001',
      antenna: 1,
      rssi: -82,
      deviceTime: micros('2022-08-01T14:47:02Z'),
      reader: 'DEADBEEF0001',
      reportUnknown: false,
    });
    expect(read({ cnt: '12' })).to.include({ deviceTime: null });
    expect(read({ ts: '86400' })).to.include({ deviceTime: null });
    expect(map(format, 'online', 'ruuvi/DE:AD:BE:EF:00:01/gw_status')).to.include({ outcome: 'ignored' });
  });

  it('moko-mk107: items below an element of the array, a date of its own, status as an object', () => {
    const format = compileFormat({
      name: 'moko-mk107',
      decode: 'json',
      rules: [
        {
          each: '/data/*/value',
          only: [{ root: '/msg_id', in: [3004] }],
          fields: {
            tag_type: ble,
            value: [
              { identity: 'mac', item: '/mac', transform: ['mac'] },
              { identity: 'ibeacon', item: '/raw data', transform: ['ibeacon'] },
            ],
            rssi: [{ item: '/rssi' }],
            observed_at: [{ item: '/timestamp', transform: [{ date: { pattern: 'yyyy-M-d&H:m:sX' } }] }],
            reader: [{ root: '/device_info/mac', transform: ['mac'] }],
          },
        },
      ],
    });
    const device_info = { mac: '409151A60001' };
    const value = { mac: 'F95BC0EC0001', timestamp: '2026-6-8&21:43:48+00', rssi: -53, 'raw data': IBEACON };
    const report = { msg_id: 3004, device_info, data: [{ type: 1, value }, { type: 2 }, { type: 1, value }] };
    const mapped = map(format, report);
    expect(outcomesOf(mapped)).to.deep.equal([
      'read ble F95BC0EC0001',
      'rejected: no value (nothing at item /mac)',
      'read ble F95BC0EC0001',
    ]);
    expect(mapped).to.have.deep.nested.property('items[0].read', {
      tagType: 'ble',
      value: 'F95BC0EC0001',
      antenna: 1,
      rssi: -53,
      deviceTime: micros('2026-06-08T21:43:48Z'),
      reader: '409151A60001',
      reportUnknown: false,
    });
    expect(map(format, { msg_id: 3003, device_info, data: { uptime: 4 } })).to.deep.equal({
      outcome: 'ignored',
      reason: 'root /msg_id is none of: 3004',
    });
  });

  it('moko-mkgw: uptime in the field that later holds the time', () => {
    const format = compileFormat({
      name: 'moko-mkgw',
      decode: 'json',
      rules: [
        {
          each: '/data/*',
          only: [{ root: '/msg_id', in: [3070] }],
          fields: {
            tag_type: ble,
            value: [{ item: '/mac', transform: ['mac'] }],
            observed_at: [{ item: '/timestamp', transform: [{ epoch: 'auto' }] }],
            reader: [{ parent: '/device_info/mac', transform: ['mac'] }],
          },
        },
      ],
    });
    const scan = (timestamp: unknown) => ({ mac: 'eec500020001', timestamp, rssi: -83 });
    const report = {
      msg_id: 3070,
      device_info: { mac: 'd48c49f70001' },
      data: [scan(1017), scan(1_780_625_164_256)],
    };
    const reads = readsOf(map(format, report));
    expect(reads.map((read) => read.deviceTime)).to.deep.equal([null, micros('2026-06-05T02:06:04.256Z')]);
    expect(reads[0]?.reader).to.equal('D48C49F70001');
    expect(map(format, { ...report, msg_id: 3004 })).to.include({ outcome: 'ignored' });
  });

  it('ingics: lines of separated fields, also wrapped in JSON', () => {
    const format = compileFormat({
      name: 'ingics',
      decode: ['json', 'lines'],
      rules: [
        {
          each: ['/data/*', '/*'],
          split: ',',
          only: [{ item: '/0', in: ['$GPRP'] }],
          fields: {
            tag_type: ble,
            value: [
              { identity: 'mac', item: '/1', transform: ['mac'] },
              { identity: 'ibeacon', item: '/4', transform: ['ibeacon'] },
            ],
            rssi: [{ item: '/3' }],
            observed_at: [{ item: '/5', transform: [{ epoch: 's' }] }],
            reader: [{ item: '/2', transform: ['mac'] }],
          },
        },
      ],
    });
    const timed =
      '$GPRP,0081F9889BF9,DB024BFC4863,-44,02010612FF0D0083BC200120AAAAFFFF000002070000,1604900604';
    const read = {
      tagType: 'ble',
      value: '0081F9889BF9',
      antenna: 1,
      rssi: -44,
      deviceTime: micros('2020-11-09T05:43:24Z'),
      reader: 'DB024BFC4863',
      reportUnknown: false,
    };
    const untimed = timed.slice(0, timed.lastIndexOf(','));
    expect(readsOf(map(format, timed))).to.deep.equal([read]);
    expect(readsOf(map(format, `${timed}\r\n${untimed}\r\n\r\n`))).to.deep.equal([
      read,
      { ...read, deviceTime: null },
    ]);
    expect(readsOf(map(format, { data: [timed, timed] }))).to.deep.equal([read, read]);
    expect(
      outcomesOf(map(format, `$HBRP,DB024BFC4863,DB024BFC4863,-127,00000000\n${timed}\n$GPRP,zz`)),
    ).to.deep.equal([
      'ignored: item /0 is none of: $GPRP',
      'read ble 0081F9889BF9',
      'rejected: value "zz" (item /1) is not of the kind that the format expects',
    ]);
  });

  it('edgex-llrp: base64 in one of two places, microseconds, nulls for what is not there', () => {
    const format = compileFormat({
      name: 'edgex-llrp',
      decode: 'json',
      rules: [
        {
          each: '/TagReportData/*',
          fields: {
            tag_type: rfid,
            value: [
              { item: '/EPC96/EPC', transform: ['base64-to-hex'] },
              { item: '/EPCData/EPC', transform: ['base64-to-hex'] },
            ],
            antenna: [{ item: '/AntennaID' }],
            rssi: [{ item: '/PeakRSSI' }],
            observed_at: [
              { item: '/LastSeenUTC', transform: [{ epoch: 'us' }] },
              { item: '/FirstSeenUTC', transform: [{ epoch: 'us' }] },
            ],
          },
        },
      ],
    });
    const tag = {
      EPCData: { EPCNumBits: 0, EPC: null },
      EPC96: { EPC: 'MACrze8AAAAAAAAD' },
      AntennaID: 1,
      PeakRSSI: -48,
      ChannelIndex: null,
      FirstSeenUTC: 1_594_174_805_140_192,
      LastSeenUTC: null,
    };
    const reads = readsOf(
      map(format, { TagReportData: [tag, { ...tag, LastSeenUTC: 1_594_174_805_140_193 }] }),
    );
    expect(reads[0]).to.include({ value: '3000ABCDEF00000000000003', antenna: 1, rssi: -48, reader: null });
    expect(reads.map((read) => read.deviceTime)).to.deep.equal([
      1_594_174_805_140_192, 1_594_174_805_140_193,
    ]);
  });

  it('impinj-smartreader: heartbeats that pretend to be tags', () => {
    const format = compileFormat({
      name: 'impinj-smartreader',
      decode: 'json',
      rules: [
        {
          each: '/tag_reads/*',
          only: [
            { item: '/epc', not: ['*****'] },
            { item: '/isHeartBeat', not: [true, 'true', 'True'] },
          ],
          fields: {
            tag_type: rfid,
            value: [{ item: '/epc', transform: ['hex'] }],
            observed_at: [{ item: '/firstSeenTimestamp', transform: [{ epoch: 'us' }] }],
            reader: [{ parent: '/readerName' }],
          },
        },
      ],
    });
    const reads = [
      { epc: '*****' },
      { epc: 'E280', isHeartBeat: 'true' },
      { epc: 'E280', isHeartBeat: true },
    ];
    const mapped = map(format, {
      readerName: 'r',
      tag_reads: [...reads, { epc: 'E280', isHeartBeat: false }],
    });
    expect(outcomesOf(mapped)).to.deep.equal([
      'ignored: item /epc is one of: *****',
      'ignored: item /isHeartBeat is one of: true, true, True',
      'ignored: item /isHeartBeat is one of: true, true, True',
      'read rfid E280',
    ]);
  });

  it('zebra-rfd40: tags and barcodes in one message, the reader in the topic', () => {
    const format = compileFormat({
      name: 'zebra-rfd40',
      decode: 'json',
      rules: [
        {
          each: '/data/tagData/*',
          fields: {
            tag_type: rfid,
            value: [{ item: '/EPCid', transform: ['hex'] }],
            rssi: [{ item: '/peakRssi' }],
            observed_at: [{ root: '/timestamp', transform: ['rfc3339'] }],
            reader: [{ topic: -1 }],
          },
        },
        {
          each: '/data/barcodeData/*',
          fields: {
            tag_type: [{ const: 'barcode' }],
            value: [{ item: '/decodedBarcode' }],
            reader: [{ topic: -1 }],
          },
        },
      ],
    });
    const tagData = [{ EPCid: 'e280', peakRssi: -40 }];
    const barcodeData = [{ decodedBarcode: '0123 4', symbology: 'CODE128' }];
    const timestamp = '2026-02-24T10:14:42.851-0600';
    const mapped = map(format, { timestamp, data: { tagData, barcodeData } }, 'sleds/rfd40-12');
    expect(outcomesOf(mapped)).to.deep.equal(['read rfid E280', 'read barcode 0123 4']);
    expect(readsOf(mapped)[0]).to.include({
      deviceTime: micros('2026-02-24T16:14:42.851Z'),
      reader: 'rfd40-12',
    });
    expect(outcomesOf(map(format, { timestamp, data: { barcodeData } }))).to.deep.equal([
      'read barcode 0123 4',
    ]);
    expect(map(format, { timestamp, data: {} })).to.include({ outcome: 'ignored' });
  });
});
