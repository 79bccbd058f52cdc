import type { ChannelModel } from 'amqplib';

const NOT_FOUND = 404;

/**
 * Declares a queue that is not there: replicated, with one active consumer at a time.
 *
 * @returns whether it was there. It is then left as it is, whatever its arguments.
 */
export async function ensureQueue(model: ChannelModel, queue: string): Promise<boolean> {
  const checking = await model.createChannel();
  checking.on('error', () => {});
  try {
    await checking.checkQueue(queue);
    await checking.close();
    return true;
  } catch (error) {
    // The broker has closed the channel.
    if ((error as { code?: number }).code !== NOT_FOUND) {
      throw error;
    }
  }
  const declaring = await model.createChannel();
  declaring.on('error', () => {});
  await declaring.assertQueue(queue, { durable: true, arguments: argumentsOf(model) });
  await declaring.close();
  return false;
}

function argumentsOf({ connection }: ChannelModel): Record<string, unknown> {
  const major = Number.parseInt(connection.serverProperties.version, 10);
  return {
    'x-queue-type': 'quorum',
    'x-single-active-consumer': true,
    // From 4.0 on a message is dropped that was delivered twenty times: by kills during an outage.
    ...(major >= 4 ? { 'x-delivery-limit': -1 } : {}),
  };
}
