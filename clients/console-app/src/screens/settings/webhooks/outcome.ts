import { texts } from '../../../texts/texts.ts';

/** What a receiver answered; or else why it did not. */
export function outcomeOf({ status, error }: { status: number | null; error: string | null }): string {
  const t = texts.value.webhooks;
  if (error !== null) {
    return error;
  }
  return status === null ? t.noAnswer : t.answered(status);
}
