import { useLayoutEffect, useState } from 'preact/hooks';
import { patch } from '../../api/send.ts';
import { useAction } from '../../api/use-action.ts';
import { CardForm } from '../../parts/card-form.tsx';
import { Field } from '../../parts/field.tsx';
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
  const action = useAction();
  const { problem } = action;
  const rename = async () => {
    await patch('/organization', { name });
    noteOrganizationName(id, name);
    toast(texts.value.common.saved);
  };
  return (
    <div class="cards">
      <CardForm
        title={t.sections.organization}
        submit={texts.value.common.save}
        action={action}
        shown={['name']}
        isReady={name !== present}
        onSubmit={rename}
      >
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
      </CardForm>
    </div>
  );
}
