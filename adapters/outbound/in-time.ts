/**
 * The answer to a question; `otherwise` where it fails, or has not come within a limit of milliseconds. What comes
 * later is dropped.
 */
export const inTime = async <T, O>(answer: Promise<T>, otherwise: O, limitMs: number): Promise<T | O> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<O>((resolve) => {
    timer = setTimeout(resolve, limitMs, otherwise)
  })
  try {
    return await Promise.race([answer, late])
  } catch {
    return otherwise
  } finally {
    clearTimeout(timer)
  }
}
