import { signal } from '@preact/signals';

/** The organization that requests are about; null until somebody is signed in. */
export const organizationId = signal<number | null>(null);
