/**
 * Delivers webhooks as a process of its own, to be killed: `node deliverer-process.ts`, with DATABASE_URL and SECRETS_KEY.
 * Others take over from it sooner than from the API, and no receiver is away for so long that an event has to wait for
 * minutes.
 */
import { parseSecretsKeys, type SecretsKeys } from '../../domain/webhooks/secrets/secrets-key.ts';
import { startDeliverer } from '../support/webhooks.ts';

const { DATABASE_URL: url = '', SECRETS_KEY: key = '' } = process.env;

await startDeliverer(
  { url },
  {
    keys: parseSecretsKeys(key) as SecretsKeys,
    lease: 3,
    ladder: Array<number>(300).fill(0.5),
  },
);
process.stdout.write('delivering\n');
