import { type Networks, parseNetworks } from '../../../base/networks.ts';
import { parseSecretsKeys, type SecretsKeys } from '../../../domain/webhooks/secrets/secrets-key.ts';
import type { Setting } from '../../../platform/runtime/settings.ts';

const SECRETS_KEY: Setting<SecretsKeys | null> = {
  purpose: 'the key that the secrets of webhooks are encrypted with; without it there are no webhooks',
  initial: null,
  absent: null,
  remedy: '32 random bytes in base64 (openssl rand -base64 32), and after a comma those it has replaced',
  isSecret: true,
  read: parseSecretsKeys,
};

const WEBHOOK_NETWORKS: Setting<Networks> = {
  purpose: 'networks that webhooks may reach although they are not public: CIDR blocks, with commas between',
  initial: null,
  absent: [],
  remedy: 'CIDR blocks such as 10.20.0.0/16,fd12:3456::/48',
  read: parseNetworks,
};

export const WEBHOOK_SETTINGS = { SECRETS_KEY, WEBHOOK_NETWORKS };
