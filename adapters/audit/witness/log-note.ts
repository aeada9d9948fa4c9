import { COSIGNATURES, type CosignedCheckpoint, type SignedCheckpoint } from '../../../domain/audit/cosignatures.ts'
import { LOG_ID } from '../../../domain/audit/log.ts'
import { SEALS } from '../../../domain/audit/seals.ts'
import type { Vault } from '../../../domain/kernel/ports.ts'
import { refuse } from '../../../domain/kernel/refusal.ts'
import type { Ledger } from '../../../domain/write-side/ledger.ts'
import { signText } from '../../crypto/ed25519.ts'
import { hashBytes, hashesIn, toBase64 } from '../hash.ts'
import { growingTree } from '../tree.ts'
import { checkpointText } from './checkpoint.ts'
import { noteOf, signatureLine, type VerifierKey } from './note.ts'

/** The newest head of our own log as a note that others read and sign (c2sp.org/tlog-checkpoint). */

export type NoteSigning = { readonly ledger: Ledger; readonly vault: Pick<Vault, 'open'> }

/**
 * Signs the newest sealed head with the key of the seals, unless that was done. The seal itself is signed in a form of
 * its own, so this is a second signature; it is kept in the log, and a later key leaves it as it is.
 * A log that was put back from a backup knowingly has another name from then on.
 * @param host names a log that has no checkpoint yet; the name stays when the service moves
 */
export const signNewestHead = async ({ ledger, vault }: NoteSigning, host: string): Promise<void> => {
  const { head, key } = await ledger.seals.read(SEALS)
  const { checkpoints } = await ledger.cosignatures.read(COSIGNATURES)
  const [newest] = checkpoints
  if (!head || !key) return
  const { branch } = await ledger.log.read(LOG_ID)
  const origin = originOf(newest ? hostOf(newest.origin) : host, head.log, branch)
  if (newest && newest.origin === origin && newest.size >= head.size) return
  const edge = hashesIn(hashBytes(head.frontier) ?? Buffer.alloc(0))
  const checkpoint = { origin, size: head.size, root: toBase64(growingTree(head.size, edge).root()) }
  const privateKey = (await vault.open(key.privateKey)) ?? refuse('unavailable', 'the key that seals cannot be read')
  const signature = signText(privateKey, checkpointText(checkpoint))
  await ledger.cosignatures.sign(COSIGNATURES, { ...checkpoint, publicKey: key.publicKey, signature })
}

/**
 * The name by which witnesses know a log, without a scheme. The log's id is that of its first event; `branch` is the
 * name part since the log last fell back to an older copy, and is empty before.
 */
export const originOf = (host: string, log: string, branch = ''): string =>
  `${host}${OF_LOG}${log}${branch === '' ? '' : `/${branch}`}`

const OF_LOG = '/daybook/'

/** The id of the log that an origin names; undefined when it has another form than ours. */
export const logIn = (origin: string): string | undefined => {
  const at = origin.indexOf(OF_LOG)
  return at < 0 ? undefined : origin.slice(at + OF_LOG.length).split('/')[0]
}

const hostOf = (origin: string): string => origin.slice(0, origin.indexOf(OF_LOG))

/** The verifier key that witnesses and verifiers of a log need: its name and the key of its seals. */
export const logKeyOf = ({ origin, publicKey }: Pick<SignedCheckpoint, 'origin' | 'publicKey'>): VerifierKey => ({
  name: origin,
  kind: 'key',
  publicKey,
})

/** The note as the log alone has signed it; with the cosignatures below it where there are some. */
export const checkpointNote = (
  checkpoint: SignedCheckpoint & Partial<Pick<CosignedCheckpoint, 'cosignatures'>>,
): string =>
  noteOf(checkpointText(checkpoint), [
    signatureLine(logKeyOf(checkpoint), Buffer.from(checkpoint.signature, 'base64')),
    ...(checkpoint.cosignatures ?? []).map(({ line }) => line),
  ])
