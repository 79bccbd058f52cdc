import Koa from 'koa';
import pg from 'pg';
import { connectionConfig } from '../../../db/timescale/connections/connection.ts';
import { lookUp } from '../look-up.ts';
import { serve } from './serve.ts';

/**
 * The look-up as one would write it without this project: Koa, `pg`, and the same SQL as a named prepared statement. No
 * key, no scope, no organization but one, no row-level security, no validation, no limit, no request id, no metrics.
 */
const { DATABASE_URL, ORG_ID } = process.env;
const pool = new pg.Pool({ ...connectionConfig(String(DATABASE_URL)), max: 10 });
const { name, text, valuesOf } = lookUp(Number(ORG_ID));
const app = new Koa();
app.use(async (koa) => {
  const id = Number(koa.path.slice('/api/v1/assets/'.length));
  const { rows } = await pool.query({ name, text, values: valuesOf(id) });
  koa.body = { data: rows[0] };
});
await serve(app);
