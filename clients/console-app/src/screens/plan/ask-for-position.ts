import { ApiError } from '../../api/api-error.ts';
import { confirm } from '../../parts/confirm.tsx';
import { texts } from '../../texts/texts.ts';

/**
 * Changes a plan, after a question if position would lose what it needs.
 *
 * @returns null if the user declines.
 */
export async function askForPosition<Answer>(
  send: (isMeant: boolean) => Promise<Answer>,
): Promise<Answer | null> {
  try {
    return await send(false);
  } catch (error) {
    if (!(error instanceof ApiError) || !error.fields.some(({ field }) => field === 'without_position')) {
      throw error;
    }
    const { losesTitle: title, losesBody: body, losesAction: action } = texts.value.plan;
    return (await confirm({ title, body, action, isDangerous: true })) ? send(true) : null;
  }
}
