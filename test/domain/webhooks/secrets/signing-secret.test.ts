import { createSecretKey, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import {
  newSigningSecret,
  shownSecret,
  signatureOf,
} from '../../../../domain/webhooks/secrets/signing-secret.ts';

describe('the signature of a webhook', () => {
  const timestamp = Math.floor(Date.now() / 1_000);
  const signed = { id: 'org-1-17', timestamp, body: '{"name":"Kühlgerät"}' };

  function headersFor(secrets: readonly Buffer[]) {
    return {
      'webhook-id': signed.id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signatureOf(
        secrets.map((secret) => createSecretKey(secret)),
        signed,
      ),
    };
  }

  it('verifies with the reference library, and not with another secret or body', () => {
    const secret = newSigningSecret();
    const headers = headersFor([secret]);
    expect(new Webhook(shownSecret(secret)).verify(signed.body, headers)).to.deep.equal({
      name: 'Kühlgerät',
    });
    expect(() => new Webhook(shownSecret(newSigningSecret())).verify(signed.body, headers)).to.throw();
    expect(() => new Webhook(shownSecret(secret)).verify('{}', headers)).to.throw();
  });

  it('verifies with each of two secrets while a receiver changes over', () => {
    const [fresh, old] = [newSigningSecret(), newSigningSecret()];
    const headers = headersFor([fresh, old]);
    for (const secret of [fresh, old]) {
      expect(new Webhook(shownSecret(secret)).verify(signed.body, headers)).to.be.an('object');
    }
    expect(() => new Webhook(shownSecret(randomBytes(32))).verify(signed.body, headers)).to.throw();
  });
});
