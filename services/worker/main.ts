import { keepCompiled, startCompiled } from '../../platform/runtime/compile-cache.ts';

startCompiled();
await import('./run.ts');
keepCompiled();
