import { join } from 'node:path'
import { type VerifierKey, vkeyOf } from '../../../adapters/audit/witness/note.ts'
import { createWitness } from '../../../adapters/audit/witness/witness.ts'
import { type WitnessKey, witnessHeadsIn, witnessKeyIn } from '../../../adapters/audit/witness/witness-dir.ts'
import { serveWitness } from '../../../adapters/audit/witness/witness-server.ts'
import { holdFile } from '../../../adapters/exclusive-file.ts'
import { CommandFailure, describe } from '../../console/failures.ts'
import type { Output } from '../../console/output.ts'
import { BadSetting } from '../../settings/setting-kinds.ts'
import { world } from '../../settings/world.ts'

type WitnessOptions = {
  readonly dir: string
  readonly listen: { readonly host: string; readonly port: number }
  readonly log: readonly VerifierKey[]
}

/**
 * Runs a witness until it is told to stop. One process at a time has the folder: two would not know of each other's
 * heads.
 */
export const serveWitnessCommand = async (out: Output, { dir, listen, log }: WitnessOptions): Promise<void> => {
  if (log.length === 0) throw new BadSetting('--log is missing: the verifier key of the log that is witnessed')
  const { key, privateKey } = openWitnessKey(dir, undefined)
  const held = holdFile(join(dir, 'lock'))
  if (!held) throw new CommandFailure(`another witness runs on ${dir}`)
  const say = (what: string, facts: object) => process.stderr.write(`${JSON.stringify({ what, ...facts })}\n`)
  try {
    const witness = createWitness({
      key,
      privateKey,
      logs: log,
      heads: witnessHeadsIn(dir),
      now: world.now,
      parted: (note, head) => say('a signed head does not go on from the head before it', { before: head, note }),
    })
    const failed = (error: unknown) => say('a head could not be kept', { error: describe(error) })
    const served = await serveWitness(witness, listen, failed).catch((error: unknown) => {
      throw new BadSetting(`--listen cannot be used: ${describe(error)}`)
    })
    const stopped = signalled()
    await out.tell(
      { ready: true, url: served.url, vkey: vkeyOf(key), logs: log.map(({ name }) => name) },
      `Witness ${vkeyOf(key)}\nListens at ${served.url}/add-checkpoint for ${log.map(({ name }) => name).join(', ')}`,
    )
    await stopped
    await served.stop()
  } finally {
    held.release()
  }
}

const signalled = (): Promise<void> =>
  new Promise((resolve) => {
    process.once('SIGTERM', () => resolve())
    process.once('SIGINT', () => resolve())
  })

/** Prints what whoever runs a log writes into WITNESSES, and what verifiers pin. */
export const showWitnessKey = async (out: Output, { dir, name }: { dir: string; name?: string }): Promise<void> => {
  const { key } = openWitnessKey(dir, name)
  await out.tell({ name: key.name, vkey: vkeyOf(key) }, vkeyOf(key))
}

/** Throws CommandFailure when the folder holds no key, or that of another witness. */
const openWitnessKey = (dir: string, name: string | undefined): WitnessKey => {
  try {
    return witnessKeyIn(dir, name)
  } catch (error) {
    throw new CommandFailure(describe(error))
  }
}
