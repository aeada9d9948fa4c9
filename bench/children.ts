import type { ChildProcess } from 'node:child_process'

/**
 * The processes that the bench has started and that have not ended yet, so that an interrupted run leaves none behind.
 */
const running = new Set<ChildProcess>()
let ending = false

/** Notes a process that was just started. Once the children are to end, a new one is ended at once. */
export const noted = <C extends ChildProcess>(child: C): C => {
  running.add(child)
  child.once('exit', () => running.delete(child))
  if (ending) child.kill('SIGTERM')
  return child
}

/** Tells every child to end. Whoever waits for one of them then fails, and closes what it has opened. */
export const endChildren = (): void => {
  ending = true
  for (const child of running) child.kill('SIGTERM')
}

export const childPids = (): readonly number[] => [...running].flatMap(({ pid }) => pid ?? [])
