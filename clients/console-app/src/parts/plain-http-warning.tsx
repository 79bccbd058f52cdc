import { Icon } from '../../../ui/parts/icon.tsx';
import { texts } from '../texts/texts.ts';

/** On the machine itself, browsers call plain http secure too. */
export function PlainHttpWarning() {
  if (window.isSecureContext) {
    return null;
  }
  return (
    <div class="note note-problem">
      <Icon name="alert" />
      <p>{texts.value.signIn.plainHttp}</p>
    </div>
  );
}
