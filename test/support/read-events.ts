export interface ReadEvent {
  id: string;
  event: string;
  // biome-ignore lint/suspicious/noExplicitAny: events are looked into
  data: any;
}

/** The events of a stream, one after the other, null at its end; comments are passed over. */
export function readEvents({ body }: Response): () => Promise<ReadEvent | null> {
  const reader = (body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  return async () => {
    for (;;) {
      const end = text.indexOf('\n\n');
      if (end !== -1) {
        const block = text.slice(0, end);
        text = text.slice(end + 2);
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? '';
        if (field('event') !== '') {
          return { id: field('id'), event: field('event'), data: JSON.parse(field('data')) };
        }
        continue;
      }
      const { value, done } = await reader.read();
      if (done) {
        return null;
      }
      text += value;
    }
  };
}
