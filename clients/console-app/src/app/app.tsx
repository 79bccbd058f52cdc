import { useTheme } from '../../../ui/parts/use-theme.ts';
import { ProblemNote } from '../parts/problem-note.tsx';
import { address } from '../router/router.ts';
import { LinkScreen } from '../screens/link/link-screen.tsx';
import { SignInScreen } from '../screens/sign-in/sign-in-screen.tsx';
import { askWhoIsSignedIn, session, sessionProblem } from '../session/session.ts';
import { theme } from './preferences.ts';
import { Shell } from './shell.tsx';

export function App() {
  useTheme(theme.value);
  const [first, token] = address.value.path;
  if (first === 'link' && token !== undefined) {
    return <LinkScreen key={token} token={token} />;
  }
  if (sessionProblem.value !== null) {
    return (
      <main class="door">
        <ProblemNote problem={sessionProblem.value} onRetry={() => void askWhoIsSignedIn()} />
      </main>
    );
  }
  if (session.value === undefined) {
    return null;
  }
  return session.value === null ? <SignInScreen /> : <Shell />;
}
