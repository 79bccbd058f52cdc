import { Select } from '../../parts/field.tsx';
import { go, hrefWith } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';
import { SPANS } from './spans.ts';
import { TimeField } from './time-field.tsx';
import type { ReportWindow } from './use-report-window.ts';

/** A window by name, or from when to when. */
export function WindowFilter({ window: { span, from, to } }: { window: ReportWindow }) {
  const t = texts.value.reports;
  return (
    <>
      <Select
        label={t.window}
        value={span ?? 'own'}
        options={[
          ...SPANS.map((value) => ({ value, word: t.spans[value] })),
          { value: 'own' as const, word: t.spans.own },
        ]}
        onValue={(chosen) =>
          go(
            hrefWith(
              chosen === 'own'
                ? { span: null, from, to, page: null }
                : { span: chosen, from: null, to: null, page: null },
            ),
          )
        }
      />
      {span === null && (
        <>
          <TimeField name="from" label={t.from} />
          <TimeField name="to" label={t.to} />
        </>
      )}
    </>
  );
}
