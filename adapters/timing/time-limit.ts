/**
 * The most that is waited for something, in milliseconds. What comes later is dropped. Where this process itself stood
 * still meanwhile, the answer may be here and nobody has read it yet, so it gets a moment more.
 */

/** What has come, or undefined where nothing has; rejects as the work does. */
export const atMost = <T>(limitMs: number, work: PromiseLike<T>): Promise<T | undefined> =>
  limit(limitMs, work, () => undefined)

/** What has come; rejects as the work does, or with what `late` makes where nothing has. */
export const within = <T>(limitMs: number, work: PromiseLike<T>, late: () => Error): Promise<T> =>
  limit(limitMs, work, () => Promise.reject(late()))

/** The answer to a question; `otherwise` where it fails or does not come. */
export const inTime = <T, O>(answer: Promise<T>, otherwise: O, limitMs: number): Promise<T | O> =>
  limit(limitMs, answer, () => otherwise).catch(() => otherwise)

/** What the work brings, or what `late` does once the time is over. */
const limit = async <T, O>(limitMs: number, work: PromiseLike<T>, late: () => O | Promise<O>): Promise<T | O> => {
  const { over, end } = beginLimit(limitMs)
  try {
    return await Promise.race([work, over.then(late)])
  } finally {
    end()
  }
}

const beginLimit = (limitMs: number): { readonly over: Promise<void>; readonly end: () => void } => {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<void>((resolve) => {
    const due = performance.now() + limitMs
    const end = () => {
      // What is here already is read before an immediate runs.
      if (performance.now() - due < STOOD_STILL_MS) setImmediate(resolve)
      else timer = setTimeout(resolve, MOMENT_MS)
    }
    timer = setTimeout(end, limitMs)
  })
  return { over, end: () => clearTimeout(timer) }
}

/** Milliseconds by which a timer is late where the process has stood still. */
const STOOD_STILL_MS = 50
/** Milliseconds in which what came meanwhile is read. */
const MOMENT_MS = 100
