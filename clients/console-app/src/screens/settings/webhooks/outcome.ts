import { texts } from '../../../texts/texts.ts';

/** The receiver's answer, or why there was none. */
export function outcomeOf({ status, error }: { status: number | null; error: string | null }): string {
  const t = texts.value.webhooks;
  if (error !== null) {
    return error;
  }
  return status === null ? t.noAnswer : t.answered(status);
}
