import type { Logger } from 'pino'
import {
  askWitness,
  type WitnessAddress,
  type WitnessContact,
  type WitnessVerdict,
} from '../../adapters/audit/witness/ask-witness.ts'
import { vkeyOf } from '../../adapters/audit/witness/note.ts'
import { COSIGNATURES, type CosignatureState, type SignedCheckpoint } from '../../domain/audit/cosignatures.ts'
import type { Ledger } from '../../domain/write-side/ledger.ts'
import { createPace } from './pace.ts'

/** The dealings of this process with one witness: it has the newest head signed, and records the outcome in the log. */
export type WitnessDesk = {
  readonly name: string
  readonly vkey: string
  /**
   * Asks the witness if that is due; resolves once it was, and does nothing with the answer when the signal has
   * aborted. Never rejects.
   */
  look(ledger: Ledger, state: CosignatureState, signal: AbortSignal): Promise<void>
  /** Why the last try failed; undefined when it did not, or when this process has not tried. */
  failure(): string | undefined
}

export const createWitnessDesk = (
  witness: WitnessAddress,
  asking: WitnessContact,
  everySeconds: number,
  log: Pick<Logger, 'error' | 'warn'>,
): WitnessDesk => {
  const vkey = vkeyOf(witness.key)
  const { name } = witness.key
  const pace = createPace(everySeconds * 1_000)
  /**
   * Whether the witness has answered since the start. Until then it is asked even about a head that it has signed
   * already, because that reveals a log that was put back from an older copy.
   */
  let heard = false
  let failure: string | undefined

  const keep = async (ledger: Ledger, checkpoint: SignedCheckpoint, verdict: WitnessVerdict): Promise<boolean> => {
    failure = verdict.kind === 'failed' ? verdict.why : undefined
    if (verdict.kind === 'failed') {
      log.warn({ witness: name, why: verdict.why }, 'a witness did not sign the newest head, trying again')
      return false
    }
    heard = true
    if (verdict.kind === 'cosigned') {
      const cosignedAt = new Date(verdict.time * 1_000).toISOString()
      await ledger.cosignatures.cosign(COSIGNATURES, { checkpoint, witness: vkey, line: verdict.line, cosignedAt })
      return true
    }
    const { reason, seen } = verdict
    const { origin, size, root } = checkpoint
    log.error({ witness: name, reason, seen, head: { origin, size, root } }, ALARM)
    await ledger.cosignatures.refuse(COSIGNATURES, { witness: vkey, origin, size, root, reason, seen })
    return false
  }

  return {
    name,
    vkey,
    failure: () => failure,
    async look(ledger, { checkpoints: [newest], witnesses }, signal) {
      const { cosigned, refusal } = witnesses.find((each) => each.witness === vkey) ?? {}
      const own = cosigned?.origin === newest?.origin ? cosigned : undefined
      const upToDate = heard && !refusal && own !== undefined && own.size === newest?.size
      if (!newest || upToDate || !pace.due()) return
      const { cosignatures: _, ...checkpoint } = newest
      await pace.run(async () => {
        const verdict = await askWitness(asking, witness, checkpoint, own?.size ?? 0)
        return !signal.aborted && keep(ledger, checkpoint, verdict)
      })
    },
  }
}

const ALARM = [
  'a witness has seen another history of this log: nothing more is sealed.',
  'Either this log was put back from an older copy, or it was changed, or another copy of it runs',
].join(' ')
