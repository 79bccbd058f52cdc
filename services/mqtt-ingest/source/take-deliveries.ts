import { messageOf } from '../../../base/errors.ts';
import type { Intake } from '../intake/intake.ts';
import type { Delivery } from './broker-connection.ts';
import type { HeldMessages } from './held-messages.ts';
import { isStatusTopic } from './status.ts';

export interface DeliveryOptions {
  intake: Intake;
  held: HeldMessages;
  /** Aborted to stop: deliveries then stay unacknowledged and come again. */
  stopping: AbortSignal;
  onReceived(topic: string): void;
  onCommitted(): void;
  onDone(): void;
  /** Called for a message that could not be recorded although the database is available. */
  onFault(error: unknown, topic: string): void;
}

/** Handles a connection's messages: wait for room, hand over to the intake, acknowledge after the commit. */
export function takeDeliveries(options: DeliveryOptions): (delivery: Delivery) => boolean {
  const { intake, held, stopping, onReceived, onCommitted, onDone, onFault } = options;

  const record = async ({ message, acknowledge, fail }: Delivery): Promise<void> => {
    onReceived(message.topic);
    try {
      await intake.receive(message);
      onCommitted();
      acknowledge();
    } catch (error) {
      if (!stopping.aborted) {
        onFault(error, message.topic);
        fail(new Error(`a message could not be recorded: ${messageOf(error)}`));
      }
    } finally {
      held.leave(message.payload.length);
      onDone();
    }
  };

  return (delivery) => {
    const { message, acknowledge, proceed } = delivery;
    if (stopping.aborted || isStatusTopic(message.topic)) {
      if (!stopping.aborted) {
        acknowledge();
      }
      proceed();
      return true;
    }
    return held.enter(message.payload.length, () => {
      record(delivery);
      proceed();
    });
  };
}
