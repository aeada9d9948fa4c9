import { setTimeout as pause } from 'node:timers/promises'
import type { Figures } from './comparison.ts'

/** Sends GETs that are spread evenly over `seconds`, one after the other, as a calm client sends them. */
export const paced = async (
  url: string,
  { headers, perSecond, seconds }: { headers: Readonly<Record<string, string>>; perSecond: number; seconds: number },
): Promise<Figures> => {
  const began = performance.now()
  const times: number[] = []
  for (let n = 0; n < perSecond * seconds; n++) {
    await pause(Math.max(0, began + (n * 1000) / perSecond - performance.now()))
    const asked = performance.now()
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(ANSWER_MS) })
    await response.arrayBuffer()
    if (!response.ok) throw new Error(`${url}: ${response.status}`)
    times.push(performance.now() - asked)
  }
  const rate = times.length / ((performance.now() - began) / 1000)
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.floor(times.length * share)] ?? Number.NaN
  return { rate, p50: at(0.5), p99: at(0.99) }
}

const ANSWER_MS = 10_000
