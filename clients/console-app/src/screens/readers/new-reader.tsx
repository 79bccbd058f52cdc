import type { Reader } from '../../api/reader.ts';
import { useRead } from '../../api/use-read.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { address, go, href } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';
import { StepAntennas } from './step-antennas.tsx';
import { StepArrivals } from './step-arrivals.tsx';
import { StepFormat } from './step-format.tsx';
import { StepMake } from './step-make.tsx';

const STEPS = ['make', 'arrivals', 'format', 'antennas'] as const;

type Step = (typeof STEPS)[number];

/** `#/readers/new?reader=7&step=format`: in four steps, of which each has an address and can be come back to. */
export function NewReader() {
  const t = texts.value.readers;
  const { query } = address.value;
  const id = query.get('reader');
  const asked = STEPS.find((step) => step === query.get('step')) ?? 'make';
  const step: Step = id === null ? 'make' : asked;
  const { answer, problem, reload } = useRead<{ data: Reader }>(id === null ? null : `/readers/${id}`);
  const reader = answer?.data;
  const toStep = (next: Step, reader = id) => go(href('readers', 'new', { reader, step: next }));
  return (
    <div class="page new-reader">
      <PageHead title={t.newTitle} {...(reader === undefined ? {} : { sub: reader.name })} />
      <ol class="steps" aria-label={t.stepsLabel}>
        {STEPS.map((each, index) => (
          <li key={each} aria-current={each === step ? 'step' : undefined}>
            {id === null || each === 'make' ? (
              <span>
                {index + 1}. {t.steps[each]}
              </span>
            ) : (
              <a href={href('readers', 'new', { reader: id, step: each })}>
                {index + 1}. {t.steps[each]}
              </a>
            )}
          </li>
        ))}
      </ol>
      {problem !== null && id !== null && <ProblemNote problem={problem} onRetry={reload} />}
      {step === 'make' && <StepMake onNext={(made) => toStep('arrivals', String(made))} />}
      {reader !== undefined && step === 'arrivals' && (
        <StepArrivals reader={reader} reload={reload} onNext={() => toStep('format')} />
      )}
      {reader !== undefined && step === 'format' && (
        <StepFormat reader={reader} onNext={() => toStep('antennas')} />
      )}
      {reader !== undefined && step === 'antennas' && <StepAntennas reader={reader} reload={reload} />}
    </div>
  );
}
