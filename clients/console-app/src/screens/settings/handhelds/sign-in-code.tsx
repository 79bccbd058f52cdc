import { isOnlyHere } from '../../../parts/only-here.ts';
import { QrCode } from '../../../parts/qr-code.tsx';
import { SecretNote } from '../../../parts/secret-note.tsx';
import { texts } from '../../../texts/texts.ts';
import type { MadeHandheld } from './new-handheld.tsx';

/** By what a device signs in, shown this once: a code to scan, and the same address beside it. */
export function SignInCode({ handheld: { name, sign_in_url: url, token } }: { handheld: MadeHandheld }) {
  const t = texts.value.handhelds;
  return (
    <div class="sign-in-code">
      <QrCode text={url} label={t.codeOf(name)} />
      <div class="stack">
        <p>{t.scanHint}</p>
        {isOnlyHere(url) && <p class="fault">{t.onlyHere}</p>}
        <SecretNote title={t.addressOf(name)} hint={t.once} secret={url} />
        <SecretNote title={t.tokenOf(name)} hint={t.tokenHint} secret={token} />
      </div>
    </div>
  );
}
