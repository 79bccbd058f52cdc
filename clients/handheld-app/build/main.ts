import { buildApp } from './build-app.ts';

// `npm install` ends with this.
await buildApp();
