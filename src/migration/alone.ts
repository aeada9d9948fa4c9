import { setTimeout as pause } from 'node:timers/promises'
import { keepLockSession, type LockSession } from '../../adapters/postgres/lock-session.ts'
import { relayTurn } from '../../adapters/relay/queue.ts'
import { networks } from '../../domain/kernel/networks.ts'
import { effects } from '../../domain/reactions/effects/index.ts'
import { policies } from '../../domain/reactions/policies/index.ts'
import { projections } from '../../projections/index.ts'
import { readModel } from '../engine/elsewhere.ts'
import { chainWatch } from '../engine/watching.ts'

/** How long a service that has just ended may take to let its turns go. */
const RELEASE_WAIT_MS = 3_000
const RETRY_MS = 200

/**
 * Takes the turn of every follower of the log, so that no service acts on it meanwhile, on whatever machine.
 * @returns undefined when somebody else has one of them
 */
export const takeEveryTurn = async (
  databaseUrl: string,
  closing: (close: () => Promise<void>) => void,
): Promise<{ held(): boolean } | undefined> => {
  const session = keepLockSession(databaseUrl)
  closing(() => session.close())
  const locks: LockSession[] = []
  const until = performance.now() + RELEASE_WAIT_MS
  for (const name of followers())
    for (;;) {
      const lock = await session.lock(name)
      if (lock) {
        locks.push(lock)
        break
      }
      if (performance.now() >= until) return undefined
      await pause(RETRY_MS)
    }
  return { held: () => locks.every(({ lost }) => !lost.aborted) }
}

const followers = (): readonly string[] => [
  ...projections.map(({ name }) => readModel(name)),
  ...networks.map(({ name }) => relayTurn(name)),
  ...policies.map(({ name }) => name),
  ...effects.map(({ name }) => name),
  ...networks.map(({ name }) => chainWatch(name)),
]
