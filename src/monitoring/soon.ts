/** How long a scrape waits for one of the things that it asks. */
const WAIT_MS = 2_000

/** An answer, or another one where it fails or is late: what does not answer must not hide all that does. */
export const soon = async <T>(asked: Promise<T>, otherwise: T): Promise<T> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<T>((resolve) => {
    timer = setTimeout(resolve, WAIT_MS, otherwise)
  })
  return Promise.race([asked, late])
    .catch(() => otherwise)
    .finally(() => clearTimeout(timer))
}
