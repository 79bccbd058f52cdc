import { expect } from 'chai';
import {
  areQueueAddresses,
  isAnyNodeOverTls,
  placeOfNode,
  queueAddresses,
} from '../../../services/mqtt-ingest/source/queue-address.ts';
import {
  isRoutable,
  routingKeyOf,
  topicOf,
} from '../../../services/mqtt-ingest/source/queues/queue-connection.ts';

describe('the addresses of queues', () => {
  it('are one or several, with credentials as they were meant, and usual ports', () => {
    const [first, second, third, ...others] = queueAddresses(
      'amqp://dock%40home:a%2Fb@rabbit-1  amqps://u:p@rabbit-2/site%2Fa amqp://[::1]:5673/',
    );
    expect(first).to.deep.equal({
      protocol: 'amqp',
      hostname: 'rabbit-1',
      port: 5672,
      vhost: '/',
      username: 'dock@home',
      password: 'a/b',
    });
    expect(second).to.include({ protocol: 'amqps', port: 5671, vhost: 'site%2Fa' });
    expect(third).to.include({ hostname: '::1', port: 5673, vhost: '/', username: 'guest' });
    expect(others).to.deep.equal([]);
  });

  it('are shown without credentials', () => {
    const shown = queueAddresses('amqp://user:hunter2@rabbit-1 amqps://user:hunter2@[::1]:7/a').map(
      placeOfNode,
    );
    expect(shown).to.deep.equal(['amqp://rabbit-1:5672', 'amqps://[::1]:7/a']);
  });

  it('are nothing else', () => {
    for (const text of ['', ' ', 'rabbit-1', 'mqtt://rabbit-1', 'amqp://a b', 'amqp://', 'amqp://%@host']) {
      expect(areQueueAddresses(text), text).to.equal(false);
    }
    expect(areQueueAddresses('amqp://a amqps://u:p@b:1/c')).to.equal(true);
    expect([isAnyNodeOverTls('amqp://a amqps://b'), isAnyNodeOverTls('amqp://a')]).to.deep.equal([
      true,
      false,
    ]);
  });
});

describe('a routing key', () => {
  it('is the topic, or the filter, as RabbitMQ has it', () => {
    expect(routingKeyOf('site/+/dock/#')).to.equal('site.*.dock.#');
    expect(topicOf('site.1.dock')).to.equal('site/1/dock');
    expect(topicOf(routingKeyOf('/site//dock'))).to.equal('/site//dock');
  });

  it('cannot be of a topic that has its own signs', () => {
    expect(['site/1', 'site/+', '#', 'site.1', 'a*'].map(isRoutable)).to.deep.equal([
      true,
      true,
      true,
      false,
      false,
    ]);
  });

  it('cannot be longer than AMQP lets it be, whatever the letters', () => {
    expect(
      ['a'.repeat(255), 'ä'.repeat(127), 'a'.repeat(256), 'ä'.repeat(128)].map(isRoutable),
    ).to.deep.equal([true, true, false, false]);
  });
});
