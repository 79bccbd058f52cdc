import type { WholeRule } from '../../api/rule.ts';
import { useNames } from '../../api/use-names.ts';
import { texts } from '../../texts/texts.ts';
import { ruleWords, selectionWords } from './rule-words.ts';

/** A rule in words, for who may not change it. */
export function RuleSummary({ rule, names }: { rule: WholeRule; names: ReadonlyMap<string, string> }) {
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
