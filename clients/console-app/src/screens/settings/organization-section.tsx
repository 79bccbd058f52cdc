import { useLayoutEffect, useState } from 'preact/hooks';
import { patch } from '../../api/send.ts';
import { useAction } from '../../api/use-action.ts';
import { Field } from '../../parts/field.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { faultOf } from '../../parts/problem-text.ts';
import { toast } from '../../parts/toast.tsx';
import { membership, noteOrganizationName } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';

/** `#/settings/organization`: what it is called. */
export function OrganizationSection() {
  const t = texts.value.settings;
  const { id, name: present } = membership.value?.organization ?? { id: 0, name: '' };
  const [name, setName] = useState(present);
  useLayoutEffect(() => setName(present), [present]);
  const { run, isBusy, problem } = useAction();
  const rename = async () => {
    await patch('/organization', { name });
    noteOrganizationName(id, name);
    toast(texts.value.common.saved);
  };
  return (
    <div class="cards">
      <form
        class="card stack"
        aria-labelledby="organization-title"
        onSubmit={(event) => {
          event.preventDefault();
          void run(rename);
        }}
      >
        <h2 id="organization-title">{t.sections.organization}</h2>
        <Field
          label={t.organizationName}
          hint={t.organizationNameHint}
          name="name"
          required
          maxLength={255}
          value={name}
          fault={faultOf(problem, 'name')}
          onValue={setName}
        />
        {problem !== null && <ProblemNote problem={problem} shown={['name']} />}
        <div class="buttons">
          <button type="submit" class="primary" disabled={isBusy || name === present}>
            {texts.value.common.save}
          </button>
        </div>
      </form>
    </div>
  );
}
