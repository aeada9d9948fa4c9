import { readFileSync } from 'node:fs'

/** Linux counts the time of processes in hundredths of a second. */
const TICKS_PER_SECOND = 100

/** Seconds of CPU that processes have used so far, all their threads together. */
export const cpuSeconds = (pids: readonly number[]): number =>
  pids.reduce((sum, pid) => {
    // The name in parentheses may hold spaces; user and system time are the 14th and 15th field.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
    return sum + (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
  }, 0)
