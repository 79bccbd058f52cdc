import { expect } from 'chai';
import {
  type BrokerConnection,
  type Delivery,
  NoAnswer,
  openConnection,
  VersionRefused,
} from '../../../services/mqtt-ingest/source/broker-connection.ts';
import type { ProtocolVersion } from '../../../services/mqtt-ingest/source/protocol-version.ts';
import { until } from '../../support/subscribed-ingest.ts';
import { type BrokerSide, ScriptedBroker } from './scripted-broker.ts';

/**
 * What is relied on of the client library and is not documented. Where one of these fails with another version of it,
 * messages may be acknowledged that are not committed.
 */
for (const protocolVersion of [4, 5] as const) {
  describe(`a connection to a broker, of version ${protocolVersion} of the protocol`, () => {
    let broker: ScriptedBroker;
    const connections: BrokerConnection[] = [];
    let deliveries: Delivery[];
    let holds: (delivery: Delivery) => boolean;

    beforeEach(async () => {
      broker = await ScriptedBroker.start({ grant: (filter) => (filter === 'unanswered' ? null : 1) });
      deliveries = [];
      holds = () => false;
    });
    afterEach(async () => {
      await broker.stop();
      await Promise.all(connections.splice(0).map(({ ended }) => ended));
    });

    const open = async (keepalive = 60): Promise<[BrokerConnection, BrokerSide]> => {
      const connection = await openConnection({
        ...optionsFor(broker.port, protocolVersion),
        keepalive,
        onDelivery: (delivery) => {
          deliveries.push(delivery);
          if (holds(delivery)) {
            return false;
          }
          delivery.proceed();
          return true;
        },
      });
      connections.push(connection);
      const side = broker.connections.at(-1);
      if (side === undefined) {
        throw new Error('nobody connected');
      }
      return [connection, side];
    };
    const publish = (side: BrokerSide, messageId: number, qos: 0 | 1 = 1) =>
      side.send({
        cmd: 'publish',
        topic: 'site/portal',
        payload: Buffer.from(String(messageId)),
        qos,
        dup: false,
        retain: false,
        ...(qos === 0 ? {} : { messageId }),
      });
    const delivered = (count: number) => until(() => deliveries.length >= count);
    /** What was sent before a subscription has arrived when that has been answered. */
    const settled = (connection: BrokerConnection) => connection.subscribe(['barrier']);

    it('asks for a session that lasts, with a will', async () => {
      const [, side] = await open();
      const [connect] = side.received;
      expect(connect).to.deep.include({ cmd: 'connect', clientId: 'ingest', clean: false, protocolVersion });
      expect(connect).to.have.nested.property('will.topic', 'status');
      expect(connect).to.have.nested.property('will.retain', true);
      if (protocolVersion === 5) {
        expect(connect).to.have.nested.property('properties.receiveMaximum', 100);
        expect(connect).to.have.nested.property('properties.sessionExpiryInterval', 3_600);
      }
    });

    it('takes further messages while none is acknowledged', async () => {
      const [connection, side] = await open();
      for (let id = 1; id <= 100; id++) {
        publish(side, id);
      }
      await delivered(100);
      await settled(connection);
      expect(side.acknowledged()).to.deep.equal([]);
    });

    it('acknowledges first in first out, whichever is committed first', async () => {
      const [connection, side] = await open();
      for (const id of [11, 12, 13, 14]) {
        publish(side, id);
      }
      await delivered(4);
      for (const index of [1, 2, 0]) {
        deliveries[index]?.acknowledge();
      }
      await side.sent('puback', 3);
      await settled(connection);
      expect(side.acknowledged()).to.deep.equal([11, 12, 13]);
    });

    it('lets one that takes long hold up no acknowledgement of others', async () => {
      const [connection, side] = await open();
      for (const id of [11, 12, 13]) {
        publish(side, id);
      }
      await delivered(3);
      deliveries[1]?.acknowledge();
      await side.sent('puback', 1);
      deliveries[2]?.acknowledge();
      await side.sent('puback', 2);
      deliveries[0]?.acknowledge();
      await side.sent('puback', 3);
      await settled(connection);
      expect(side.acknowledged()).to.deep.equal([12, 13, 11]);
    });

    it('takes a message of QoS 0, which is not acknowledged and holds up no other', async () => {
      const [connection, side] = await open();
      publish(side, 0, 0);
      publish(side, 1);
      await delivered(2);
      deliveries[0]?.acknowledge();
      deliveries[1]?.acknowledge();
      await side.sent('puback', 1);
      await settled(connection);
      expect(side.acknowledged()).to.deep.equal([1]);
    });

    it('never acknowledges on a later connection what an earlier one brought', async () => {
      const [first, before] = await open();
      publish(before, 7);
      await delivered(1);
      before.end();
      await first.ended;
      const [second, after] = await open();
      publish(after, 7);
      await delivered(2);
      deliveries[0]?.acknowledge();
      await new Promise(setImmediate);
      await settled(second);
      expect(after.acknowledged()).to.deep.equal([]);
      deliveries[1]?.acknowledge();
      await after.sent('puback', 1);
      expect(after.acknowledged()).to.deep.equal([7]);
    });

    it('says for how long the broker was not heard', async () => {
      const [connection, side] = await open();
      await until(() => connection.quietFor() > 1_000);
      await until(() => {
        publish(side, 1, 0);
        return connection.quietFor() < 1_000;
      });
    });

    it('is alive, and answers pings, while messages wait for their commit far longer than the keepalive', async () => {
      const [connection, side] = await open(1);
      publish(side, 1);
      await delivered(1);
      await side.sent('pingreq', 4);
      deliveries[0]?.acknowledge();
      await side.sent('puback', 1);
      await settled(connection);
      expect(side.acknowledged()).to.deep.equal([1]);
    });

    it('reads nothing while a message waits for room, and lives on far longer than the keepalive', async () => {
      const [connection, side] = await open(1);
      holds = ({ message }) => message.payload.toString() === '1';
      for (const id of [1, 2, 3]) {
        publish(side, id);
      }
      await delivered(1);
      // Twice a second; the library itself gives a connection up one and a half seconds after the last answer.
      await side.sent('pingreq', 8);
      expect(deliveries).to.have.lengthOf(1);
      deliveries[0]?.proceed();
      await delivered(3);
      for (const delivery of deliveries) {
        delivery.acknowledge();
      }
      await side.sent('puback', 3);
      await settled(connection);
      expect(side.acknowledged()).to.deep.equal([1, 2, 3]);
    });

    it('ends when a message cannot be recorded, and acknowledges neither it nor what came after it', async () => {
      const [connection, side] = await open();
      for (const id of [1, 2]) {
        publish(side, id);
      }
      await delivered(2);
      deliveries[0]?.fail(new Error('a fault'));
      deliveries[1]?.acknowledge();
      expect(await connection.ended).to.have.property('message', 'a fault');
      expect(side.acknowledged()).to.deep.equal([]);
    });

    it('says goodbye without waiting for what the broker never answered', async () => {
      const [connection, side] = await open();
      const unanswered = connection.subscribe(['unanswered']).catch((error: unknown) => error);
      await side.sent('subscribe', 1);
      await connection.close();
      expect(side.received.at(-1)).to.have.property('cmd', 'disconnect');
      expect(await unanswered).to.be.instanceOf(Error);
    });

    it('sends what is due before its goodbye', async () => {
      const [connection, side] = await open();
      publish(side, 1);
      await delivered(1);
      deliveries[0]?.acknowledge();
      connection.publishRetained('status', 'offline');
      await connection.close();
      await side.sent('disconnect', 1);
      expect(side.received.map(({ cmd }) => cmd)).to.have.ordered.members([
        'connect',
        'publish',
        'puback',
        'disconnect',
      ]);
    });
  });
}

