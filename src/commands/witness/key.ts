import { vkeyOf } from '../../../adapters/audit/witness/note.ts'
import { type WitnessKey, witnessKeyIn } from '../../../adapters/audit/witness/witness-dir.ts'
import { CommandFailure, describe } from '../../console/failures.ts'
import type { Output } from '../../console/output.ts'

/** Prints what whoever runs a log writes into WITNESSES, and what verifiers pin. */
export const showWitnessKey = async (out: Output, { dir, name }: { dir: string; name?: string }): Promise<void> => {
  const { key } = openWitnessKey(dir, name)
  await out.tell({ name: key.name, vkey: vkeyOf(key) }, vkeyOf(key))
}

/** Throws CommandFailure when the folder holds no key, or that of another witness. */
export const openWitnessKey = (dir: string, name: string | undefined): WitnessKey => {
  try {
    return witnessKeyIn(dir, name)
  } catch (error) {
    throw new CommandFailure(describe(error))
  }
}
