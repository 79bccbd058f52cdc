import { expect } from 'chai';
import { generate, type Packet, parser } from 'mqtt-packet';
import { pubacks } from '../../../services/mqtt-ingest/source/broker-connection.ts';

const IDS = [1, 2, 255, 256, 4_000, 65_535];

describe('acknowledgements to a broker', () => {
  it('are byte for byte those of MQTT 3.1.1', () => {
    const wanted = IDS.map((messageId) => generate({ cmd: 'puback', messageId }, { protocolVersion: 4 }));
    expect(pubacks(IDS)).to.deep.equal(Buffer.concat(wanted));
  });

  it('say success in MQTT 5, each of its message', () => {
    const heard: Packet[] = [];
    const listener = parser({ protocolVersion: 5 });
    listener.on('packet', (packet) => heard.push(packet));
    listener.parse(pubacks(IDS));
    expect(heard.map(({ cmd, messageId }) => ({ cmd, messageId }))).to.deep.equal(
      IDS.map((messageId) => ({ cmd: 'puback', messageId })),
    );
    expect(heard.every((packet) => packet.cmd === 'puback' && (packet.reasonCode ?? 0) === 0)).to.equal(true);
  });
});
