import { useLayoutEffect, useState } from 'preact/hooks';
import { ApiError } from '../../api/api-error.ts';
import { patch, read, remove } from '../../api/send.ts';
import type { WholeRule } from '../../api/types.ts';
import { useAction } from '../../api/use-action.ts';
import { useNames } from '../../api/use-names.ts';
import { useRead } from '../../api/use-read.ts';
import { confirm } from '../../parts/confirm.tsx';
import { type Edit, rebased, Theirs } from '../../parts/edit.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Instant } from '../../parts/instant.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { toast } from '../../parts/toast.tsx';
import { useLeaveGuard } from '../../parts/use-leave-guard.ts';
import { address, href, leaveFor } from '../../router/router.ts';
import { may } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';
import { changedSettings, draftOf, fieldLabel, fieldText, type RuleDraft, savedAs } from './rule-draft.ts';
import { inFormWords } from './rule-faults.ts';
import { RuleForm } from './rule-form.tsx';
import { ruleWords, selectionWords } from './rule-words.ts';
import { TryOut } from './try-out.tsx';

/** `#/rules/01J…`: the rule; administrators can change and end it. */
export function RulePage({ id }: { id: string }) {
  const t = texts.value.rules;
  const { answer, problem, reload } = useRead<{ data: WholeRule }>(`/rules/${id}`);
  const rule = answer?.data;
  const names = useNames('locations', [rule?.within_location_external_key ?? null]);
  if (rule === undefined) {
    return (
      <div class="page">
        {problem?.status === 404 ? (
          <EmptyState icon="bell" title={t.gone} hint={t.goneHint} isPage>
            <a class="secondary" href={href('rules')}>
              {texts.value.screens.rules}
            </a>
          </EmptyState>
        ) : problem === null ? (
          <p class="loading">{texts.value.shell.loading}</p>
        ) : (
          <ProblemNote problem={problem} onRetry={reload} />
        )}
      </div>
    );
  }
  return (
    <div class="page rules">
      <PageHead
        title={rule.name}
        sub={
          <>
            {t.inForce} <Instant at={rule.valid_from} />
            {rule.ends_at !== null && (
              <>
                , {t.ends} <Instant at={rule.ends_at} />
              </>
            )}
          </>
        }
      >
        <a class="secondary" href={href('alerts', { rule_id: id, state: 'all' })}>
          {t.itsAlerts}
        </a>
      </PageHead>
      {rule.location_deleted_at !== null && (
        <div class="note note-problem" role="status">
          <p>{t.placeGoneHint}</p>
        </div>
      )}
      {may('admin') ? <EditRule rule={rule} /> : <RuleSummary rule={rule} names={names} />}
    </div>
  );
}

function EditRule({ rule }: { rule: WholeRule }) {
  const t = texts.value.rules;
  const [edit, setEdit] = useState(editOf(rule));
  useLayoutEffect(
    () => setEdit((before) => (before.item.version === rule.version ? before : rebased(RULE, before, rule))),
    [rule.version],
  );
  const { draft, item, theirs } = edit;
  const setDraft = (changed: RuleDraft) => setEdit({ ...edit, draft: changed });
  const { run, isBusy, problem } = useAction();
  const path = `/rules/${rule.id}`;
  const kept = draftOf(item);
  const isChanged = JSON.stringify(draft) !== JSON.stringify(kept);
  useLeaveGuard(isChanged, ({ path: to }) => String(to) === String(address.value.path));
  const save = async () => {
    await inFormWords(draft, write(edit, setEdit));
    toast(t.changed);
  };
  const end = async () => {
    const isSure = await confirm({
      title: t.endTitle(rule.name),
      body: t.endBody,
      action: t.end,
      isDangerous: true,
    });
    if (isSure && (await run(() => remove(path)))) {
      leaveFor(href('rules'));
    }
  };
  return (
    <div class="cards">
      <RuleForm
        {...{ draft, problem }}
        isMade
        onDraft={setDraft}
        onSubmit={() => void run(save)}
        theirs={
          <Theirs
            theirs={theirs}
            labelOf={(field) => fieldLabel(field, draft)}
            textOf={fieldText}
            onTake={(taken) => setEdit({ ...edit, draft: { ...draft, ...taken }, theirs: {} })}
          />
        }
      >
        <button type="submit" class="primary" disabled={isBusy || !isChanged}>
          {texts.value.common.save}
        </button>
        {rule.ends_at !== null && (
          <button
            type="button"
            class="secondary"
            disabled={isBusy}
            onClick={() => void run(() => patch(path, { ends_at: null }))}
          >
            {t.goOn}
          </button>
        )}
        <button type="button" class="danger" disabled={isBusy} onClick={() => void end()}>
          {t.end}
        </button>
      </RuleForm>
      <TryOut draft={draft} stored={{ path, kept }} />
    </div>
  );
}

const RULE = { draftOf, savedAs };

function editOf(rule: WholeRule): Edit<WholeRule, RuleDraft> {
  return { item: rule, draft: draftOf(rule), theirs: {} };
}

/** Saves; if somebody else changed it since, merges both changes, unless they collide. */
async function write(
  edit: Edit<WholeRule, RuleDraft>,
  onEdit: (edit: Edit<WholeRule, RuleDraft>) => void,
  tries = 5,
): Promise<void> {
  const { item, draft } = edit;
  const path = `/rules/${item.id}`;
  const changes = { ...changedSettings(draft, draftOf(item)), version: item.version };
  try {
    onEdit(editOf((await patch<{ data: WholeRule }>(path, changes)).data));
  } catch (error) {
    const isConflict = error instanceof ApiError && error.type === 'conflict';
    const { data: newer } = isConflict ? await read<{ data: WholeRule }>(path) : { data: item };
    if (newer.version === item.version || tries === 1) {
      throw error;
    }
    const now = rebased(RULE, edit, newer);
    onEdit(now);
    if (Object.keys(now.theirs).length > 0) {
      throw new ApiError(409, 'conflict', texts.value.rules.changedMeanwhile);
    }
    await write(now, onEdit, tries - 1);
  }
}

/** A rule in words, for users who may not change it. */
function RuleSummary({ rule, names }: { rule: WholeRule; names: ReadonlyMap<string, string> }) {
  const t = texts.value.rules;
  const places = useNames('locations', [rule.location_external_key]);
  const { location_external_key: key, within_location_external_key: within } = rule;
  return (
    <section class="card stack">
      <p class="in-words">{ruleWords(rule, key === null ? null : (places.get(key) ?? key))}</p>
      <dl class="facts">
        <dt>{t.about}</dt>
        <dd>{selectionWords(rule, within === null ? null : (names.get(within) ?? within))}</dd>
        {rule.hours !== null && (
          <>
            <dt>{t.hours}</dt>
            <dd>
              {rule.hours} ({rule.time_zone})
            </dd>
          </>
        )}
        <dt>{t.told}</dt>
        <dd>{rule.mail_count === 0 ? t.nobody : t.people(rule.mail_count)}</dd>
      </dl>
    </section>
  );
}
