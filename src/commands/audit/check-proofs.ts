import { inconsistencyOf } from '../../../adapters/audit/consistency-proof.ts'
import { isSealedBy } from '../../../adapters/audit/head.ts'
import { faultOf } from '../../../adapters/audit/proof.ts'
import { CommandFailure } from '../../console/failures.ts'
import type { Output } from '../../console/output.ts'
import { jsonIn, readCheckpoint } from './checkpoint.ts'

type Wish = {
  /** Files of the two checkpoints, and of the proof. */
  readonly older: string
  readonly newer: string
  readonly proof: string | undefined
  readonly keys: readonly string[]
}

/**
 * Checks without the log that the later of two checkpoints is of a log that begins with the whole log of the earlier
 * one. The later one has to be signed by a key that the earlier one trusts, or by one that was brought along. Answers
 * whether it is so.
 */
export const checkConsistency = async (out: Output, { older, newer, proof, keys }: Wish): Promise<boolean> => {
  const before = readCheckpoint(older, keys)
  const after = readCheckpoint(newer, keys)
  const proved = proof === undefined ? undefined : jsonIn(proof)
  if (proof !== undefined && proved === undefined) throw new CommandFailure(`${proof} is not JSON`)
  const isKnownKey = before.keys.some((key) => isSealedBy(key, after.edge.head))
  const fault = isKnownKey
    ? inconsistencyOf(before.known, after.known, proved)
    : `the later head is signed by ${after.edge.head.keyId}, a key that the earlier checkpoint does not know (--key)`
  const [from, to] = [before.known.size, after.known.size]
  const text =
    fault === undefined
      ? `The log of ${to} events begins with the whole log of ${from} events.`
      : `NOT CONSISTENT: ${fault}.`
  await out.tell({ consistent: fault === undefined, from, to, fault: fault ?? null }, text)
  return fault === undefined
}

/** Checks a proof with nothing but public keys: one of them has to have signed its head. Answers whether it holds. */
export const checkProof = async (out: Output, file: string, keys: readonly string[]): Promise<boolean> => {
  const faults = keys.map((key) => faultOf(jsonIn(file), key))
  const holds = faults.includes(undefined)
  const [fault = null] = holds ? [] : faults
  const text = holds ? 'The proof holds: this event stands in the sealed log.' : `The proof does not hold: ${fault}.`
  await out.tell({ holds, fault }, text)
  return holds
}
