import { inTime } from '../../adapters/timing/time-limit.ts'

/** How long a scrape waits for one of the things that it asks. */
const WAIT_MS = 2_000

/** An answer, or another one where it fails or is late: what does not answer must not hide all that does. */
export const soon = <T>(asked: Promise<T>, otherwise: T): Promise<T> => inTime(asked, otherwise, WAIT_MS)
