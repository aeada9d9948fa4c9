import type { Logger } from 'pino'
import { askStamp } from '../../adapters/audit/stamp/ask-stamp.ts'
import type { Exchange } from '../../adapters/outbound/signed-post.ts'
import { COSIGNATURES, type CosignatureState } from '../../domain/audit/cosignatures.ts'
import type { World } from '../../domain/kernel/ports.ts'
import type { Ledger } from '../../domain/write-side/ledger.ts'
import { createPace } from './pace.ts'

/** Has the newest head stamped by an authority, now and then. */
export type StampDesk = {
  /** Has the newest head stamped if that is due, as `WitnessDesk` has it signed. */
  look(ledger: Ledger, state: CosignatureState, signal: AbortSignal): Promise<void>
  failure(): string | undefined
}

const NONCE_BYTES = 8

export const createStampDesk = (
  { exchange, world, log }: { exchange: Exchange; world: World; log: Pick<Logger, 'warn'> },
  url: string,
  everyMinutes: number,
): StampDesk => {
  const everyMs = everyMinutes * 60_000
  const pace = createPace(everyMs)
  let failure: string | undefined
  return {
    failure: () => failure,
    async look(ledger, { checkpoints: [newest], stamped }, signal) {
      const own = stamped?.origin === newest?.origin ? stamped : undefined
      // Another process, or this one before its last start, may have had it stamped a moment ago. An authority whose
      // clock is ahead must not put off the next stamp until then.
      const since = own === undefined ? everyMs : world.now().getTime() - Date.parse(own.at)
      const early = since >= 0 && since < everyMs
      if (!newest || early || own?.size === newest.size || !pace.due()) return
      const { cosignatures: _, ...checkpoint } = newest
      await pace.run(async () => {
        // The nonce is above 0 in any case: an authority need not answer a nonce of 0.
        const nonce = BigInt(`0x${world.secret(NONCE_BYTES)}`) + 1n
        const stamp = await askStamp(exchange, url, checkpoint, nonce)
        failure = 'fault' in stamp ? stamp.fault : undefined
        if ('fault' in stamp) {
          log.warn({ why: stamp.fault }, 'the newest head was not stamped, trying again')
          return false
        }
        if (signal.aborted) return false
        const response = stamp.response.toString('base64')
        await ledger.cosignatures.stamp(COSIGNATURES, { checkpoint, stampedAt: stamp.stampedAt, response })
        return true
      })
    },
  }
}
