import Koa from 'koa';
import { serve } from './serve.ts';

/** The least that Koa can do. */
const app = new Koa();
app.use((koa) => {
  koa.body = { hello: 'world' };
});
await serve(app);
