import { createClient } from '@redis/client';
import { messageOf } from '../../../base/errors.ts';
import { type Finding, ok, warning } from '../../../domain/health/finding.ts';

/** Milliseconds. */
const PATIENCE = 5_000;

export async function examineRedis(url: string): Promise<Finding> {
  const { host } = new URL(url);
  const client = createClient({
    url,
    socket: { connectTimeout: PATIENCE, reconnectStrategy: false },
    disableOfflineQueue: true,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.ping();
    return ok('rate limits', `Shared through ${host}`);
  } catch (error) {
    return warning(
      'rate limits',
      `${host} cannot be reached, so that every API process counts alone: ${messageOf(error)}`,
      'Start Redis or Valkey, or correct REDIS_URL',
    );
  } finally {
    client.destroy();
  }
}
