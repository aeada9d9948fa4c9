import { readFileSync, writeFileSync } from 'node:fs'

/** The memory that a process holds, as Linux counts it, in MB (10⁶ bytes). */

/** The memory that is resident now. */
export const residentMb = (pid: number): number => statusMb(pid, 'VmRSS')

/** The most that was resident since the last `forgetPeak`. */
export const peakMb = (pid: number): number => statusMb(pid, 'VmHWM')

export const forgetPeak = (pid: number): void => writeFileSync(`/proc/${pid}/clear_refs`, '5')

const statusMb = (pid: number, field: string): number => {
  const kib = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  if (kib === undefined) throw new Error(`process ${pid} has no ${field}`)
  return (Number(kib) * 1024) / 1e6
}
