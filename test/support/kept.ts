/**
 * What one test file leaves to the next in a process of many files (support/together.ts). Where a file has a process of
 * its own nothing is kept, because the process ends with it.
 */
let closers: (() => Promise<unknown>)[] | undefined
const dropped = new Set<() => void>()

export const keepsThings = (): boolean => closers !== undefined

/** Called once, before the first file. */
export const beginToKeep = (): void => {
  closers = []
}

/** Closes a thing when the last file has ended. */
export const closeInTheEnd = (close: () => Promise<unknown>): void => {
  closers?.push(close)
}

/** Called with the end of each turn: the files of one turn share what no later file needs. */
export const dropWithTurn = (drop: () => void): void => {
  dropped.add(drop)
}

export const dropOfTurn = (): void => {
  for (const drop of dropped) drop()
}

export const closeKept = async (): Promise<void> => {
  await Promise.all((closers ?? []).splice(0).map((close) => close()))
}
