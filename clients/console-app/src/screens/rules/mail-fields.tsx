import { useRead } from '../../api/use-read.ts';
import { faultOf } from '../../parts/problem-text.ts';
import { texts } from '../../texts/texts.ts';
import { CheckList } from './check-list.tsx';
import type { DraftFields } from './rule-draft.ts';

interface Member {
  id: number;
  email: string;
  name: string;
}

/** Which members get an e-mail. */
export function MailFields({ draft, problem, onChange }: DraftFields) {
  const t = texts.value.rules;
  const { answer } = useRead<{ data: readonly Member[] }>('/users', { limit: 200 });
  return (
    <CheckList
      legend={t.mail}
      hint={t.mailHint}
      fault={faultOf(problem, 'mail_to')}
      choices={(answer?.data ?? []).map(({ email, name }) => ({ value: email, word: `${name} · ${email}` }))}
      chosen={draft.mailTo}
      onChosen={(mailTo) => onChange({ mailTo })}
    />
  );
}
