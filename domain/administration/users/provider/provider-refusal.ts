import { AppError } from '../../../../base/errors.ts';

const MESSAGES = {
  unknown:
    'There is no user with this e-mail address, and no invitation for it; an administrator can invite the person',
  no_groups:
    'There is no user with this e-mail address, and the identity provider did not say the claim OIDC_ROLE_CLAIM, by which roles are given',
  unverified: 'The identity provider does not confirm the e-mail address as verified',
  disabled: 'The user is disabled; an administrator can enable it',
  other_account: 'The user with this e-mail address has another account at the identity provider',
  factors:
    'The identity provider does not confirm that the person signed in as OIDC_ACR_VALUES and OIDC_AMR_VALUES demand',
};

export type RefusalReason = keyof typeof MESSAGES;

/** The identity provider confirmed somebody who is not let in. */
export class ProviderRefusal extends AppError {
  readonly reason: RefusalReason;
  /** The provider's answer instead, for the log. */
  readonly said: Readonly<Record<string, unknown>>;

  constructor(reason: RefusalReason, said: Readonly<Record<string, unknown>> = {}) {
    super('forbidden', MESSAGES[reason]);
    this.name = 'ProviderRefusal';
    this.reason = reason;
    this.said = said;
  }
}
