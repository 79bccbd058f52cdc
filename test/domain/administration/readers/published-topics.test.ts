import { expect } from 'chai';
import { publishedOverlap } from '../../../../domain/administration/readers/published-topics.ts';

describe('topics of readers where moves are published', () => {
  const published = [{ prefix: 'acme/track', homeAssistant: 'homeassistant' }];

  for (const topic of [
    'acme/track',
    'acme/track/dock',
    'acme/track/17/assets/A-0/location',
    'acme/track/0/assets/published',
    'acme/track/+',
    'acme/#',
    '#',
    'acme/+/17/assets/+/location',
    '+/+/+/assets/#',
    'homeassistant/sensor/tagtrail-17/asset-1/config',
    'homeassistant/sensor/+/+/config',
    '+/sensor/tagtrail-17/#',
  ]) {
    it(`are not ${topic}`, () => {
      expect(publishedOverlap(topic, published)).to.be.a('string');
    });
  }

  for (const topic of [
    'acme/tracks',
    'acme/+',
    '+/events',
    '+/+/hall/assets/+',
    '+/+/+/reads/+',
    'homeassistant/sensor/rfid/config',
    '+/+/BTtoMQTT/#',
  ]) {
    it(`may be ${topic}`, () => {
      expect(publishedOverlap(topic, published)).to.equal(null);
    });
  }
});
