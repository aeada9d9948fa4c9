import type { World } from '../../../domain/kernel/ports.ts'

/** Milliseconds: longer than the work takes, for a known address and for an unknown one. */
const MS = 250

/** Takes the same time whatever there is to do, so that the clock does not tell whether an address is known. */
export const evenly = async (world: Pick<World, 'pause'>, work: () => Promise<unknown>): Promise<void> => {
  const [done] = await Promise.allSettled([work(), world.pause(MS)])
  if (done.status === 'rejected') throw done.reason
}
