import { COSIGNATURES } from '../../../domain/audit/cosignatures.ts'
import type { Ledger } from '../../../domain/write-side/ledger.ts'
import type { WitnessAddress } from './ask-witness.ts'
import { vkeyOf } from './note.ts'

export type RefusingWitness = {
  readonly name: string
  /** Number of events of the head of ours that it refused. */
  readonly size: number
  readonly reason: 'larger' | 'parted'
  readonly seen: number | null
}

/**
 * The witnesses that have refused a head of this log under its present name, and have signed none since. While there is
 * one, nothing is sealed.
 */
export const refusingWitnesses = async (
  ledger: Ledger,
  witnesses: readonly Pick<WitnessAddress, 'key'>[],
): Promise<readonly RefusingWitness[]> => {
  const {
    witnesses: known,
    checkpoints: [newest],
  } = await ledger.cosignatures.read(COSIGNATURES)
  return witnesses.flatMap(({ key }) => {
    const { refusal } = known.find(({ witness }) => witness === vkeyOf(key)) ?? {}
    return refusal?.origin === newest?.origin && refusal
      ? [{ name: key.name, size: refusal.size, reason: refusal.reason, seen: refusal.seen }]
      : []
  })
}
