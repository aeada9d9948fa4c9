/**
 * The most that is waited for something, in milliseconds. What comes later is dropped. Where this process itself stood
 * still meanwhile, the answer may be here and nobody has read it yet, so it gets a moment more.
 */

/** What has come, or undefined where nothing has; rejects as the work does. */
export const atMost = async <T>(limitMs: number, work: PromiseLike<T>): Promise<T | undefined> => {
  const limit = beginLimit(limitMs)
  try {
    return await Promise.race([work, limit.over])
  } finally {
    limit.end()
  }
}

/** What has come; rejects as the work does, or with what `late` makes where nothing has. */
export const within = async <T>(limitMs: number, work: PromiseLike<T>, late: () => Error): Promise<T> => {
  const limit = beginLimit(limitMs)
  const overdue = limit.over.then(() => Promise.reject(late()))
  try {
    return await Promise.race([work, overdue])
  } finally {
    limit.end()
  }
}

/** The answer to a question; `otherwise` where it fails or does not come. */
export const inTime = async <T, O>(answer: Promise<T>, otherwise: O, limitMs: number): Promise<T | O> => {
  const limit = beginLimit(limitMs)
  try {
    return await Promise.race([answer, limit.over.then(() => otherwise)])
  } catch {
    return otherwise
  } finally {
    limit.end()
  }
}

const beginLimit = (limitMs: number): { readonly over: Promise<undefined>; end(): void } => {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<undefined>((resolve) => {
    const due = performance.now() + limitMs
    const end = () => {
      // What is here already is read before an immediate runs.
      if (performance.now() - due < STOOD_STILL_MS) setImmediate(resolve, undefined)
      else timer = setTimeout(resolve, MOMENT_MS, undefined)
    }
    timer = setTimeout(end, limitMs)
  })
  return { over, end: () => clearTimeout(timer) }
}

/** Milliseconds by which a timer is late where the process has stood still. */
const STOOD_STILL_MS = 50
/** Milliseconds in which what came meanwhile is read. */
const MOMENT_MS = 100
