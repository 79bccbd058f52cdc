/**
 * Awaits `work` for at most `milliseconds`. They are counted in two halves, because one timer cannot tell who was late:
 * a stall of this process uses up one half, and in the other it reads what arrived meanwhile.
 *
 * @throws what `work` throws, or a timeout Error.
 */
export async function within<Result>(milliseconds: number, work: Promise<Result>): Promise<Result> {
  const late = Promise.withResolvers<never>();
  let timer = setTimeout(() => {
    timer = setTimeout(() => late.reject(new Error(`no answer within ${milliseconds} ms`)), milliseconds / 2);
  }, milliseconds / 2);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
