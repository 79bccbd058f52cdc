import { connectAsync, ErrorWithReasonCode } from 'mqtt';
import { messageOf } from '../../../base/errors.ts';
import { type Finding, fault, ok } from '../../../domain/health/finding.ts';

/** Milliseconds. */
const PATIENCE = 5_000;

export async function examineBroker(url: string): Promise<Finding> {
  const { host } = new URL(url);
  try {
    const client = await connectAsync(url, { connectTimeout: PATIENCE, reconnectPeriod: 0 }, false);
    await client.endAsync();
    return ok('broker', `The broker at ${host} lets us in`);
  } catch (error) {
    const isRefusal = error instanceof ErrorWithReasonCode;
    return fault(
      'broker',
      `The broker at ${host} ${isRefusal ? 'refuses us' : 'cannot be reached'}: ${messageOf(error)}`,
      isRefusal
        ? 'Correct the user and password in MQTT_URL, or the accounts of the broker'
        : 'Start the broker, or correct MQTT_URL',
    );
  }
}
