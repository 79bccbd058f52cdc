/**
 * Awaits `work` for at most `milliseconds`. They are counted in two halves, because one timer cannot tell
 * which side was late: a stall of this process uses up one half, and in the other it reads everything that
 * arrived meanwhile.
 *
 * @throws the error of `work`, or a timeout Error.
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
