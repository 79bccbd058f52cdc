import { useEffect, useState } from 'preact/hooks';
import type { ApiError } from '../../api/api-error.ts';
import { post } from '../../api/send.ts';
import { asApiError } from '../../api/use-read.ts';
import { Door } from '../../parts/door.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { href } from '../../router/router.ts';
import { texts } from '../../texts/texts.ts';
import { AcceptLink, type Link } from './accept-link.tsx';

/** Behind `#/link/<token>`: an invitation, a reset, the first administrator's link, or one that signs in. */
export function LinkScreen({ token }: { token: string }) {
  const t = texts.value.link;
  const [link, setLink] = useState<Link | null>(null);
  const [problem, setProblem] = useState<ApiError | null>(null);
  const [attempts, setAttempts] = useState(0);
  useEffect(() => {
    setProblem(null);
    post<{ data: Link }>('/links/look', { token }).then(
      ({ data }) => setLink(data),
      (error: unknown) => setProblem(asApiError(error)),
    );
  }, [token, attempts]);
  if (problem !== null && isOver(problem)) {
    return (
      <Door title={t.invalid} lead={t.invalidHint}>
        <a class="secondary" href={href()}>
          {t.toSignIn}
        </a>
      </Door>
    );
  }
  if (problem !== null) {
    return (
      <Door title={t.checking}>
        <ProblemNote problem={problem} onRetry={() => setAttempts(attempts + 1)} />
      </Door>
    );
  }
  return link === null ? <Door title={t.checking} /> : <AcceptLink token={token} link={link} />;
}

/** Used, expired or never made: the server does not say which. */
function isOver({ status }: ApiError): boolean {
  return [400, 401, 403, 404, 410].includes(status);
}
