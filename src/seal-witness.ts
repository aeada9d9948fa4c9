import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { SignedHead } from '../adapters/audit/head.ts'

/** The newest head of the log and the key that signed it, kept beside the log: so that a log that was cut short, or sealed anew by another key, does not pass. */
export type SealWitness = { readonly head: SignedHead; readonly publicKey: string }

export const writeSealWitness = (file: string, witness: SealWitness): void => {
  writeFileSync(`${file}.new`, `${JSON.stringify(witness)}\n`, { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

/** Undefined before the first seal. Throws when the file is not one of ours. */
export const readSealWitness = (file: string): SealWitness | undefined => {
  if (!existsSync(file)) return undefined
  const { head, publicKey } = JSON.parse(readFileSync(file, 'utf8')) as SealWitness
  if (typeof publicKey !== 'string' || typeof head?.size !== 'number')
    throw new Error(`${file} is not a head of the log`)
  return { head, publicKey }
}
