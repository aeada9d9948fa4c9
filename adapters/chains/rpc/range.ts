/** The errors of every chain about a range of blocks that cannot be read. */

/**
 * Throws for what is no range, and for one of more blocks than are read in one call; `unit` is what the chain counts
 * by.
 */
export const checkRange = (
  network: string,
  { from, to, max, unit = 'block' }: { from: number; to: number; max: number; unit?: 'block' | 'slot' },
): void => {
  const isValid = Number.isSafeInteger(from) && Number.isSafeInteger(to) && from >= 0
  if (!isValid || to - from >= max) throw new Error(`${network}: a range is at most ${max} ${unit}s from ${unit} 0 on`)
}

export const chainChanged = (network: string): Error => new Error(`${network}: the chain changed while it was read`)
