import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { expect } from 'chai';
import { DeliveryGate } from '../../../../services/mqtt-ingest/source/queues/queue-connection.ts';

describe('the gate before the room for messages', () => {
  it('hands on in order, one at a time, and reads nothing while one waits', () => {
    const { stream, received } = reader();
    const taken: number[] = [];
    let proceed = () => {};
    const gate = new DeliveryGate<number>(stream, (delivery, onRoom) => {
      taken.push(delivery);
      proceed = onRoom;
      return delivery !== 2;
    });
    stream.push('a');
    for (const delivery of [1, 2, 3, 4]) {
      gate.pass(delivery);
    }
    expect([taken, gate.isShut]).to.deep.equal([[1, 2], true]);
    stream.emit('readable');
    expect(received()).to.equal('');
    proceed();
    expect([taken, gate.isShut]).to.deep.equal([[1, 2, 3, 4], false]);
    expect(received()).to.equal('a');
  });

  it('stays shut if the next one has to wait, too', () => {
    const { stream, received } = reader();
    const waiting: (() => void)[] = [];
    const gate = new DeliveryGate<number>(stream, (_, onRoom) => {
      waiting.push(onRoom);
      return false;
    });
    stream.push('a');
    gate.pass(1);
    gate.pass(2);
    waiting.shift()?.();
    expect([waiting.length, gate.isShut, received()]).to.deep.equal([1, true, '']);
    waiting.shift()?.();
    expect([gate.isShut, received()]).to.deep.equal([false, 'a']);
  });
});

/** Reads as the AMQP client does: all there is, whenever it is told that there is something. */
function reader(): { stream: Socket; received(): string } {
  const stream = new Duplex({ read: () => {}, write: () => {} }) as unknown as Socket;
  let received = '';
  stream.on('readable', () => {
    for (let bytes = stream.read(); bytes !== null; bytes = stream.read()) {
      received += bytes;
    }
  });
  return { stream, received: () => received };
}
