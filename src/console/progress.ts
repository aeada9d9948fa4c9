import { SingleBar } from 'cli-progress'
import type { Output } from './output.ts'

/** Shows on a terminal how far a piece of work is, and nothing anywhere else. */
export type Bar = { at(done: bigint, what: string): void; stop(): void }

export const startBar = (out: Output, total: bigint): Bar => {
  if (out.json || !process.stderr.isTTY || total <= 0n) return { at: () => {}, stop: () => {} }
  const bar = new SingleBar({
    format: '{bar} {percentage} % | {what} | {eta_formatted} left',
    stream: process.stderr,
    clearOnComplete: true,
    hideCursor: true,
  })
  bar.start(Number(total), 0, { what: '' })
  return { at: (done, what) => bar.update(Number(done), { what }), stop: () => bar.stop() }
}
