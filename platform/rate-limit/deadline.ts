/**
 * Waits for `work`, but not longer than `milliseconds`. They are counted in two halves, because a timer cannot tell
 * who was late: when this process itself is held up, that uses up one of them, and in the other it reads what has
 * arrived meanwhile.
 *
 * @throws what `work` throws, or an Error that says how long was waited.
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
