import { expect } from 'chai';
import { builtin, map, micros, outcomesOf, readsOf } from '../../../support/mapping.ts';

describe('the format csl-cs463', () => {
  const format = builtin('csl-cs463');
  const tag = {
    epc: '712AC12F1007000000330011',
    timeStampOfRead: 1_780_591_822_281_001,
    antennaPort: 1,
    rssi: '-70',
  };
  const report = (...tags: unknown[]) => ({
    sequenceNumber: 0,
    rfidReaderName: 'dock-2',
    numberOfTags: tags.length,
    tags,
  });
  const read = {
    tagType: 'rfid',
    value: '712AC12F1007000000330011',
    antenna: 1,
    rssi: -70,
    deviceTime: 1_780_591_822_281_001,
    reader: 'dock-2',
    reportUnknown: true,
    unusable: null,
  };

  it('reads the tags of a report, to the microsecond', () => {
    expect(readsOf(map(format, report(tag, tag)))).to.deep.equal([read, read]);
    expect(read.deviceTime).to.equal(micros('2026-06-04T16:50:22.281001Z'));
  });

  it('reads the short form, which has only the tags', () => {
    expect(readsOf(map(format, { tags: [tag] }))).to.deep.equal([{ ...read, reader: null }]);
  });

  it('reads several reports in an array', () => {
    expect(readsOf(map(format, [report(tag), report(tag)]))).to.deep.equal([read, read]);
    expect(readsOf(map(format, []))).to.deep.equal([]);
  });

  it('maps a report without tags in it to no items', () => {
    expect(readsOf(map(format, report()))).to.deep.equal([]);
  });

  it('reads quoted numbers and lower-case digits', () => {
    const odd = {
      epc: '712ac12f1007000000330011',
      timeStampOfRead: '1780591822281001',
      antennaPort: '4',
      rssi: -70.5,
    };
    expect(readsOf(map(format, report(odd)))).to.deep.equal([{ ...read, antenna: 4, rssi: -70.5 }]);
  });

  it('does without antenna, signal strength and time', () => {
    const bare = { epc: tag.epc, rssi: 'n/a', timeStampOfRead: 81_002_345 };
    expect(readsOf(map(format, report(bare)))).to.deep.equal([
      {
        ...read,
        antenna: null,
        rssi: null,
        deviceTime: null,
        unusable: { rssi: 'n/a', unsetClock: 81_002_345 },
      },
    ]);
  });

  it('rejects an element without a usable EPC, and keeps its neighbours', () => {
    const mapped = map(
      format,
      report(
        tag,
        {},
        { ...tag, epc: null },
        { ...tag, epc: '' },
        { ...tag, epc: 300_833 },
        'E280',
        null,
        tag,
      ),
    );
    expect(outcomesOf(mapped)).to.deep.equal([
      'read rfid 712AC12F1007000000330011',
      'rejected: no value (nothing at item /epc)',
      'rejected: no value (nothing at item /epc)',
      'rejected: value "" (item /epc) is not of the kind that the format expects',
      'rejected: value 300833 (item /epc) is not of the kind that the format expects',
      'rejected: no value (nothing at item /epc)',
      'rejected: no value (nothing at item /epc)',
      'read rfid 712AC12F1007000000330011',
    ]);
  });

  it('ignores a status message, which has no tags', () => {
    expect(map(format, { sequenceNumber: 1, rfidReaderName: 'dock-2', status: 'idle' })).to.deep.equal({
      outcome: 'ignored',
      reason: 'nothing at /tags/* or /*/tags/*',
    });
    for (const payload of [{ tags: null }, { tags: 'none' }, [{ status: 'idle' }], [tag]]) {
      expect(map(format, payload)).to.include({ outcome: 'ignored' });
    }
  });

  it('rejects a message that is no report at all', () => {
    for (const payload of ['', '7', 'null', '"tags"', 'offline', '{"tags":[']) {
      expect(map(format, payload)).to.include({ outcome: 'rejected' });
    }
  });
});
