import { useState } from 'preact/hooks';
import { RULE_KINDS } from '../../api/rule.ts';
import { post } from '../../api/send.ts';
import { useAction } from '../../api/use-action.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { toast } from '../../parts/toast.tsx';
import { address, go, href, hrefWith, replaceAddress } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';
import { newDraft, settingsOf } from './rule-draft.ts';
import { inFormWords } from './rule-faults.ts';
import { RuleForm } from './rule-form.tsx';
import { TryOut } from './try-out.tsx';

/** `#/rules/new?kind=dwell` */
export function NewRule() {
  const t = texts.value.rules;
  const asked = RULE_KINDS.find((kind) => kind === address.value.query.get('kind'));
  const [draft, setDraft] = useState(newDraft(asked ?? 'overdue'));
  const { run, isBusy, problem } = useAction();
  const make = async () => {
    const { name, ...settings } = settingsOf(draft);
    const { data } = await inFormWords(
      draft,
      post<{ data: { id: string } }>('/rules', name === '' ? settings : { name, ...settings }),
    );
    toast(t.made);
    go(href('rules', data.id));
  };
  return (
    <div class="page rules">
      <PageHead title={t.newTitle} sub={t.newHint} />
      <div class="cards">
        <RuleForm
          draft={draft}
          problem={problem}
          onDraft={(next) => {
            setDraft(next);
            if (next.kind !== draft.kind) {
              replaceAddress(hrefWith({ kind: next.kind }));
            }
          }}
          onSubmit={() => void run(make)}
        >
          <button type="submit" class="primary" disabled={isBusy}>
            {t.make}
          </button>
          <a class="secondary" href={href('rules')}>
            {texts.value.common.cancel}
          </a>
        </RuleForm>
        <TryOut draft={draft} />
      </div>
    </div>
  );
}
