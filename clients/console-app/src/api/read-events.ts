import { ApiError } from './api-error.ts';

export interface SentEvent {
  event: string;
  data: unknown;
}

/**
 * The server-sent events of an answer, up to its end: those of a request that an `EventSource` cannot make.
 *
 * @throws ApiError `offline` if it breaks off.
 */
export async function* readEvents(response: Response): AsyncGenerator<SentEvent, void> {
  let text = '';
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const piece = await reader?.read().catch((error: unknown) => {
      throw new ApiError(0, 'offline', String(error));
    });
    if (piece === undefined || piece.done) {
      return;
    }
    const blocks = (text + piece.value).split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const [, event] = /^event: (.*)$/m.exec(block) ?? [];
      const [, data] = /^data: (.*)$/m.exec(block) ?? [];
      if (event !== undefined && data !== undefined) {
        yield { event, data: JSON.parse(data) };
      }
    }
  }
}
