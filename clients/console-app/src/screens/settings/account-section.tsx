import { PasswordForm } from './password-form.tsx';
import { SessionList } from './session-list.tsx';

export function AccountSection() {
  return (
    <div class="cards">
      <PasswordForm />
      <SessionList />
    </div>
  );
}
