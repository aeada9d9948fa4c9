import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SignedHead } from '../adapters/audit/head.ts'
import { writePrivate } from './private-file.ts'

/**
 * The newest head of the log and the keys that were published so far, kept beside the log: so that a log that was cut short, or sealed anew by
 * another key, does not pass.
 */
export type SealWitness = { readonly head: SignedHead; readonly publicKeys: readonly string[] }

/** Where it lies under DATA_DIR. */
export const sealWitnessIn = (dataDir: string): string => join(dataDir, 'seal-witness.json')

export const writeSealWitness = (file: string, witness: SealWitness): void =>
  writePrivate(file, `${JSON.stringify(witness)}\n`)

/** Undefined before the first seal. Throws when the file is not one of ours. */
export const readSealWitness = (file: string): SealWitness | undefined => {
  if (!existsSync(file)) return undefined
  const { head, publicKeys } = JSON.parse(readFileSync(file, 'utf8')) as SealWitness
  if (!Array.isArray(publicKeys) || typeof head?.size !== 'number') throw new Error(`${file} is not a head of the log`)
  return { head, publicKeys }
}
