import { faultOf } from '../../../adapters/audit/proof.ts'
import type { Output } from '../../console/output.ts'
import { jsonIn } from './json-file.ts'

/** Checks a proof with nothing but public keys: one of them has to have signed its head. Answers whether it holds. */
export const checkProof = async (out: Output, file: string, keys: readonly string[]): Promise<boolean> => {
  const faults = keys.map((key) => faultOf(jsonIn(file), key))
  const holds = faults.includes(undefined)
  const [fault = null] = holds ? [] : faults
  const text = holds ? 'The proof holds: this event stands in the sealed log.' : `The proof does not hold: ${fault}.`
  await out.tell({ holds, fault }, text)
  return holds
}
