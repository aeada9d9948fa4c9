/**
 * The answer to a question; `otherwise` where it fails, or has not come within a limit of milliseconds. What comes
 * later is dropped. Where this process itself stood still meanwhile, the answer may be here and nobody has read it yet,
 * so it gets a moment more.
 */
export const inTime = async <T, O>(answer: Promise<T>, otherwise: O, limitMs: number): Promise<T | O> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<O>((resolve) => {
    const due = performance.now() + limitMs
    const end = () => {
      if (performance.now() - due < STOOD_STILL_MS) resolve(otherwise)
      else timer = setTimeout(resolve, MOMENT_MS, otherwise)
    }
    timer = setTimeout(end, limitMs)
  })
  try {
    return await Promise.race([answer, late])
  } catch {
    return otherwise
  } finally {
    clearTimeout(timer)
  }
}

/** Milliseconds by which a timer is late where the process has stood still. */
const STOOD_STILL_MS = 50
/** Milliseconds in which what came meanwhile is read. */
const MOMENT_MS = 100