describe('a connection that a broker refuses', () => {
  let broker: ScriptedBroker;
  afterEach(() => broker.stop());
  const faultOf = (protocolVersion: ProtocolVersion) =>
    openConnection({ ...optionsFor(broker.port, protocolVersion), onDelivery: () => true }).then(
      () => null,
      (error: unknown) => error,
    );

  it('is told apart where the version is at fault', async () => {
    broker = await ScriptedBroker.start({
      connack: () => ({
        cmd: 'connack',
        returnCode: 1,
        reasonCode: 132,
        sessionPresent: false,
      }),
    });
    expect(await faultOf(4)).to.be.instanceOf(VersionRefused);
    expect(await faultOf(5)).to.be.instanceOf(VersionRefused);
  });

  it('is told apart where the broker says nothing', async () => {
    broker = await ScriptedBroker.start({ connack: () => null });
    expect(await faultOf(5)).to.be.instanceOf(NoAnswer);
  });

  it('says why otherwise', async () => {
    broker = await ScriptedBroker.start({
      connack: () => ({
        cmd: 'connack',
        returnCode: 5,
        reasonCode: 135,
        sessionPresent: false,
      }),
    });
    expect(await faultOf(4))
      .to.have.property('message')
      .that.includes('Not authorized');
    expect(await faultOf(5))
      .to.have.property('message')
      .that.includes('Not authorized');
  });
});

function optionsFor(port: number, protocolVersion: ProtocolVersion) {
  return {
    address: { protocol: 'mqtt' as const, host: '127.0.0.1', port },
    clientId: 'ingest',
    protocolVersion,
    keepalive: 60,
    sessionExpiry: 3_600,
    receiveMaximum: 100,
    will: { topic: 'status', payload: 'offline' },
    signal: new AbortController().signal,
  };
}
