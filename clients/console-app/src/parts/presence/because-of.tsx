import type { PresenceBecause } from '../../api/types.ts';
import { href } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';
import { Instant } from '../instant.tsx';

/** Why an asset is overdue or missing, or why nobody can tell. */
export function BecauseOf({ because }: { because: PresenceBecause }) {
  const t = texts.value.presence;
  if ('sweep_id' in because) {
    return <>{t.notFound}</>;
  }
  if ('rule_id' in because) {
    return <>{t.byRule}</>;
  }
  return (
    <>
      <a href={href('readers', because.reader_id)}>{because.reader_name}</a>{' '}
      {because.since === null ? (
        t.notHeard
      ) : (
        <>
          {t.unheardSince} <Instant at={because.since} />
        </>
      )}
    </>
  );
}
