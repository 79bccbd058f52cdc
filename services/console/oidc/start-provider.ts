import type { Configuration } from '../../../platform/runtime/settings.ts';
import { ErrandCookie } from './errand-cookie.ts';
import { CALLBACK } from './paths.ts';
import type { Provider } from './provider.ts';
import type { OIDC_SETTINGS } from './settings.ts';

type OidcConfig = Configuration<typeof OIDC_SETTINGS> & { CONSOLE_URL: string | null };

/** Null without OIDC_ISSUER, and then the library is not loaded. Nothing is asked of the provider yet. */
export async function providerOf(
  config: OidcConfig,
  isSecure: boolean,
): Promise<{ provider: Provider; errands: ErrandCookie } | null> {
  const {
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: clientId,
    OIDC_CLIENT_SECRET: clientSecret,
    CONSOLE_URL,
  } = config;
  if (issuer === null || clientId === null || clientSecret === null || CONSOLE_URL === null) {
    return null;
  }
  const { Provider: Started } = await import('./provider.ts');
  const provider = new Started({
    ...{ issuer, clientId, clientSecret },
    callbackUrl: `${CONSOLE_URL}${CALLBACK}`,
    roleClaim: config.OIDC_ROLE_CLAIM,
    roles: config.OIDC_ROLES,
    demands: { acr: config.OIDC_ACR_VALUES, amr: config.OIDC_AMR_VALUES },
  });
  return { provider, errands: new ErrandCookie(clientSecret, isSecure) };
}
