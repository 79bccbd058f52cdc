import { expect } from 'chai';
import {
  newSecretsKey,
  openSecret,
  parseSecretsKeys,
  type SecretsKeys,
  sealSecret,
  WrongSecretsKey,
} from '../../../../domain/webhooks/secrets/secrets-key.ts';

describe('a secret in the database', () => {
  const owner = { orgId: 1, webhookId: 2 };
  const secret = Buffer.from('the secret of a webhook');
  const [first, second] = [newSecretsKey(), newSecretsKey()];
  const keysOf = (text: string) => parseSecretsKeys(text) as SecretsKeys;

  it('is read with the key it was encrypted with, also after that was replaced', () => {
    const sealed = sealSecret(keysOf(first), owner, secret);
    expect(openSecret(keysOf(first), owner, sealed)).to.deep.equal(secret);
    expect(openSecret(keysOf(`${second}, ${first}`), owner, sealed)).to.deep.equal(secret);
    expect(sealSecret(keysOf(`${second},${first}`), owner, secret).keyId).not.to.equal(sealed.keyId);
  });

  it('is not read with another key, of another webhook, or after it was changed', () => {
    const sealed = sealSecret(keysOf(first), owner, secret);
    expect(() => openSecret(keysOf(second), owner, sealed)).to.throw(WrongSecretsKey, 'SECRETS_KEY');
    expect(() => openSecret(keysOf(first), { orgId: 1, webhookId: 3 }, sealed)).to.throw(WrongSecretsKey);
    const changed = Buffer.from(sealed.sealed);
    changed.writeUInt8(changed.readUInt8(changed.length - 1) ^ 1, changed.length - 1);
    expect(() => openSecret(keysOf(first), owner, { ...sealed, sealed: changed })).to.throw(WrongSecretsKey);
  });

  it('is encrypted anew each time, and holds nothing of the secret', () => {
    const one = sealSecret(keysOf(first), owner, secret);
    const other = sealSecret(keysOf(first), owner, secret);
    expect(one.sealed.equals(other.sealed)).to.equal(false);
    expect(one.sealed.includes(secret)).to.equal(false);
  });

  it('takes for keys what is 32 bytes of base64, and nothing else', () => {
    const odd = Buffer.alloc(31).toString('base64');
    const long = Buffer.alloc(33).toString('base64');
    // Its last bits are set, so that it decodes to a key that is written differently.
    const untidy = `${'A'.repeat(42)}B=`;
    for (const text of ['', 'secret', odd, long, untidy, `${first},`, `${first},x`]) {
      expect(parseSecretsKeys(text), text).to.equal(undefined);
    }
    expect(keysOf(first.slice(0, -1))).to.deep.equal(keysOf(first));
  });
});
