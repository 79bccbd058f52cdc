import { texts } from '../texts/texts.ts';
/** Which features browsers deny to apps served over plain HTTP, and what to do about it. */
export function PlainHttpNote() {
  if (window.isSecureContext) {
    return null;
  }
  return (
    <section class="advice" aria-label={texts.value.plainHttp.title}>
      <p>{texts.value.plainHttp.says}</p>
    </section>
  );
}
