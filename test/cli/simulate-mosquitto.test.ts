import { expect } from 'chai';
import { commandLineOn } from '../support/command-line.ts';
import { useDatabase } from '../support/database.ts';
import { useMosquitto } from '../support/mosquitto.ts';
import { Site } from '../support/site.ts';

describe('tagtrail simulate at a mosquitto that takes the login for the client id', () => {
  const broker = useMosquitto(() => ['allow_anonymous true', 'use_username_as_clientid true']);
  const database = useDatabase();

  it('says that the readers would end each other, and where to publish instead', async () => {
    const { orgId } = await Site.create(database);
    const url = new URL(broker.url);
    url.username = 'simulator';
    url.password = 'secret';
    const args = ['--org', String(orgId), '--readers', '3', '--duration', '1', '--truth', 'none'];
    const ended = await commandLineOn(() => database, { MQTT_URL: url.href }).tagtrail('simulate', ...args);
    expect(ended.status).to.equal(1);
    expect(ended.stderr).to.include('takes the login in MQTT_URL for the client id');
    expect(ended.stderr).to.include('use_username_as_clientid').and.not.include('secret');
  });
});
