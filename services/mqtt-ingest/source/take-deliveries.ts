import { messageOf } from '../../../base/errors.ts';
import type { Intake } from '../intake/intake.ts';
import type { Delivery } from './broker-connection.ts';
import type { HeldMessages } from './held-messages.ts';
import { isStatusTopic } from './status.ts';

export interface DeliveryOptions {
  intake: Intake;
  held: HeldMessages;
  /** When it aborts, nothing more is taken; what comes is left unacknowledged, so that it comes again. */
  stopping: AbortSignal;
  onReceived(topic: string): void;
  onCommitted(): void;
  /** A message that was received is done with, committed or not. */
  onDone(): void;
  /** Told of a message that could not be recorded, although the database is there. */
  onFault(error: unknown, topic: string): void;
}

/** What a connection does with a message: waits for room, hands it to the intake, acknowledges it when committed. */
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
